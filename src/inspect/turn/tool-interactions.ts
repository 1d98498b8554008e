import type { ErrorRecord } from '../../core/error.ts';
import type { EventOf } from '../../core/events/event.ts';
import type { CallId, ContentHash } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Content } from '../../core/prompt/message.ts';
import type { CallState, CallVerdict, TurnState } from '../../core/state/turn-state.ts';
import type { WaitFor } from '../../core/tool/wait-for.ts';
import type { ProfileFacts } from './profile-facts.ts';
import { callGates, type GateView } from './turn-judgements.ts';

/** One tool call of a turn, from request to result. */
export interface ToolInteraction {
  readonly callId: CallId;
  /** The provider's own id, which may repeat; empty for calls a rule made. */
  readonly providerCallId: string;
  readonly name: string;
  /** Null when the argument text could not be used. */
  readonly args: JsonObject | null;
  /** Arguments a person substituted for `args`. */
  readonly changedArgs: JsonObject | undefined;
  /** The argument text was repaired before use. */
  readonly repaired: boolean;
  readonly status: CallState['status'];
  /** Content the model reads; undefined while the call has not ended. */
  readonly content: Content | undefined;
  readonly error: ErrorRecord | undefined;
  /** What its tool reported after the call was over; its agent did not read it. */
  readonly late:
    | { readonly status: CallState['status']; readonly content: Content; readonly error?: ErrorRecord; readonly at: number }
    | undefined;
  /** True when the tool had not ended when the call did, and has not reported since. */
  readonly isRunning: boolean;
  /** The uncut result, when `content` was cut. */
  readonly full: ContentHash | undefined;
  /** Duration in milliseconds; undefined while the call has not ended. */
  readonly ms: number | undefined;
  /** Times of request and end, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly progress: NonNullable<EventOf<'tool.end'>['progress']>;
  readonly attempt: number;
  /** It was approved: by a person, a standing approval or its expiry (`verdict`). */
  readonly approved: boolean;
  /** Gates that are about its tool, in order, as they judged it last; empty when there are none. */
  readonly gates: readonly GateView[];
  /** The last decision about it, and who made it; undefined when none was asked for, or none was made. */
  readonly verdict: CallVerdict | undefined;
  /** Wait of a suspended call. */
  readonly waitFor: WaitFor | undefined;
}

/** The tool calls of a turn, in the order of the reply. */
export function toolInteractions(turn: TurnState, profile: ProfileFacts | undefined): readonly ToolInteraction[] {
  return turn.calls.map((call) => toToolInteraction(turn, call, profile));
}

function toToolInteraction(turn: TurnState, call: CallState, profile: ProfileFacts | undefined): ToolInteraction {
  const { end, request } = call;
  const asked = turn.modelEnd?.reply?.toolCalls.find((candidate) => candidate.callId === call.callId) ?? turn.decide?.action.call;
  return {
    callId: call.callId,
    providerCallId: asked?.callId === call.callId ? asked.providerCallId : '',
    name: request.name,
    args: request.args,
    changedArgs: call.args === null || call.args === request.args ? undefined : call.args,
    repaired: request.repaired ?? false,
    status: call.status,
    content: end?.content,
    error: end?.error,
    late: toLate(call),
    isRunning: end?.isRunning === true && call.late === undefined,
    full: end?.full,
    ms: end?.ms,
    startedAt: request.at,
    endedAt: end?.at,
    progress: end?.progress ?? [],
    attempt: call.attempt,
    approved: call.approved,
    gates: callGates(call, profile),
    verdict: call.verdict,
    waitFor: call.waitFor,
  };
}

function toLate({ late }: CallState): ToolInteraction['late'] {
  if (late === undefined) return undefined;
  const { status, content, error, at } = late;
  return { status, content, at, ...(error === undefined ? {} : { error }) };
}
