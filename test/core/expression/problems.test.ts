import { describe, expect, test } from 'vitest';
import { agentRoots } from '../../../src/core/expression/agent-roots.ts';
import { compileExpression, type ExpressionProblem } from '../../../src/core/expression/expression.ts';

function problems(source: string): readonly ExpressionProblem[] {
  const compiled = compileExpression(source, agentRoots);
  return compiled.ok ? [] : compiled.problems;
}

describe('names are checked at load', () => {
  test.each([
    ['counter.turn_count > 1', 'counter', 'did you mean `counters`?'],
    ['flags.n > 1 && flag.m', 'flag', 'did you mean `flags`?'],
    ['current_action == null', 'current_action', 'did you mean `state.current_action`?'],
    ['xyz', 'xyz', 'known: state, meta'],
    ['state.curent_action', 'curent_action', 'did you mean `state.current_action`?'],
    ['!state . curent_action', 'curent_action', 'did you mean `state.current_action`?'],
    ["state['curent_action']", 'curent_action', 'did you mean `state.current_action`?'],
    ['meta.agentid', 'agentid', 'did you mean `meta.agent_id`?'],
    ['counters.zzzz', 'zzzz', 'fields of counters: turn_count'],
    ["turn.eror == 'MODEL_TIMEOUT'", 'eror', 'did you mean `turn.error`?'],
    ['run.statuss', 'statuss', 'did you mean `run.status`?'],
    ['team.workmodules.m1', 'workmodules', 'did you mean `team.work_modules`?'],
    ['has(state.flgas)', 'flgas', 'did you mean `state.flags`?'],
    ["v['state.curent_action']", 'curent_action', 'did you mean `state.current_action`?'],
    ["v['curent_action']", 'curent_action', 'did you mean `state.current_action`?'],
    ['1 + size(v["counters.turn_cuont"])', 'turn_cuont', 'did you mean `counters.turn_count`?'],
    ["v['flag.n']", 'flag', 'did you mean'],
    ["v['''meta.deph''']", 'deph', 'did you mean `meta.depth`?'],
    ['v', 'v', "v['state.current_action']"],
    ["v['[0]']", '[0]', "v['state.current_action']"],
    ['lenn(flags)', 'lenn', 'did you mean `len`?'],
    ['frobnicate(1)', 'frobnicate', 'functions: '],
    ["flags.mode.startswith('a')", 'startswith', 'did you mean `startsWith`?'],
    ['flags.mode.lower()', 'lower', 'write `lower(string)`'],
    ['exists(flags, x)', 'exists', 'write `x.exists(…)`'],
  ])('%s', (source, at, hint) => {
    const found = problems(source).map((problem) => ({ at: source.slice(problem.start, problem.end), hint: problem.hint ?? '' }));
    expect(found).toHaveLength(1);
    expect(found[0]?.at).toBe(at);
    expect(found[0]?.hint).toContain(hint);
  });

  test('open roots take any field, and closed ones stop at their own fields', () => {
    expect(problems("flags.anything.below && state.values.free && v['state.flags.x.y'] && v['flags.q']")).toEqual([]);
  });

  test('every problem is reported, in source order', () => {
    expect(problems('flag.a && foo(1) && stat.x').map(({ start }) => start)).toEqual([0, 10, 20]);
  });

  test('loop variables hide roots, also one called v', () => {
    expect(problems("[{'a': 1}].map(v, v['a']).map(state, state.zzz)")).toEqual([]);
  });

  test('a declared root is listed in paths with what is read below it', () => {
    const compiled = compileExpression(
      "flags.n > 1 && v['current_action'] == v['flags.a.b'] && state.messages[0].role == 'x' && flags.n",
      agentRoots,
    );
    expect(compiled.ok && compiled.value.paths).toEqual(['flags.n', 'state.current_action', 'flags.a.b', 'state.messages[0].role']);
  });
});

describe('habits of other languages get the spelling of this one', () => {
  test.each([
    ['flags.a and flags.b', 'and', '`&&`'],
    ['flags.a or flags.b', 'or', '`||`'],
    ['not flags.a', 'not', '`!x`'],
    ['not(flags.a)', 'not', '`!x`'],
    ['flags.a == None', 'None', '`null`'],
    ['flags.a == True', 'True', '`true`'],
    ['False', 'False', '`false`'],
    ['flags.a is null', 'is', '`==`'],
    ["flags.get('n')", 'get', "get(map, 'key')"],
    ["get_nested_value_from_context(context, 'a')", 'get_nested_value_from_context', "v['state.current_action']"],
    ['flags.a = 3', '=', '`==`'],
    ['flags.a === 3', '===', '`==`'],
    ['flags.a !== 3', '!==', '`!=`'],
    ['flags?.a', '?.', 'a field of null is null'],
    ['flags.a ?? 1', '??', 'default(x, fallback)'],
    ['flags.list.map(x => x)', '=>', 'list.map(x'],
    ["flags.mode.includes('a')", 'includes', 'contains'],
    ["'a' + 1", "'a' + 1", 'string(x)'],
  ])('%s', (source, at, hint) => {
    const found = problems(source).map((problem) => ({ at: source.slice(problem.start, problem.end), hint: problem.hint ?? '' }));
    expect(found.find((problem) => problem.at === at)?.hint).toContain(hint);
  });

  test('a field that is called like a keyword is fine', () => {
    expect(problems('flags.and && flags.is || flags.None')).toEqual([]);
  });
});

describe('type errors known at load are problems', () => {
  test.each([
    ['"a" - 1', '"a" - 1'],
    ['1 + [2]', '1 + [2]'],
    ['null > 2', 'null > 2'],
    ["'a' < 1", "'a' < 1"],
    ["-'a'", "-'a'"],
    ['1 in 2', '1 in 2'],
    ['5.map(x, x)', undefined],
    ["'abc'.map(x, x)", "'abc'"],
    ['lower(1)', '1'],
    ['keys([1])', '[1]'],
    ['range("a")', '"a"'],
    ['truthy(1, 2)', 'truthy'],
    ['[1].map(x)', '[1].map(x)'],
    ["matches(flags.a, '(a')", '(a'],
    ["b'abc'", "b'abc'"],
    ['9007199254740993', '9007199254740993'],
  ])('%s', (source, at) => {
    const [problem] = problems(source);
    expect(problem).toBeDefined();
    if (at !== undefined) expect(source.slice(problem?.start, problem?.end)).toBe(at);
  });

  test('a syntax error keeps the exact place', () => {
    expect(problems('flags.n > ')[0]).toMatchObject({ start: 10, end: 10 });
    expect(problems("flags.n == 'abc")[0]).toMatchObject({ start: 11, end: 15 });
    expect(problems('flags.n )')[0]).toMatchObject({ start: 8, end: 9 });
    expect(problems('  ')[0]?.message).toContain('empty');
  });
});
