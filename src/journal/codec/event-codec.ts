import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { RunId } from '../../core/ids.ts';
import { createCommitContext, type CommitContext } from './commit-context.ts';
import { idKeys, likelyId, shapeOfCode, shapeOfType, type EventShape } from './event-shapes.ts';
import { isRecord, type PlainRecord } from './record-shape.ts';
import { joinFields, packDistance, writeFields, writeJson } from './record-writer.ts';
import { readFields, unpackDistance } from './record-reader.ts';
import { readJson } from '../../core/read-json.ts';

/** Facts about a commit's events that its row stores. */
export interface CommitPlace {
  readonly runId: RunId;
  /** Sequence number of the first event. */
  readonly firstSeq: number;
  /** Time of the last event, in milliseconds since 1970. */
  readonly at: number;
}

/*
 * A commit is one JSON list: for each event its code (event-shapes.ts), followed by an object unless everything can be derived from the
 * row or from the events before it. Keys of that object that every event may have:
 *   d  time, as the distance before the row's; absent = the row's
 *   c  cause, as the distance before the event's sequence number; 0 = none, absent = the event before
 *   a, u, k  agent, turn and call; absent = the likely one; null = none; a turn `~rest` begins with the agent's id
 * All other keys are fields of the event. A wrong guess is written out, so decoding returns the events as they were given
 * (except that an undefined value comes back absent; NaN, infinities and -0 are not JSON values).
 */
/** Encodes one commit's events as JSON text, leaving out what the row stores and what a reader can derive. */
export function encodeCommit(events: readonly CadreEvent[]): string {
  const context = createCommitContext();
  const rowAt = events.at(-1)?.at ?? 0;
  let text = '';
  for (const event of events) {
    const shape = shapeOfType(event.type);
    const fields = writeEvent(event, shape, context, rowAt);
    const written = fields === '' ? shape.label : `${shape.label},{${fields}}`;
    text = text === '' ? written : `${text},${written}`;
  }
  return `[${text}]`;
}

/**
 * Decodes the events of one commit. Throws STORE_CORRUPT when the text is not what `encodeCommit` writes, STORE_NEWER when a later
 * version wrote it.
 */
export function decodeCommit(body: string, place: CommitPlace): CadreEvent[] {
  const list: unknown = readJson(body);
  if (!Array.isArray(list)) throw new CadreError('STORE_CORRUPT', 'a commit must be a list');
  const context = createCommitContext();
  const events: CadreEvent[] = [];
  for (let index = 0; index < list.length; index += 1) {
    const code: unknown = list[index];
    const shape = typeof code === 'string' ? shapeOfCode(code) : undefined;
    // The checksum has already been verified, so an unknown code means a later version, not damage.
    if (shape === undefined)
      throw new CadreError(
        typeof code === 'string' ? 'STORE_NEWER' : 'STORE_CORRUPT',
        `${JSON.stringify(code)} is not an event code that this version knows`,
      );
    const next: unknown = list[index + 1];
    const packed = isRecord(next) ? next : {};
    if (isRecord(next)) index += 1;
    events.push(readEvent(packed, shape, { context, place, seq: place.firstSeq + events.length }));
  }
  return events;
}

/** Returns the causes of a commit's events in order, without decoding the events. Only for texts that `decodeCommit` can read. */
export function causesOfCommit(body: string, firstSeq: number): readonly (number | undefined)[] {
  const list: unknown = readJson(body);
  const causes: (number | undefined)[] = [];
  if (!Array.isArray(list)) return causes;
  for (let index = 0; index < list.length; index += 1) {
    const next: unknown = list[index + 1];
    const isPacked = isRecord(next);
    const cause = unpackCause(isPacked ? next['c'] : undefined, firstSeq + causes.length);
    causes.push(typeof cause === 'number' ? cause : undefined);
    if (isPacked) index += 1;
  }
  return causes;
}

function writeEvent(event: CadreEvent, shape: EventShape, context: CommitContext, rowAt: number): string {
  const record: unknown = event;
  if (!isRecord(record)) return '';
  beginEvent(context, event.type, event.at);
  let place = event.at === rowAt ? '' : `"d":${writeJson(packDistance(event.at, rowAt))}`;
  const cause = packCause(event.cause, event.seq);
  if (cause !== undefined) place = joinFields(place, `"c":${writeJson(cause)}`);
  for (const id of shape.ids) {
    const value = record[id];
    if (value === likelyId(id, context)) continue;
    const stored = value === undefined ? null : id === 'turnId' ? shortenTurn(value, record['agentId']) : value;
    place = joinFields(place, `"${idKeys[id]}":${writeJson(stored)}`);
  }
  rememberIds(context, shape, record);
  return joinFields(place, writeFields(record, shape.shape, context));
}

/** Place of an event in its commit, and the state shared with the commit's earlier events. */
interface DecodeContext {
  readonly context: CommitContext;
  readonly place: CommitPlace;
  readonly seq: number;
}

function readEvent(packed: PlainRecord, shape: EventShape, { context, place, seq }: DecodeContext): CadreEvent {
  const at = packed['d'] === undefined ? place.at : Number(unpackDistance(packed['d'], place.at));
  beginEvent(context, shape.type, at);
  const record: PlainRecord = { type: shape.type, runId: place.runId, seq, at };
  const cause = unpackCause(packed['c'], seq);
  if (cause !== undefined) record['cause'] = cause;
  for (const id of shape.ids) {
    const stored = packed[idKeys[id]];
    const value = stored === undefined ? likelyId(id, context) : id === 'turnId' ? lengthenTurn(stored, record['agentId']) : stored;
    if (value !== undefined && value !== null) record[id] = value;
  }
  rememberIds(context, shape, record);
  const event: PlainRecord = readFields(packed, { shape: shape.shape, context }, record);
  return event as PlainRecord & CadreEvent;
}

function beginEvent(context: CommitContext, type: string, at: number): void {
  context.type = type;
  context.at = at;
  context.ruleId = undefined;
  context.modelId = undefined;
  if (context.patches.length > 0) context.patches = [];
}

function rememberIds(context: CommitContext, shape: EventShape, record: Readonly<PlainRecord>): void {
  context.previousTurnId = context.turnId;
  for (const id of shape.ids) if (record[id] !== undefined) context[id] = record[id];
}

function packCause(cause: number | undefined, seq: number): unknown {
  if (cause === undefined) return 0;
  if (cause === seq - 1) return undefined;
  return cause === seq ? String(cause) : packDistance(cause, seq);
}

function unpackCause(stored: unknown, seq: number): unknown {
  if (stored === undefined) return seq - 1;
  return stored === 0 ? undefined : unpackDistance(stored, seq);
}

function shortenTurn(turnId: unknown, agentId: unknown): unknown {
  if (typeof turnId !== 'string') return turnId;
  if (typeof agentId === 'string' && turnId.startsWith(agentId)) return `~${turnId.slice(agentId.length)}`;
  // `!` escapes a turn id that itself begins with `~` or `!`.
  return turnId.startsWith('~') || turnId.startsWith('!') ? `!${turnId}` : turnId;
}

function lengthenTurn(stored: unknown, agentId: unknown): unknown {
  if (typeof stored !== 'string') return stored;
  if (stored.startsWith('~')) return `${String(agentId)}${stored.slice(1)}`;
  return stored.startsWith('!') ? stored.slice(1) : stored;
}
