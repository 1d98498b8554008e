import { describe, expect, it } from 'vitest';

import type { JsonObject } from '../../src/core/json.ts';
import { compileScript, type ScriptAnswer } from '../../src/core/model/script.ts';

const view = {
  system: 'You are a clerk.',
  messages: [{ role: 'user', text: 'Find tea', tool_calls: [], tool_results: [] }],
  last: { role: 'user', text: 'Find tea', tool_calls: [], tool_results: [] },
  first_user: 'Find tea',
  last_user: 'Find tea',
  user_texts: ['Find tea'],
  tools: ['search', 'write'],
  calls: [],
  call_names: [],
  tool_results: [
    {
      tool: 'search',
      text: '{"hits":[{"id":1},{"id":2}]}',
      is_error: false,
      data: { hits: [{ id: 1 }, { id: 2 }] },
      call_args: {},
    },
  ],
  last_results: [],
  turn: 1,
};

function answer(source: JsonObject, fields: object = {}): ScriptAnswer {
  const compiled = compileScript(source);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.script.answer({ ...view, ...fields });
}

const problemsOf = (source: JsonObject) => {
  const compiled = compileScript(source);
  return compiled.ok ? [] : compiled.problems.map(({ path, message, hint }) => [path.join('.'), message, hint]);
};

describe('a script', () => {
  it('answers with the first rule that holds', () => {
    const rules = [
      { id: 'later', when: 'turn > 1', reply: 'again' },
      { id: 'now', when: '"search" in tools', reply: { text: 'You said: {{ last_user }}', reasoning: 'turn {{ turn }}' } },
      { id: 'always', reply: 'never reached' },
    ];
    expect(answer({ rules })).toEqual({ kind: 'reply', rule: 'now', text: 'You said: Find tea', reasoning: 'turn 1', calls: [] });
    expect(answer({ rules }, { turn: 2 })).toMatchObject({ rule: 'later', text: 'again' });
  });

  it('falls back to "otherwise", or says which rules it tried', () => {
    const rules = [
      { id: 'a', when: 'turn == 7', reply: 'x' },
      { id: 'b', when: 'last.text > 3', reply: 'x' },
      { when: false, reply: 'x' },
    ];
    expect(answer({ rules, otherwise: 'I do not know.' })).toMatchObject({ rule: 'otherwise', text: 'I do not know.' });
    const failed = answer({ rules });
    expect(failed).toMatchObject({ kind: 'failure', message: expect.stringContaining('a, b (its condition failed: ') });
    expect(failed).toMatchObject({ message: expect.stringContaining('rule 3') });
    expect(answer({ rules: [] })).toMatchObject({ kind: 'failure', message: expect.stringContaining('it has none') });
  });

  it('fails in the words of a reply that says there is none, and says nothing else then', () => {
    const rules = [{ id: 'broken', when: 'turn == 1', reply: { fail: 'No documents for {{ last_user }}.' } }];
    expect(answer({ rules })).toEqual({ kind: 'failure', message: 'No documents for Find tea.' });
    expect(answer({ rules: [], otherwise: { fail: 'No model.' } })).toEqual({ kind: 'failure', message: 'No model.' });
    expect(problemsOf({ rules: [{ reply: { fail: 'x', text: 'y' } }] })).toEqual([
      ['rules.0.reply.fail', 'a reply with `fail` has no other keys', undefined],
    ]);
  });

  it('builds arguments of any shape, keeping the type of a value that is one expression', () => {
    const call = {
      tool: 'write',
      args: {
        n: '{{ turn }}',
        text: 'turn {{ turn }}',
        hits: '{{ tool_results[0].data.hits }}',
        deep: [{ ok: '{{ turn == 1 }}' }, 3, null],
      },
    };
    expect(answer({ rules: [{ reply: { tool_calls: [call] } }] })).toMatchObject({
      calls: [{ tool: 'write', args: { n: 1, text: 'turn 1', hits: [{ id: 1 }, { id: 2 }], deep: [{ ok: true }, 3, null] } }],
    });
  });

  it('makes one call per element of a list, and leaves out those whose condition does not hold', () => {
    const call = {
      for_each: 'tool_results[0].data.hits',
      as: 'hit',
      when: 'hit.id > 1 || turn == 2',
      tool: '{{ tools[0] }}',
      args: { id: '{{ hit.id }}' },
    };
    const script = { rules: [{ reply: { tool_calls: [call, { tool: 'write', when: 'turn == 2', args: {} }] } }] };
    expect(answer(script)).toMatchObject({ calls: [{ tool: 'search', args: { id: 2 } }] });
    expect(answer(script, { turn: 2 })).toMatchObject({ calls: [{ args: { id: 1 } }, { args: { id: 2 } }, { tool: 'write' }] });
    expect(answer({ rules: [{ reply: { tool_calls: [{ for_each: 'last_results[0].data', tool: 't' }] } }] })).toMatchObject({
      calls: [],
    });
  });

  it('says which rule could not build its reply', () => {
    const script = { rules: [{ id: 'greedy', reply: { tool_calls: [{ for_each: 'turn', tool: 't' }] } }] };
    expect(answer(script)).toEqual({
      kind: 'failure',
      message: `The reply of the script's rule "greedy" cannot be built: TypeError: for_each needs a list`,
    });
  });
});

describe('the values of a script', () => {
  it('see those before them, in the script and in its rules', () => {
    const script = {
      let: { topic: '{{ last_user }}', loud: '{{ vars.topic }}!' },
      rules: [
        { id: 'one', when: 'vars.loud == "nothing"', let: { mine: 'a {{ vars.loud }}' }, reply: '{{ vars.mine }}' },
        { id: 'two', let: { mine: 'b {{ vars.loud }}' }, reply: '{{ vars.mine }}' },
      ],
    };
    expect(answer(script)).toMatchObject({ rule: 'two', text: 'b Find tea!' });
  });

  it('are computed once, and only when they are read', () => {
    let reads = 0;
    const script = {
      let: { unused: '{{ last_user }}', topic: '{{ first_user }}' },
      rules: [{ when: 'vars.topic == vars.topic', reply: '{{ vars.topic }}' }],
    };
    const counting = {
      get first_user() {
        reads += 1;
        return 'tea';
      },
      get last_user(): string {
        throw new Error('must not be read');
      },
    };
    const compiled = compileScript(script);
    const scope = Object.defineProperties({ ...view }, Object.getOwnPropertyDescriptors(counting));
    expect(compiled.ok && compiled.script.answer(scope)).toMatchObject({ text: 'tea' });
    expect(reads).toBe(1);
  });

  it('that fail make the condition that reads them fail, not the script', () => {
    const script = {
      let: { bad: '{{ last.text > 3 }}' },
      rules: [
        { id: 'a', when: 'vars.bad', reply: 'x' },
        { id: 'b', reply: 'y' },
      ],
    };
    expect(answer(script)).toMatchObject({ rule: 'b' });
  });
});

describe('the problems of a script', () => {
  it('are all reported, each with its path', () => {
    const problems = problemsOf({
      lets: {},
      let: { 'a-b': 1, ok: '{{ vars.later }}', later: '{{ turn }}' },
      rules: [
        { id: 'x', when: 'turm == 1', reply: { txt: 'a' } },
        {
          id: 'x',
          when: 3,
          reply: {
            text: 5,
            tool_calls: [{ args: {} }, { tool: 't', as: 'i' }, { tool: 't', for_each: 'tools', as: 'turn' }, 'call'],
          },
        },
        { id: 'y', let: { later: 1 } },
        'rule',
      ],
      otherwise: 7,
    });
    const paths = problems.map(([path]) => path);
    for (const path of [
      'lets',
      'let.a-b',
      'let.ok',
      'rules.0.when',
      'rules.0.reply.txt',
      'rules.1.id',
      'rules.1.when',
      'rules.1.reply.text',
    ])
      expect(paths).toContain(path);
    for (const path of [
      'rules.1.reply.tool_calls.0',
      'rules.1.reply.tool_calls.1.as',
      'rules.1.reply.tool_calls.2.as',
      'rules.1.reply.tool_calls.3',
    ])
      expect(paths).toContain(path);
    for (const path of ['rules.2.let.later', 'rules.2', 'rules.3', 'otherwise']) expect(paths).toContain(path);
    expect(problems).toContainEqual([
      'lets',
      '"lets" is not known here; allowed: name, description, let, rules, otherwise',
      'did you mean "let"?',
    ]);
  });

  it('in an expression have its place in the text', () => {
    const compiled = compileScript({ rules: [{ when: 'turn == 1 && turm == 2', reply: 'Dear {{ nobody }}' }] });
    const places = compiled.ok ? [] : compiled.problems.map(({ path, start, end }) => [path.join('.'), start, end]);
    expect(places).toEqual([
      ['rules.0.when', 13, 17],
      ['rules.0.reply', 8, 14],
    ]);
  });

  it('include a list of rules that is missing', () => {
    expect(problemsOf({})).toMatchObject([['rules', 'a script needs a list of rules', expect.stringContaining('rules:')]]);
  });
});
