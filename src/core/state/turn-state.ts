import type { EventOf } from '../events/event.ts';
import type { AgentId, TurnId, CallId } from '../ids.ts';
import type { InboxItem } from '../inbox/inbox.ts';
import type { PromptSources } from '../prompt/prompt-sources.ts';
import type { Capability } from './capability.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { CallStatus } from './turn.ts';
import type { WaitFor } from '../tool/wait-for.ts';

/** One turn: the events it is made of. Turn records are built from these on demand. */
export interface TurnState {
  readonly turnId: TurnId;
  readonly agentId: AgentId;
  readonly start: EventOf<'turn.start'>;
  /** The raw items behind `start.inputs`, in the same order. */
  readonly items: readonly (InboxItem | undefined)[];
  readonly itemSeqs: readonly number[];
  /** Where what its prompt held came from. */
  readonly sources: PromptSources;
  /** Sequence number of the item that interrupted its model call. */
  interruptedBy: number | undefined;
  modelEnd: EventOf<'model.end'> | undefined;
  decide: EventOf<'turn.decide'> | undefined;
  calls: CallState[];
  stateChanges: EventOf<'state.update' | 'state.patch'>[] | undefined;
  /** The rungs of the ladder that were climbed before it began. */
  readonly escalations: readonly EventOf<'stagnation.act'>[];
  end: EventOf<'turn.end'> | undefined;
}

/** One tool call, as long as its run is in memory. */
export interface CallState {
  readonly callId: CallId;
  readonly request: EventOf<'tool.request'>;
  /** What it runs with: the arguments of the request, or those a person put in their place. */
  args: JsonObject | null;
  readonly index: number;
  status: 'requested' | 'running' | 'suspended' | CallStatus;
  waitFor: WaitFor | undefined;
  memo: JsonValue;
  startSeq: number | undefined;
  startedAt: number | undefined;
  /** When it began to wait, by a clock that never jumps. */
  suspendedAt: number | undefined;
  /** When it waited for a person, by the wall clock; the last wait has no end while it lasts. */
  waits: readonly { readonly from: number; readonly to: number | undefined }[];
  attempt: number;
  /** Set once a person allowed it. */
  approved: boolean;
  /** What was agreed to when it was allowed. */
  agreed: Capability | undefined;
  /** It was started and did not end, and nothing says that it did not happen. */
  mayHaveHappened: boolean;
  end: EventOf<'tool.end'> | undefined;
}
