import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import type { Scope } from '../../src/core/expression/expression.ts';
import type { PythonContext } from './python-evaluator.ts';

const maybe = <T extends JsonValue>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.oneof(
    { weight: 5, arbitrary: values },
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constant(null) },
  );

const word = fc.constantFrom('', 'a', 'b', 'ab', 'Agreed', ' ok ', 'WM_1');
const number = fc.constantFrom(-3, -1, 0, 1, 2, 3, 4, 2.5);

function object(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<JsonObject> {
  return fc
    .record(fields)
    .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as JsonObject);
}

/** A key that may be missing but never holds None: what has a fallback in `.get` counts as missing then, which is documented. */
const absent = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(values, { nil: undefined, freq: 3 });

const item = object({
  source: fc.constantFrom('USER_PROMPT', 'TOOL_RESULT'),
  payload: object({ n: absent(number), kind: absent(word) }),
});
const message = object({ role: fc.constantFrom('user', 'assistant', 'tool'), content: word });
const workModule = object({
  status: fc.constantFrom('pending', 'completed'),
  name: absent(word),
  notes: absent(word),
  tries: absent(number),
});

const flags = object({
  n: maybe(number),
  m: maybe(number),
  word: maybe(word),
  done: maybe(fc.boolean()),
  list: maybe(fc.array(word, { maxLength: 3 })),
});
const own = object({ total: maybe(number), topic: maybe(word), box: maybe(object({ n: absent(number), word: absent(word) })) });

/** Contexts of the source system; values have their kind, or are None, or missing. */
export const contexts: fc.Arbitrary<PythonContext> = fc
  .record({
    flags,
    own,
    messages: fc.array(message, { maxLength: 4 }),
    inbox: fc.array(item, { maxLength: 3 }),
    action: fc.option(object({ tool_name: fc.constantFrom('search', 'finish_flow') })),
    modules: fc.dictionary(fc.constantFrom('WM_1', 'WM_2', 'WM_3'), workModule, { maxKeys: 3 }),
    running: fc.boolean(),
    moduleId: fc.constantFrom('WM_1', 'WM_9'),
  })
  .map(({ flags: flagValues, own: ownValues, messages, inbox, action, modules, running, moduleId }) => ({
    state: { ...ownValues, flags: flagValues, messages, inbox, current_action: action },
    meta: { agent_id: 'a1', module_id: moduleId },
    refs: { team: { work_modules: modules, is_principal_flow_running: running, question: 'Why?' }, run: { meta: { run_id: 'r' } } },
  }));

/** The first names of paths that observers set in these contexts. */
export const ownState: ReadonlySet<string> = new Set(['total', 'topic', 'box']);

/** The parts of a message: those of a reply hold more than its words. */
function partsOf(role: unknown, content: unknown): readonly unknown[] {
  if (role === 'tool')
    return [{ type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: { type: 'text', value: content } }];
  if (role === 'user') return [{ type: 'text', text: content }];
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: {} };
  return [{ type: 'reasoning', text: 'Hm.' }, { type: 'text', text: content }, call];
}

/** The same data as this system shows them to a condition. */
export function toScope({ state, meta, refs }: PythonContext): Scope {
  const { flags: flagValues, messages, inbox, current_action: action, ...values } = state;
  const shown = (messages as readonly JsonObject[]).map(({ role, content }) => ({ role, content: partsOf(role, content) }));
  return {
    state: { flags: flagValues, messages: shown, inbox, current_action: action, values },
    flags: flagValues,
    inbox,
    meta,
    team: refs.team,
    run: refs.run.meta,
    counters: {},
    turn: {},
  };
}

/** Python expressions as conditions have them; each kind of expression yields values of that kind, or None. */
const grammar = fc.letrec<{ truth: string; number: string; text: string; list: string; dict: string; body: string }>((tie) => {
  const numbers = fc.constantFrom('0', '1', '2', '3', '-1', '2.5');
  const words = fc.constantFrom("''", "'a'", "'ab'", "'agreed'", "'ok'", '"pending"', "'WM_1'");
  const path = (paths: readonly string[]): fc.Arbitrary<string> =>
    fc
      .tuple(fc.constantFrom(...paths), fc.nat(2))
      .map(([name, way]) => (way === 2 ? `get_nested_value_from_context(context_obj, '${name}')` : `v['${name}']`));
  const pair = (left: fc.Arbitrary<string>, operators: readonly string[], right: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.tuple(left, fc.constantFrom(...operators), right).map(([a, operator, b]) => `${a} ${operator} ${b}`);
  const order = ['<', '<=', '>', '>=', '==', '!='];
  return {
    truth: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(
        path(['flags.done', 'state.current_action', 'team.work_modules', 'team.is_principal_flow_running', 'flags.list', 'topic']),
        tie('dict'),
      ),
      pair(tie('number'), order, tie('number')),
      pair(tie('text'), ['==', '!='], tie('text')),
      pair(tie('text'), ['in', 'not in'], tie('list')),
      pair(
        tie('text'),
        ['in', 'not in'],
        fc.constantFrom("('a', 'ab')", "['agreed', 'ok', 'a']", "{'pending'}", "v['team.work_modules']"),
      ),
      fc
        .tuple(fc.oneof(tie('number'), tie('text'), tie('dict')), fc.constantFrom('is None', 'is not None'))
        .map(([a, is]) => `${a} ${is}`),
      fc.tuple(tie('truth'), fc.constantFrom('and', 'or'), tie('truth')).map(([a, operator, b]) => `(${a} ${operator} ${b})`),
      tie('truth').map((a) => `not (${a})`),
      fc.tuple(tie('truth'), tie('truth'), tie('truth')).map(([a, test, b]) => `(${a} if ${test} else ${b})`),
      fc.tuple(fc.constantFrom('any', 'all'), tie('body')).map(([name, body]) => `${name}(${body})`),
      fc.tuple(fc.constantFrom('any', 'all'), tie('list')).map(([name, list]) => `${name}(x == 'a' for x in ${list})`),
      pair(
        numbers,
        ['<', '<='],
        fc.tuple(tie('number'), fc.constantFrom('<', '<='), numbers).map((parts) => parts.join(' ')),
      ),
      fc.tuple(tie('text'), fc.constantFrom("startswith('a')", "endswith('b')")).map(([a, call]) => `${a}.${call}`),
    ),
    number: fc.oneof(
      { depthSize: 'small' },
      numbers,
      path(['flags.n', 'state.flags.m', 'state.total', 'total']),
      fc.constantFrom(
        "context_obj.get('state', {}).get('total')",
        "v['box.n']",
        "v['state.box'].get('n', 1)",
        "v['state.box']['n']",
        "(v['box'] or {}).get('n', 0)",
      ),
      fc.tuple(path(['flags.n', 'total']), numbers).map(([a, b]) => `(${a} or ${b})`),
      fc
        .tuple(fc.constantFrom('flags.n', 'total'), numbers)
        .map(([name, b]) => `get_nested_value_from_context(context_obj, '${name}', ${b})`),
      fc.oneof(tie('text'), tie('list'), tie('dict')).map((a) => `len(${a})`),
      fc.tuple(tie('number'), fc.constantFrom('+', '-', '*'), tie('number')).map(([a, operator, b]) => `(${a} ${operator} ${b})`),
      fc.tuple(tie('number'), fc.constantFrom('% 2', '% 5', '/ 2')).map(([a, end]) => `(${a} ${end})`),
      fc.constantFrom(
        "sum(1 for m in v['state.messages'] if m.get('role') == 'user')",
        "len([m for m in v['state.messages'] if m['role'] == 'user'])",
      ),
    ),
    text: fc.oneof(
      { depthSize: 'small' },
      words,
      path(['flags.word', 'topic', 'state.topic', 'team.question', 'meta.module_id']),
      fc.constantFrom(
        "(v['state.messages'] or [{}])[-1].get('content', '')",
        "v['state.messages'][-1]['content']",
        "v['state.messages[-1]'].get('role')",
        "v['state.current_action'].get('tool_name')",
        "v['state.current_action']['tool_name']",
        "v['state.current_action.tool_name']",
        "context_obj['state']['messages'][0].get('content')",
      ),
      fc.tuple(tie('text'), fc.constantFrom('strip()', 'lower()', 'upper()')).map(([a, call]) => `${a}.${call}`),
      fc.tuple(tie('text'), words).map(([a, b]) => `(${a} or ${b})`),
      fc.tuple(tie('text'), words).map(([a, b]) => `(${a} + ${b})`),
      fc.tuple(tie('list'), fc.constantFrom('0', '-1', '1')).map(([list, at]) => `${list}[${at}]`),
    ),
    list: fc.oneof(
      { depthSize: 'small' },
      path(['flags.list']),
      fc.constantFrom(
        "['a', 'b']",
        '[]',
        "[m.get('content') for m in v['state.messages']]",
        "[w.get('name', '') for w in v['team.work_modules'].values()]",
      ),
      fc.tuple(path(['flags.list']), fc.constantFrom('[]', "['a']")).map(([a, b]) => `(${a} or ${b})`),
      fc.constantFrom("get_nested_value_from_context(context_obj, 'flags.list', [])"),
      fc.tuple(tie('list'), fc.constantFrom('1:', ':2', '-2:', '0:1')).map(([list, range]) => `${list}[${range}]`),
    ),
    dict: fc.oneof(
      { depthSize: 'small' },
      path(['state.box', 'box', 'team.work_modules', 'state.current_action']),
      fc.constantFrom(
        "(v['box'] or {})",
        "get_nested_value_from_context(context_obj, 'box', {})",
        "v['team.work_modules'].get('WM_1', {})",
        "v['team.work_modules']['WM_1']",
      ),
    ),
    // Conditions on loop items must not raise: where one can, the converter notes a difference in meaning.
    body: fc.constantFrom(
      "item.get('source') == 'USER_PROMPT' for item in v['state.inbox']",
      "item['source'] == 'TOOL_RESULT' for item in get_nested_value_from_context(context_obj, 'state.inbox', []) if item.get('payload')",
      "m.get('status') == 'pending' for m in v['team.work_modules'].values()",
      "m.get('status') in ('completed', 'deprecated') for k, m in v['team.work_modules'].items()",
      "m.get('tries', 0) > 1 for m in v['team.work_modules'].values()",
      "k.startswith('WM') and v['team.work_modules'][k].get('name') != 'a' for k in v['team.work_modules']",
      "msg.get('role') == 'user' and msg.get('content').strip().lower() in ['agreed', 'ok'] for msg in v['state.messages'][-2:]",
      "any(w == m.get('name') for w in ['a', 'b']) for m in v['team.work_modules'].values()",
    ),
  };
});

/** A condition in Python. */
export const conditions: fc.Arbitrary<string> = grammar.truth;
