import type { EventOf } from '../events/event.ts';
import type { AgentId, TurnId, CallId } from '../ids.ts';
import type { InboxItem } from '../inbox/inbox.ts';
import type { PromptSources } from '../prompt/prompt-sources.ts';
import type { Capability } from './capability.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { ModelAttempt } from '../model/model.ts';
import type { CallStatus, GateRecord } from './turn.ts';
import type { WaitFor } from '../tool/wait-for.ts';

/** One turn, as the events it consists of. Turn records are built from these on demand. */
export interface TurnState {
  readonly turnId: TurnId;
  readonly agentId: AgentId;
  readonly start: EventOf<'turn.start'>;
  /** Raw items of `start.inputs`, in the same order. */
  readonly items: readonly (InboxItem | undefined)[];
  readonly itemSeqs: readonly number[];
  /** Provenance of what its prompt held. */
  sources: PromptSources;
  /** Sequence number of the item that interrupted its model call. */
  interruptedBy: number | undefined;
  modelEnd: EventOf<'model.end'> | undefined;
  /** Attempts of its model call that were charged one by one. `modelEnd` lists them again. */
  charged: ChargedAttempts | undefined;
  decide: EventOf<'turn.decide'> | undefined;
  calls: CallState[];
  stateChanges: EventOf<'state.update' | 'state.patch'>[] | undefined;
  /** Escalations before the turn began. */
  readonly escalations: readonly EventOf<'stagnation.act'>[];
  end: EventOf<'turn.end'> | undefined;
}

/** Attempts of a model call that were charged before its end, or after the end of its turn. */
export interface ChargedAttempts {
  readonly attempts: readonly ModelAttempt[];
  /** True once they count in place of the estimate that `turn.end` has. */
  readonly isEstimateReplaced: boolean;
}

/** A decision about a call, or the answer to its question. */
export interface CallVerdict {
  readonly verdict: EventOf<'tool.answer'>['verdict'];
  /** Wall time, and the event that records it. */
  readonly at: number;
  readonly seq: number;
  /** The person who decided, or who gave the standing approval; absent: a program, or the expiry. */
  readonly by?: string;
  /** True when no one decided in time. */
  readonly expired?: true;
  /** Event of the standing approval that allowed the call. */
  readonly standing?: number;
}

/** One tool call, while its run is in memory. */
export interface CallState {
  readonly callId: CallId;
  readonly request: EventOf<'tool.request'>;
  /** Arguments it runs with: those of the request, or a person's replacement. */
  args: JsonObject | null;
  readonly index: number;
  status: 'requested' | 'running' | 'suspended' | CallStatus;
  waitFor: WaitFor | undefined;
  /** Sequence number of the event that began its last wait. */
  waitSeq: number | undefined;
  memo: JsonValue;
  startSeq: number | undefined;
  startedAt: number | undefined;
  /** Start of its wait, by a clock that never jumps. */
  suspendedAt: number | undefined;
  /** Waits for a person, by the wall clock; the current wait has no end. */
  waits: readonly { readonly from: number; readonly to: number | undefined }[];
  attempt: number;
  /** True once a person approved it. */
  approved: boolean;
  /** The capability that was approved. */
  agreed: Capability | undefined;
  /** The last decision about it, and who made it. */
  verdict: CallVerdict | undefined;
  /** True when it was started without an end on record, and nothing shows that it did not happen. */
  mayHaveHappened: boolean;
  end: EventOf<'tool.end'> | undefined;
  /** The result that came after its end, which no turn reads. */
  late: EventOf<'tool.late'> | undefined;
  /** The gates that judged it last, in order; undefined when none is about its tool. */
  gates: readonly GateRecord[] | undefined;
}

/** What a call has of a person's decision before there is one. */
export const undecided: Pick<CallState, 'approved' | 'agreed' | 'verdict'> = {
  approved: false,
  agreed: undefined,
  verdict: undefined,
};
