import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentRoots } from '../../src/core/expression/agent-roots.ts';
import { compileExpression, type Scope } from '../../src/core/expression/expression.ts';
import { convertCondition, type ConvertedCondition } from '../../src/compat/python/convert-condition.ts';
import { parsePython } from '../../src/compat/python/parse-python.ts';
import { conditions, contexts, ownState, toScope } from './python-arbitrary.ts';
import { holdsInPython, type PythonContext } from './python-evaluator.ts';

const convert = (source: string, phase: 'before_reply' | 'after_reply' = 'before_reply'): ConvertedCondition =>
  convertCondition(source, { phase, ownState, roots: agentRoots });

function celOf(source: string, phase?: 'before_reply' | 'after_reply'): string {
  const converted = convert(source, phase);
  if (!converted.ok) throw new Error(`${source}: ${converted.problem}`);
  return converted.text;
}

/** True when a converted condition is truthy and does not fail. */
function holdsHere(text: string, scope: Scope): boolean {
  const compiled = compileExpression(text, agentRoots);
  if (!compiled.ok) throw new Error(`${text}: ${compiled.problems[0]?.message}`);
  try {
    return compiled.value.test(scope);
  } catch {
    return false;
  }
}

/** Removes stored None values read with a fallback: the converter documents that they count as missing. */
function asDocumented(source: string, states: readonly PythonContext[]): readonly PythonContext[] {
  if (!/context_obj, '[^']*', |\.get\('[^']*', /.test(source)) return states;
  const withoutNone = (_key: string, value: unknown): unknown => (value === null ? undefined : value);
  return states.map((state) => {
    const context = JSON.parse(JSON.stringify(state, withoutNone)) as PythonContext;
    return { ...context, state: { ...context.state, current_action: state.state['current_action'] ?? null } };
  });
}

describe('conditions of Python in CEL', () => {
  it('hold in exactly the same states', () => {
    fc.assert(
      fc.property(conditions, fc.array(contexts, { minLength: 6, maxLength: 6 }), (source, states) => {
        const converted = convert(source);
        // What grows too long or too deep is not converted, and says so.
        if (!converted.ok && /characters long|nested deeper/.test(converted.problem)) return;
        if (!converted.ok) throw new Error(`${source}: ${converted.problem}`);
        const node = parsePython(source);
        for (const state of asDocumented(source, states)) {
          const wanted = holdsInPython(node, state);
          if (holdsHere(converted.text, toScope(state)) !== wanted)
            throw new Error(`${source}\n${converted.text}\nis ${String(wanted)} in Python, in ${JSON.stringify(state)}`);
        }
      }),
      { numRuns: Number(process.env['RUNS'] ?? 3_000) },
    );
  });
});

const examples: readonly (readonly [python: string, cel: string])[] = [
  ['True', 'true'],
  ["v['state.current_action']", 'state.current_action'],
  ["not v['state.current_action']", '!state.current_action'],
  ["v['topic']", 'state.values.topic'],
  ["(v['state.flags.n'] or 0) > 2", 'default(flags.n, 0) > 2'],
  ["get_nested_value_from_context(context_obj, 'flags.n', 1) == 1", 'default(flags.n, 1) == 1'],
  [
    "any(item.get('source') == 'PRINCIPAL_COMPLETED' for item in get_nested_value_from_context(context_obj, 'state.inbox', []))",
    "state.inbox.exists(item, item.source == 'PRINCIPAL_COMPLETED')",
  ],
  [
    "all(m.get('status') == 'completed' for m in v['team.work_modules'].values())",
    "values(team.work_modules).all(m, m.status == 'completed')",
  ],
  ["len(v['state.messages']) > 1", 'size(state.messages) > 1'],
  ["context_obj.get('state', {}).get('current_action') is None", 'state.current_action == null'],
  ["context_obj['refs']['team']['work_modules']", 'team.work_modules'],
  ["v['_self.refs.run.meta.run_type'] == 'x'", "run.run_type == 'x'"],
  ["v['meta.assigned_role_name'] in ('a', 'b')", "meta.role_name in ['a', 'b']"],
  ["v['meta.module_description']", 'team.work_modules[meta.module_id].description'],
  ["v['state.current_action.query']", 'state.current_action.parameters.query'],
  ["v['principal.current_iteration_count'] > 1", 'principal.iteration > 1'],
  // What Python raises makes the condition false, also below `not` and in front of `or`.
  ["v['box']['n'] == 1", 'state.values.box.n == 1'],
  ["v['box']['n'] != 1", "'n' in state.values.box && state.values.box.n != 1"],
  ["not v['box']['n']", "'n' in state.values.box && !state.values.box.n"],
  ["not len(v['flags.list'])", 'flags.list != null && !size(flags.list)'],
  ["v['flags.n'] > 2 or v['flags.done']", 'flags.n > 2 ? true : flags.done'],
  ["0 < v['flags.n'] <= 3", '0 < flags.n && flags.n <= 3'],
  ["1 if v['flags.done'] else v['flags.n']", 'flags.done ? 1 : flags.n'],
  ["v['flags.n'] % 5 == 0", '(flags.n % 5 + 5) % 5 == 0'],
  ["v['flags.word'].strip().lower() == 'ok'", "lower(flags.word.trim()) == 'ok'"],
  ["'it''s' in v['flags.word']", "'its' in flags.word"],
  [String.raw`v['flags.word'] == "a'b\n"`, String.raw`flags.word == 'a\'b\n'`],
  ["v['flags.odd-name']", "flags['odd-name']"],
  [
    "len([m for m in v['state.messages'] if m.get('role') == 'user']) >= 3",
    "size(state.messages.filter(m, m.role == 'user')) >= 3",
  ],
  // A sum has no empty value: the fallback must not make a missing text look like a found one.
  [
    "(v['box']['n'] + 'a' or '').startswith('a')",
    "'n' in state.values.box && default(state.values.box.n + 'a', '').startsWith('a')",
  ],
  ["any(state.get('x') for state in v['flags.list'] or [])", 'flags.list.exists(state_2, state_2.x)'],
];

describe('one by one', () => {
  it.each(examples)('%s', (python, cel) => {
    expect(celOf(python)).toBe(cel);
  });

  it('behind a reply, the last message is the reply, also one that said nothing', () => {
    const source = "len((v['state.messages'] or [{}])[-1].get('content', '').strip()) == 0";
    expect(celOf(source, 'after_reply')).toBe('size(turn.reply.trim()) == 0');
    expect(celOf(source)).toBe(
      "size(join(state.messages[-1].content.filter(part, part.type in ['text', 'tool-result']).map(part, default(part.text, string(part.output.value))), '').trim()) == 0",
    );
  });

  it('lines are joined by a backslash, and inside brackets', () => {
    expect(celOf("v['flags.n'] and \\\n  (v['flags.m'] or\n   v['flags.done']) # why\n")).toBe(
      'flags.n && (flags.m || flags.done)',
    );
  });

  it.each([
    [
      "item['source'] == 'X'",
      'in Python, an item for which this raised an error ended the whole condition; in Cadre it is skipped',
      4,
    ],
    ["item.get('metadata', {}).get('id') == 1", 'inbox items have no metadata in Cadre: put a mark into the payload', 13],
  ])('says what means another thing: any(%s …)', (body, message, start) => {
    const converted = convert(`any(${body} for item in v['state.inbox'])`);
    expect(converted).toMatchObject({ ok: true, notes: [{ message, start }] });
  });
});

const problems: readonly (readonly [python: string, problem: string, at: number])[] = [
  ['', 'the condition is empty', 0],
  ["v['flags.n'] >", 'unexpected the end', 14],
  ['lambda: 1', 'unexpected `lambda`', 0],
  ["v['flags.n'] ** 2 > 1", 'unexpected `**`', 13],
  ["v['flags.n']\nand True", 'a line break outside brackets ends a Python expression', 12],
  ["f'{x}' == 'a'", "f'…' is a formatted text", 0],
  ["'never closed", 'the text is never closed', 0],
  ['foo > 1', 'unknown name `foo`', 0],
  ["open('/etc/passwd')", 'the function open()', 0],
  ["__import__('os').system('x')", 'the function __import__()', 0],
  ['().__class__.__bases__', '.__bases__ of a value', 0],
  ["v['flags.list'].sort()", 'the method .sort()', 0],
  ["v['config.agent_profiles_store']", 'conditions cannot read the configuration of a run', 2],
  ["v['team.turns']", 'the team has no list of turns', 2],
  ["v['meta.colour']", "meta has no field 'colour' in Cadre", 2],
  ["v['flags.n'] is 3", '`is` between values', 16],
  ["v['state.messages'][-1].get('tokens')", "messages have no 'tokens' in Cadre", 28],
  ["v[v['flags.word']]", 'a computed path', 2],
  ["any(a == b for a in v['flags.list'] for b in v['flags.list'])", 'a loop in a loop', 36],
  ['x := 3', 'unexpected `:=`', 2],
  ["v['state.messages'][::2]", 'a slice with a step', 21],
  ['9007199254740993 == 1', 'the number 9007199254740993 cannot be represented exactly', 0],
  [`${'('.repeat(60)}1${')'.repeat(60)}`, 'nested deeper than 48 levels', 48],
  ["v['flags.n'] and ".repeat(600) + 'True', 'the condition has 10204 characters, the limit is 8000', 0],
];

describe('what is not converted', () => {
  it.each(problems)('%s', (python, problem, start) => {
    expect(convert(python)).toMatchObject({ ok: false, problem, start });
  });

  it('comes with a hint', () => {
    const hints = problems.map(([python]) => convert(python)).map((converted) => (converted.ok ? '' : converted.hint));
    expect(hints.filter((hint) => hint.trim() === '')).toEqual([]);
  });

  it('garbage is refused, never converted to something else, and never throws', () => {
    const signs = fc.constantFrom(
      ..."v['flags.n'] and or not ( ) [ ] { } , . : = == ! < \\ \n ' \" # 1 x if else for in lambda".split(' '),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(signs).map((parts) => parts.join(' ')),
        ),
        (source) => {
          const converted = convert(source);
          if (converted.ok) expect(compileExpression(converted.text, agentRoots).ok).toBe(true);
        },
      ),
      { numRuns: 600 },
    );
  });
});

/** Reads cases from stdin, one JSON text, and prints whether each condition holds: what the evaluator of these tests is held against. */
const pythonProgram = `
import json, re, sys

def read(path, context, fallback=None):
    roots = {'state': context['state'], 'meta': context['meta'], 'team': context['refs']['team'],
             'run': context['refs']['run']['meta'], 'flags': context['state']['flags'], 'initial_params': None}
    steps = [s for part in re.split(r'\\.(?![^\\[]*\\])', path) for s in re.split(r'(?=\\[)', part)]
    at = roots[steps[0]] if steps[0] in roots else context['state']
    for step in steps[1:] if steps[0] in roots else steps:
        index = re.fullmatch(r'\\[(-?\\d+)\\]', step)
        try:
            at = at[int(index.group(1))] if index else at[step]
        except (KeyError, IndexError, TypeError):
            return fallback
    return at

class Accessor:
    def __init__(self, context): self.context = context
    def __getitem__(self, path):
        if not isinstance(path, str): raise TypeError()
        return read(path, self.context)

def holds(source, context):
    names = {'v': Accessor(context), 'context_obj': context, 'any': any, 'all': all, 'len': len, 'str': str, 'int': int, 'sum': sum,
             'get_nested_value_from_context': lambda ctx, path, fallback=None: read(path, ctx, fallback), '__builtins__': {}}
    try:
        return bool(eval(source, names))
    except Exception:
        return False

print(json.dumps([[holds(source, state) for state in states] for source, states in json.load(sys.stdin)]))
`;

const python = spawnSync('python3', ['-c', 'print(1)']).status === 0 ? 'python3' : undefined;

describe('the evaluator of these tests', () => {
  it.runIf(python !== undefined)('agrees with Python itself', () => {
    const states = fc.array(contexts, { minLength: 4, maxLength: 4 });
    const cases = fc.sample(fc.tuple(conditions, states), { numRuns: 400, seed: 7 });
    const output = execFileSync(python ?? '', ['-W', 'ignore', '-c', pythonProgram], {
      input: JSON.stringify(cases),
      encoding: 'utf8',
    });
    const results = JSON.parse(output) as readonly (readonly boolean[])[];
    for (const [at, [source, contextsOfCase]] of cases.entries()) {
      const node = parsePython(source);
      expect({ source, holds: contextsOfCase.map((context) => holdsInPython(node, context)) }).toEqual({
        source,
        holds: results[at],
      });
    }
    // A test that compares nothing but false would hold anything to be right.
    expect(results.flat().filter(Boolean).length).toBeGreaterThan(150);
  });
});
