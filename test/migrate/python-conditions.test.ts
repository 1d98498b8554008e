import { execFileSync, spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentRoots } from '../../src/core/expression/agent-roots.ts';
import { compileExpression, type Scope } from '../../src/core/expression/expression.ts';
import { convertCondition, type ConvertedCondition } from '../../src/migrate/python/convert-condition.ts';
import { parsePython } from '../../src/migrate/python/parse-python.ts';
import { conditions, contexts, ownState, toScope } from './python-arbitrary.ts';
import { holdsInPython, type PythonContext } from './python-evaluator.ts';

const convert = (source: string, phase: 'before_reply' | 'after_reply' = 'before_reply'): ConvertedCondition =>
  convertCondition(source, { phase, ownState, roots: agentRoots });

function celOf(source: string, phase?: 'before_reply' | 'after_reply'): string {
  const converted = convert(source, phase);
  if (!converted.ok) throw new Error(`${source}: ${converted.problem}`);
  return converted.text;
}

/** Whether a condition of this system holds: truthy, and it did not fail. */
function holdsHere(text: string, scope: Scope): boolean {
  const compiled = compileExpression(text, agentRoots);
  if (!compiled.ok) throw new Error(`${text}: ${compiled.problems[0]?.message}`);
  try {
    return compiled.value.test(scope);
  } catch {
    return false;
  }
}

/** What is stored as None counts as missing where there is a fallback, which is documented: there the data have none. */
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
        if (!converted.ok) throw new Error(`${source}: ${converted.problem}`);
        const node = parsePython(source);
        for (const state of asDocumented(source, states)) {
          const wanted = holdsInPython(node, state);
          if (holdsHere(converted.text, toScope(state)) !== wanted)
            throw new Error(`${source}\n${converted.text}\nis ${String(wanted)} in Python, in ${JSON.stringify(state)}`);
        }
      }),
      { numRuns: Number(process.env["RUNS"] ?? 3_000) },
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
    const cases = fc.sample(fc.tuple(conditions, states), { numRuns: 1_500, seed: 7 });
    const output = execFileSync(python ?? '', ['-c', pythonProgram], { input: JSON.stringify(cases), encoding: 'utf8' });
    const told = JSON.parse(output) as readonly (readonly boolean[])[];
    for (const [at, [source, contextsOfCase]] of cases.entries()) {
      const node = parsePython(source);
      expect({ source, holds: contextsOfCase.map((context) => holdsInPython(node, context)) }).toEqual({ source, holds: told[at] });
    }
    // A test that compares nothing but false would hold anything to be right.
    expect(told.flat().filter(Boolean).length).toBeGreaterThan(500);
  });
});
