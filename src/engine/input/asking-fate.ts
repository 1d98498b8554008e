import { CadreError } from '../../core/error.ts';
import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { AgentId, AskingId, CallId } from '../../core/ids.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { type Asked, askingId, readAskingId } from '../../core/state/asking.ts';
import { changedText } from '../../core/state/capability.ts';
import { answerInMessage, checkpointChoices } from '../../core/state/own-question.ts';
import type { RunContext } from '../../core/state/run-context.ts';

/** How an asking ended: by a verdict, by its deadline, by a message to the agent that asked, or with its call or agent. */
export type AskingEnd = 'approved' | 'rejected' | 'answered' | 'expired' | 'message' | 'ended';

/** What happened to an asking that no longer waits. */
export interface AskingFate {
  readonly end: AskingEnd;
  /** Event that ended it, and its wall time. */
  readonly seq: number;
  readonly at: number;
  /** The verdict, also of an expiry; absent when there was none. */
  readonly verdict?: EventOf<'tool.answer'>['verdict'];
  /** The answer, when a question was answered, and what it had to fit. */
  readonly value?: JsonValue;
  readonly schema?: JsonObject;
  /** The arguments that an approval replaced those of the call with. */
  readonly args?: JsonObject;
  /** The later asking about the same call, if there was one. */
  readonly again?: AskingId;
  /** The same in words, to follow its id. */
  readonly words: string;
}

/** An event that asked, with what was asked. */
type AskingEvent = Asked & { readonly agentId: AgentId; readonly callId?: CallId; readonly schema?: JsonObject | undefined };

/**
 * Returns what happened to an asking of a run; undefined when the run never asked it, or it still waits. `events` are those of the run from the
 * asking on (`readAskingId` has its sequence number).
 */
export function fateOf({ meta }: Pick<RunContext, 'meta'>, events: readonly CadreEvent[], id: string): AskingFate | undefined {
  const seq = readAskingId(meta, id)?.seq;
  const index = events.findIndex((event) => event.seq === seq);
  const asking = askingOf(events[index]);
  if (asking === undefined || askingId(meta, asking) !== id) return undefined;
  const later = events.slice(index + 1);
  const { agentId, callId, schema } = asking;
  const fate = callId === undefined ? ownFate(agentId, later) : callFate({ meta }, callId, later);
  return fate === undefined || schema === undefined ? fate : { ...fate, schema };
}

function askingOf(event: CadreEvent | undefined): AskingEvent | undefined {
  switch (event?.type) {
    case 'tool.suspend': {
      const { seq, agentId, callId, on } = event;
      if (on.kind === 'agents') return undefined;
      if (on.kind === 'approval') return { seq, agentId, callId, fingerprint: on.capability.fingerprint };
      return { seq, agentId, callId, fingerprint: on.fingerprint, schema: on.schema };
    }
    case 'agent.await': {
      const { seq, agentId, checkpoint } = event;
      if (checkpoint === undefined) return undefined;
      return { seq, agentId, fingerprint: checkpoint.fingerprint, schema: { enum: [...checkpointChoices] } };
    }
    case 'stagnation.act': {
      const { seq, agentId, fingerprint } = event;
      return fingerprint === undefined ? undefined : { seq, agentId, fingerprint };
    }
    case undefined:
    default:
      return undefined;
  }
}

function callFate(run: Pick<RunContext, 'meta'>, callId: CallId, later: readonly CadreEvent[]): AskingFate | undefined {
  const ofCall = later.filter((event) => 'callId' in event && event.callId === callId);
  const ended = ofCall.find(isCallFate);
  if (ended === undefined) return undefined;
  const fate = ended.type === 'tool.answer' ? answered(ended) : unanswered(ended);
  const asked = ofCall.find((event) => event.type === 'tool.suspend');
  const next = askingOf(asked);
  if (asked?.type !== 'tool.suspend' || next === undefined) return fate;
  const again = askingId(run.meta, next);
  const changed = asked.on.kind === 'approval' ? (asked.on.changed ?? []) : [];
  const why = changed.length === 0 ? '' : `, since ${changedText(changed)}`;
  return { ...fate, again, words: `${fate.words}; it was asked again${why}: ${again}` };
}

function isCallFate(event: CadreEvent): event is EventOf<'tool.answer' | 'tool.end'> {
  return event.type === 'tool.answer' || event.type === 'tool.end';
}

function answered({ seq, at, verdict, value, message, args, expired, by }: EventOf<'tool.answer'>): AskingFate {
  const when = new Date(at).toISOString();
  if (expired === true) {
    const result = verdict === 'approved' ? 'allowed' : 'denied';
    return {
      end: 'expired',
      seq,
      at,
      verdict,
      words: `has expired: ${message ?? 'no verdict in time'}; it was ${result} at ${when}`,
    };
  }
  if (verdict === 'answered')
    return {
      end: 'answered',
      seq,
      at,
      verdict,
      value: value ?? null,
      words: `was answered ${shown(value)}${byWords(by)} at ${when}`,
    };
  const how = `${args === undefined ? '' : ' with other arguments'}${byWords(by)}`;
  const why = verdict === 'rejected' && message !== undefined ? `: ${message.slice(0, 200)}` : '';
  const words = `was ${verdict}${how} at ${when}${why}`;
  return { end: verdict, seq, at, verdict, words, ...(args === undefined ? {} : { args }) };
}

function unanswered({ seq, at, status, error }: EventOf<'tool.end'>): AskingFate {
  const why = error === undefined ? '' : `: ${error.message.slice(0, 200)}`;
  return { end: 'ended', seq, at, words: `ended without a verdict at ${new Date(at).toISOString()} (${status}${why})` };
}

/** Returns what happened to an agent's own question, from the events after it. */
function ownFate(agentId: AgentId, later: readonly CadreEvent[]): AskingFate | undefined {
  for (const event of later) {
    if (!('agentId' in event) || event.agentId !== agentId) continue;
    const { seq, at, type } = event;
    const when = new Date(at).toISOString();
    if (type === 'inbox.add' && event.item.source === 'HUMAN_ANSWER') {
      const value = answerInMessage(event.item.payload);
      const words = `was answered ${shown(value)}${byWords(event.item.by)} at ${when}`;
      return { end: 'answered', seq, at, verdict: 'answered', value, words };
    }
    if (type === 'turn.start') return { end: 'message', seq, at, words: `was over at ${when}: ${agentId} went on with a message` };
    if (type === 'agent.end' || type === 'agent.restart')
      return { end: 'ended', seq, at, words: `was over without an answer at ${when}, with the work of ${agentId}` };
  }
  return undefined;
}

/** Names the person who decided, if one is named. */
function byWords(by: string | undefined): string {
  return by === undefined ? '' : ` by ${by}`;
}

function shown(value: JsonValue | undefined): string {
  const text = JSON.stringify(value ?? null);
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}

/** Reads the events of a run after a sequence number. */
type ReadEvents = (after: number) => readonly CadreEvent[] | Promise<readonly CadreEvent[]>;

/** Reads what happened to an asking; undefined as `fateOf`. */
export async function readFate(run: RunContext, read: ReadEvents, id: string): Promise<AskingFate | undefined> {
  const seq = readAskingId(run.meta, id)?.seq;
  return seq === undefined || seq > run.seq ? undefined : fateOf(run, await read(seq - 1), id);
}

/** Returns the refusal of a verdict with what happened to its asking (`details.fate`). Other errors are returned unchanged. */
export async function withFate(thrown: unknown, run: RunContext, read: ReadEvents): Promise<unknown> {
  if (!(thrown instanceof CadreError) || thrown.code !== 'PENDING_UNKNOWN') return thrown;
  const { id } = thrown.details;
  // A journal that cannot be read now makes the refusal shorter, not different.
  const fate = typeof id === 'string' ? await readFate(run, read, id).catch(() => undefined) : undefined;
  if (fate === undefined) return thrown;
  return new CadreError('PENDING_UNKNOWN', `request ${String(id)} of run ${run.meta.runId} ${fate.words}`, {
    details: { id, fate, hasExpired: fate.end === 'expired' },
    cause: thrown,
  });
}
