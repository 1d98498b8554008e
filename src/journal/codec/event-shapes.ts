import type { EventOf, EventType } from '../../core/events/event.ts';
import type { Patch } from '../../core/patches/patch.ts';
import type { ReplyToolCall, RuleRecord, TurnPrompt, ObserverRecord } from '../../core/state/turn.ts';
import type { CommitContext } from './commit-context.ts';
import { item, turnInput } from './inbox-shapes.ts';
import { always, defineShape, noList, type Derived, type PlainRecord, type Shape } from './record-shape.ts';
import { attempt, error, reply, usage } from './reply-shapes.ts';

/*
 * Stored form of each kind of record. These tables are part of the file layout: without a migration, a short key never changes its
 * meaning and a guess never its value. They must not depend on anything outside this folder's own constants.
 */

const observer = defineShape<ObserverRecord>({
  fields: { id: 'i', phase: 'p', fired: 'f', value: 'v', tools: 't', error: { short: 'e', shape: error } },
  guesses: { phase: (_, context) => (context.type === 'turn.start' ? 'pre' : 'post'), fired: always(false) },
});

/**
 * Rules of a profile that declares none (profiles/compile/default-decider.ts). Stored by index: append new ones, never remove one.
 */
const defaultRules = ['default_continue_with_tool', 'default_end', 'default_ask_again', 'default_ask_for_less'];

const ruleNumber: Derived = {
  short: 'n',
  pack: (id) => {
    const at = defaultRules.indexOf(String(id));
    return at < 0 || typeof id !== 'string' ? undefined : at;
  },
  unpack: (at) => defaultRules[Number(at)],
};

const rule = defineShape<RuleRecord>({
  fields: { id: { short: 'i', derived: ruleNumber }, matched: 'm', values: 'v', error: { short: 'e', shape: error } },
  guesses: { matched: always(false) },
  note: (record, context) => {
    if (record.matched === true) context.ruleId = record.id;
  },
});

const action = defineShape<EventOf<'turn.decide'>['action']>({
  fields: { type: 't', ruleId: 'r', outcome: 'o', error: 'e', output: 'x', on: 'n', tools: 'k', toolChoice: 'c', code: 'd' },
  guesses: {
    type: (_, context) => (context.calls.size > 0 ? 'continue_with_tool' : undefined),
    ruleId: (_, context) => context.ruleId,
  },
});

const prompt = defineShape<TurnPrompt>({
  fields: {
    system: 's',
    tools: 't',
    from: 'f',
    to: 'e',
    head: 'h',
    headSeq: 'q',
    tokens: 'k',
    toolChoice: 'c',
    protocol: 'p',
    earlier: 'b',
    stream: 'v',
  },
  guesses: { from: always(0) },
});

const reserve = defineShape<NonNullable<EventOf<'turn.start'>['reserve']>>({
  fields: { tokens: 't', cost: 'c', output: 'o' },
});

const turnStart = defineShape<EventOf<'turn.start'>>({
  fields: {
    turnType: 'y',
    flowId: 'f',
    sourceTurnIds: 's',
    sourceToolCallId: 't',
    inputs: { short: 'n', shape: turnInput },
    observers: { short: 'o', shape: observer },
    prompt: { short: 'p', shape: prompt },
    reserve: { short: 'r', shape: reserve },
  },
  guesses: {
    turnType: always('agent'),
    flowId: (_, context) => (typeof context.agentId === 'string' ? `flow_${context.agentId}` : undefined),
    sourceTurnIds: (_, context) => (context.previousTurnId === undefined ? [] : [context.previousTurnId]),
    inputs: noList,
    observers: noList,
  },
});

const modelEnd = defineShape<EventOf<'model.end'>>({
  fields: {
    reply: { short: 'r', shape: reply },
    error: { short: 'e', shape: error },
    usage: { short: 'g', shape: usage },
    cost: 'o',
    attempts: { short: 't', shape: attempt },
  },
  guesses: { attempts: noList },
});

const turnDecide = defineShape<EventOf<'turn.decide'>>({
  fields: { observers: { short: 'o', shape: observer }, rules: { short: 'r', shape: rule }, action: { short: 't', shape: action } },
  guesses: { observers: noList, rules: noList },
});

const toolRequest = defineShape<EventOf<'tool.request'>>({
  fields: { name: 'n', args: 'g', toolset: 's', repaired: 'r', polls: 'p' },
  guesses: {
    name: ({ callId }, context) => context.calls.get(callId)?.name,
    args: ({ callId }, context) => parsedInput(context.calls.get(callId)),
  },
  note: (record, context) => context.requests.add(record.callId, record),
});

const toolStart = defineShape<EventOf<'tool.start'>>({
  fields: { attempt: 'n' },
  guesses: { attempt: always(1) },
  note: (_, context) => {
    context.starts += 1;
  },
});

const toolEnd = defineShape<EventOf<'tool.end'>>({
  fields: { status: 's', content: 'x', error: { short: 'e', shape: error }, full: 'f', progress: 'p', ms: 'm' },
  guesses: { status: always('ok') },
  note: (record, context) => context.ends.add(record.callId, record),
});

const turnEnd = defineShape<EventOf<'turn.end'>>({
  fields: { status: 's', error: { short: 'e', shape: error } },
  guesses: { status: always('completed') },
});

const patch = defineShape<Patch>({
  fields: { op: 'o', path: 'w', value: 'v' },
  guesses: { op: always('replace') },
  note: (record, context) => context.patches.push(record),
});

const undoing = { add: 'remove', remove: 'add', replace: 'replace' } as const;

/** Inverse patches are stored in reverse order. */
const undo = defineShape<Patch>({
  fields: { op: 'o', path: 'w', value: 'v' },
  guesses: {
    op: (_, context) => undoing[context.patches.at(-1)?.op ?? 'replace'],
    path: (_, context) => context.patches.at(-1)?.path,
  },
  note: (_, context) => {
    context.patches.pop();
  },
});

const statePatch = defineShape<EventOf<'state.patch'>>({
  fields: { patches: { short: 'p', shape: patch }, inverse: { short: 'i', shape: undo }, by: 'b', taint: 't' },
});

/** Ids of an event that usually repeat those of the event before it. */
export type PlaceId = 'agentId' | 'turnId' | 'callId';

/** Stored form of one event type: `code` replaces its name, `ids` are guessed from the events before it. */
export interface EventShape {
  readonly type: string;
  readonly code: string;
  readonly ids: readonly PlaceId[];
  readonly shape: Shape;
}

const plain = defineShape<PlainRecord>({ fields: {} });
const agent = ['agentId'] as const;
const turn = ['agentId', 'turnId'] as const;
const toolCall = ['agentId', 'turnId', 'callId'] as const;

const table: { readonly [Type in EventType]: Omit<EventShape, 'type'> } = {
  'run.start': { code: 'r<', ids: [], shape: plain },
  'run.status': { code: 'r=', ids: [], shape: plain },
  'run.resume': { code: 'r+', ids: [], shape: plain },
  'profiles.update': { code: 'pu', ids: [], shape: plain },
  'toolset.update': { code: 'tu', ids: [], shape: plain },
  'clock.jump': { code: 'cj', ids: [], shape: plain },
  'run.title': { code: 'rt', ids: [], shape: plain },
  'run.end': { code: 'r>', ids: [], shape: plain },
  'agent.start': { code: 'a<', ids: agent, shape: plain },
  'agent.release': { code: 'ar', ids: agent, shape: plain },
  'agent.await': { code: 'aw', ids: agent, shape: plain },
  'agent.restart': { code: 'aa', ids: agent, shape: plain },
  'agent.end': { code: 'a>', ids: agent, shape: plain },
  'limit.reach': { code: 'l!', ids: agent, shape: plain },
  'stagnation.act': { code: 's!', ids: agent, shape: plain },
  'inbox.add': {
    code: 'i+',
    ids: agent,
    shape: defineShape<EventOf<'inbox.add'>>({ fields: { item: { short: 'i', shape: item } } }),
  },
  'inbox.fail': { code: 'i!', ids: agent, shape: plain },
  'inbox.drop': { code: 'i-', ids: agent, shape: plain },
  'turn.start': { code: 't<', ids: turn, shape: turnStart },
  'model.end': { code: 'm>', ids: turn, shape: modelEnd },
  'turn.decide': { code: 't?', ids: turn, shape: turnDecide },
  'tool.request': { code: 'c?', ids: toolCall, shape: toolRequest },
  'tool.start': { code: 'c<', ids: toolCall, shape: toolStart },
  'tool.suspend': { code: 'cs', ids: toolCall, shape: plain },
  'tool.answer': { code: 'ca', ids: toolCall, shape: plain },
  'tool.verify': { code: 'cv', ids: toolCall, shape: plain },
  'tool.end': { code: 'c>', ids: toolCall, shape: toolEnd },
  'tool.late': { code: 'cl', ids: toolCall, shape: plain },
  'turn.end': { code: 't>', ids: turn, shape: turnEnd },
  'context.trim': { code: 'k-', ids: agent, shape: plain },
  'compaction.start': { code: 'k<', ids: agent, shape: plain },
  'compaction.end': { code: 'k>', ids: agent, shape: plain },
  'module.update': { code: 'wm', ids: [], shape: plain },
  'dispatch.update': { code: 'wd', ids: [], shape: plain },
  'state.update': { code: 's=', ids: turn, shape: plain },
  'state.patch': { code: 's*', ids: turn, shape: statePatch },
  'note.add': { code: 'n+', ids: turn, shape: plain },
};

/** Short keys of an event's ids, which are stored with its place (event-codec.ts). */
export const idKeys: Readonly<Record<PlaceId, string>> = { agentId: 'a', turnId: 'u', callId: 'k' };
const placeKeys: ReadonlySet<string> = new Set(['d', 'c', ...Object.values(idKeys)]);
const placeFields = ['type', 'runId', 'seq', 'at', 'cause'] as const;

/** Returns the shape of an event's own fields, without those stored with its place. */
function ownFields(shape: Shape, ids: readonly PlaceId[]): Shape {
  return { ...shape, outer: { long: new Set([...placeFields, ...ids]), short: placeKeys } };
}

const shapes = Object.entries(table).map(([type, entry]): EventShape => ({
  type,
  ...entry,
  shape: ownFields(entry.shape, entry.ids),
}));
const unknownFields = ownFields(plain, []);
const byType: ReadonlyMap<string, EventShape> = new Map(shapes.map((entry) => [entry.type, entry]));
const byCode: ReadonlyMap<string, EventShape> = new Map(shapes.map((entry) => [entry.code, entry]));

/** Returns the stored form of an event type; a type without a table keeps its name. */
export function shapeOfType(type: string): EventShape {
  return byType.get(type) ?? { type, code: `.${type}`, ids: [], shape: unknownFields };
}

/** True when this version has a table for events of the type. */
export function isKnownType(type: string): boolean {
  return byType.has(type);
}

/** Returns the shape of a stored code; undefined when there is none. */
export function shapeOfCode(code: string): EventShape | undefined {
  return byCode.get(code) ?? (code.startsWith('.') ? shapeOfType(code.slice(1)) : undefined);
}

/** Returns the id an event most likely has, given the events before it. */
export function likelyId(id: PlaceId, context: CommitContext): unknown {
  if (id !== 'callId') return context[id];
  if (context.type === 'tool.request') return context.calls.at(context.requests.size)?.callId ?? context.callId;
  if (context.type === 'tool.start') return context.requests.at(context.starts)?.callId ?? context.callId;
  return context.callId;
}

function parsedInput(found: Partial<ReplyToolCall> | undefined): unknown {
  if (typeof found?.input !== 'string') return undefined;
  try {
    const parsed: unknown = JSON.parse(found.input);
    return parsed;
  } catch {
    return undefined;
  }
}
