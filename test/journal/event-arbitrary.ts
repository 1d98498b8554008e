import * as fc from 'fast-check';
import { frameUntrusted } from '../../src/core/untrusted/frame-untrusted.ts';
import type { CadreEvent, EventType } from '../../src/core/events/event.ts';
import type { JsonValue } from '../../src/core/json.ts';

/** Texts of every sort: words, controls, any UTF-16 unit (lone surrogates too), and characters with a meaning in the codec. */
export const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ maxLength: 8, unit: 'binary' }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    '',
    '~',
    '!',
    '.x',
    '-',
    '__proto__',
    'null',
    '0',
    '\ud800',
    '\0',
    '{"q":"x"}',
    '{"__proto__":{"a":1}}',
    '[1]',
    'TOOL_RESULT',
  ),
);

/** JSON values, with keys that are property names of every object. */
export const json: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.integer({ min: -3, max: 3 }),
    text,
    fc.array(tie('value'), { maxLength: 3 }),
    object(tie('value')),
  ),
})).value;

function object<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  const key = fc.oneof(
    text,
    fc.constantFrom('prompt', 'content', 'tool_name', 'tool_call_id', 'is_error', 'constructor', 'toJSON', '__proto__'),
  );
  // `fromEntries` makes `__proto__` an own key.
  return fc.array(fc.tuple(key, value), { maxLength: 4 }).map((entries) => Object.fromEntries(entries));
}

/** Arbitrary record whose keys after the mark are optional. */
function record(
  required: Record<string, fc.Arbitrary<unknown>>,
  optional: Record<string, fc.Arbitrary<unknown>> = {},
): fc.Arbitrary<object> {
  return fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required), noNullPrototype: true });
}

// Small pools, so that the codec's guesses are right about as often as wrong.
const agentId = fc.constantFrom('a', 'b', 'a.t', '~a');
const turnId = fc.constantFrom('a.t1', 'a.t2', 'b.t1', 'a', '~', '!', '~a.t1');
const callId = fc.constantFrom('c1', 'c2', 'c3');
const itemId = fc.constantFrom('i1', 'i2', 'i3');
const name = fc.constantFrom('search', 'read', '');
const boolean = fc.boolean();
const count = fc.oneof(
  fc.constantFrom(0, 1, 2),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0 || 0),
);
const content = fc.oneof(text, fc.array(record({ type: fc.constant('text'), text }), { maxLength: 2 }));
const error = record({ code: fc.constantFrom('TOOL_FAILED', 'INTERNAL'), message: text });
const list = (entry: fc.Arbitrary<unknown>) => fc.array(entry, { maxLength: 3 });
const input = fc.oneof(
  text,
  json.map((value) => JSON.stringify(value)),
);

const call = record({ callId, providerCallId: text, name, wireName: name, input }, { wireId: text, providerOptions: json });
const reply = record(
  {
    text,
    reasoning: fc.oneof(fc.constant(''), text),
    toolCalls: list(call),
    finishReason: fc.constantFrom('stop', 'tool-calls', 'length', 'content-filter', 'other'),
  },
  { reasoningParts: list(record({ text, providerOptions: json })), files: json, modelId: name },
);
const attempt = record(
  { config: name, model: name, startedAt: count, ms: count },
  { firstTokenMs: count, error, partialText: text, waitMs: count, queuedMs: count },
);
const observer = record(
  { id: name, phase: fc.constantFrom('pre', 'post'), fired: boolean },
  { value: json, error, tools: record({}, { choice: name, only: list(name), except: list(name) }) },
);
const patch = record(
  { op: fc.constantFrom('add', 'replace', 'remove'), path: fc.array(fc.oneof(name, count), { maxLength: 3 }) },
  { value: json },
);
const rule = record(
  { id: fc.oneof(name, fc.constantFrom('default_end', 'default_continue_with_tool')), matched: boolean },
  { values: object(json), error },
);
const payload = fc.oneof(
  json,
  text,
  record({ tool_name: name, tool_call_id: callId, is_error: boolean, content }, { extra: json }),
  record({ content }, { prompt: text, tool_call_id: callId }),
);
const source = fc.constantFrom('TOOL_RESULT', 'USER_PROMPT', 'OTHER');
const item = record(
  {
    itemId,
    source,
    payload,
    consumption: fc.constantFrom('consume_on_read', 'persistent_until_consumed'),
    delivery: fc.constantFrom('now', 'next', 'idle'),
  },
  {
    priority: count,
    maxTurns: count,
    ingestorId: name,
    ingestorParams: json,
    observerId: name,
    ruleId: name,
    from: agentId,
    trust: fc.constant('untrusted'),
    quotes: list(agentId),
    taint: list(text),
  },
);
const turnInput = record(
  {
    itemId,
    source,
    strategy: fc.constantFrom('profile', 'global', 'fallback', 'item'),
    ingestor: fc.constantFrom('tool_result', 'user_prompt', 'other'),
    mode: fc.constantFrom('append_as_new_message', 'prepend_to_role'),
    role: fc.constantFrom('user', 'tool'),
    persistent: boolean,
    content: fc.oneof(
      content,
      fc.tuple(text, name).map(([inside, from]) => frameUntrusted(inside, { from, nonce: 'abcdefghijk' }).content),
    ),
  },
  { callId, wireName: name, isError: boolean, noHandover: boolean, kept: boolean, untrusted: boolean },
);
const status = fc.constantFrom('ok', 'error', 'denied', 'cancelled', 'timeout', 'unknown');
const onTurn = { agentId, turnId };
const onCall = { agentId, turnId, callId };

const drafts: { readonly [Type in EventType]: fc.Arbitrary<object> } = {
  'run.start': record(
    { profile: name, title: text, input: json, profiles: name, limits: json, engineVersion: name },
    {
      given: name,
      llmConfig: name,
      requestHash: name,
      request: object(json),
      workspace: text,
      parentRun: record({ runId: name, at: count }),
    },
  ),
  'run.status': record({ status: fc.constantFrom('running', 'awaiting') }, { pending: fc.nat() }),
  'run.resume': record({ engineVersion: name, downMs: count }, { profiles: name, given: name, revoked: list(count) }),
  'profiles.update': record({
    profiles: name,
    changes: list(record({ action: fc.constantFrom('created', 'updated', 'disabled', 'renamed'), profile: name }, { to: name })),
  }),
  'toolset.update': record({ toolset: name, tools: name }),
  'clock.jump': record({ ms: count }),
  'limit.reach': record({
    agentId,
    stage: fc.constantFrom(1, 2),
    scope: fc.constantFrom('agent', 'module', 'run'),
    limit: name,
    used: count,
    allowed: count,
    reason: text,
  }),
  'stagnation.act': record(
    {
      agentId,
      rung: name,
      on: fc.constantFrom('same_action_same_result_streak', 'tool_error_streak'),
      threshold: count,
      count,
      action: fc.constantFrom('nudge', 'forbid_tool', 'switch_llm_config', 'ask_human', 'end'),
    },
    { tools: fc.array(name), llmConfig: name, prompt: text },
  ),
  'run.end': record(
    { status: fc.constantFrom('completed', 'failed'), outcome: name, output: text, deliverables: object(json) },
    { error },
  ),
  'agent.start': record(
    { agentId, profile: name, profileType: name, depth: count, initialParams: object(json), flowId: name },
    {
      parentAgentId: agentId,
      roleName: name,
      callId,
      notify: record({ agentId, source }),
      allowedToolsets: list(name),
      lastTurnId: turnId,
      held: boolean,
    },
  ),
  'agent.release': record({ agentId }),
  'agent.await': record({ agentId }, { on: list(source), checkpoint: record({ id: text, prompt: text }) }),
  'agent.restart': record({ agentId, iteration: count, initialParams: object(json) }, { callId, keepsHistory: fc.constant(true) }),
  'agent.end': record({ agentId, outcome: name, output: text, deliverables: object(json) }, { error }),
  'inbox.add': record({ agentId, item }),
  'inbox.fail': record({ agentId, itemId, error }),
  'inbox.drop': record({ agentId, itemId, reason: fc.constantFrom('expired', 'dead_letter') }),
  'turn.start': record(
    {
      ...onTurn,
      turnType: fc.constantFrom('agent', 'user'),
      flowId: name,
      sourceTurnIds: list(turnId),
      inputs: list(turnInput),
      observers: list(observer),
    },
    {
      sourceToolCallId: callId,
      reserve: record({ tokens: count }, { cost: count, output: count }),
      prompt: record(
        { system: name, tools: name, from: count, to: count },
        {
          tokens: count,
          toolChoice: name,
          head: name,
          headSeq: count,
          earlier: list(record({ head: name }, { headSeq: count })),
          stream: record({ full: count, lines: count }),
        },
      ),
    },
  ),
  'context.trim': record(
    { agentId, to: count, reason: fc.constantFrom('window', 'nothing_kept', 'new_task') },
    { head: name, headTokens: count },
  ),
  'compaction.start': record(
    {
      agentId,
      compactionId: name,
      from: count,
      to: count,
      reason: fc.constantFrom('threshold', 'refused', 'actions', 'task_end'),
      tokens: count,
      llmConfig: name,
      instructions: name,
    },
    {
      previous: name,
      earlier: list(name),
      separate: fc.constant(true),
      reserve: record({ tokens: count }, { cost: count, output: count }),
    },
  ),
  'run.title': record({ usage: json, attempts: list(attempt) }, { title: text, error, cost: count }),
  'compaction.end': record(
    { agentId, compactionId: name, from: count, to: count, usage: json, attempts: list(attempt) },
    { head: name, headTokens: count, error, cost: count },
  ),
  'model.end': record(
    {
      ...onTurn,
      usage: record({}, { inputTokens: count, outputTokens: count, cacheReadTokens: count, reasoningTokens: count }),
      attempts: list(attempt),
    },
    { reply, error, cost: count },
  ),
  'turn.decide': record({
    ...onTurn,
    observers: list(observer),
    rules: list(rule),
    action: record(
      { type: fc.constantFrom('continue_with_tool', 'end_agent_turn', 'await') },
      { ruleId: name, outcome: name, error: text, output: text, on: list(source), tools: list(name), toolChoice: name },
    ),
  }),
  'tool.request': record(
    { ...onCall, name, args: fc.oneof(fc.constant(null), object(json), fc.constant({ q: 'x' })) },
    { repaired: boolean, polls: boolean, toolset: name },
  ),
  'tool.start': record({ ...onCall, attempt: count }),
  'tool.suspend': record({ ...onCall, on: json, memo: json }),
  'tool.answer': record(
    { ...onCall, verdict: fc.constantFrom('approved', 'answered') },
    { value: json, message: text, args: object(json), capability: json, always: boolean, standing: count },
  ),
  'tool.verify': record({ ...onCall, by: name, answer: fc.constantFrom('happened', 'unknown') }, { error }),
  'tool.end': record(
    { ...onCall, status, content, ms: count },
    { error, full: name, quotes: list(agentId), progress: list(record({ fraction: count, note: text, at: count })) },
  ),
  'tool.late': record({ ...onCall, status, content }),
  'turn.end': record({ ...onTurn, status: fc.constantFrom('completed', 'error') }, { error }),
  'module.update': record({ moduleId: name, patch: object(json) }),
  'dispatch.update': record({ dispatchId: name, patch: object(json) }),
  'state.update': record(
    { scope: fc.constantFrom('agent', 'team'), operation: fc.constantFrom('set', 'append'), path: text },
    { agentId, turnId, value: json, by: name },
  ),
  'state.patch': record({ patches: list(patch), inverse: list(patch) }, { agentId, turnId, by: name }),
  'note.add': record({ level: fc.constantFrom('info', 'error'), code: name, message: text }, { agentId, turnId }),
};

const time = fc.oneof(
  fc.constantFrom(1_750_000_000_000, 1_750_000_000_001),
  fc.integer(),
  fc.constant(0.1),
  fc.constant(1_750_000_000_000.3),
);
const place = fc.record({
  at: time,
  cause: fc.oneof(fc.constant('before'), fc.constant(undefined), fc.integer({ min: 0, max: 30 })),
});

const placedDraft = fc
  .oneof(...Object.entries(drafts).map(([type, draft]) => draft.map((fields) => ({ type, ...fields }))))
  .chain((draft) => place.map((where) => ({ draft, where })));

/** Events of one commit to run `run_1`, of every type and in any order, beginning at a sequence number from 1 to 20. */
export const commitEvents: fc.Arbitrary<CadreEvent[]> = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.array(placedDraft, { minLength: 1, maxLength: 8, size: 'max' }))
  .map(([firstSeq, entries]) =>
    entries.map(({ draft, where }, index) => {
      const seq = firstSeq + index;
      const cause = where.cause === 'before' ? seq - 1 : where.cause;
      const event: unknown = { ...draft, runId: 'run_1', seq, at: where.at, ...(cause === undefined ? {} : { cause }) };
      return event as CadreEvent;
    }),
  );
