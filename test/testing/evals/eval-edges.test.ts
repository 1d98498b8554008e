import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/index.ts';
import type { ScriptedReply } from '../../../src/models/scripted/scripted-reply.ts';
import { folderCode } from '../../../src/engine/toolsets/folder-code.ts';
import { codeCheck } from '../../../src/testing/evals/checks/code-check.ts';
import type { EvalSubject } from '../../../src/testing/evals/checks/eval-check.ts';
import { checkComparable, compareWithBaseline, readBaseline } from '../../../src/testing/evals/score/baseline.ts';
import { readSuite } from '../../../src/testing/evals/suite/read-suite.ts';
import {
  bisectEval,
  EvalRecording,
  runEval,
  scriptedModel,
  type EvalOptions,
  type ScriptedRequest,
} from '../../../src/testing/index.ts';

const clerk = (rest: string): string => `name: Clerk\ntype: partner\nllm_config_ref: m\ninstructions: Answer in one word.\n${rest}`;
const once = clerk('flow_decider: [{ id: answered, action: { type: end_agent_turn, outcome: success } }]\n');
const talks = clerk('flow_decider: [{ id: talk, action: { type: await_user_input } }]\n');
const config = (name: string, more = ''): string =>
  `type: llm_config\nname: ${name}\nconfig: { provider: openai, model: ${name}${more} }\n`;

let folder = '';
let answer: (request: ScriptedRequest) => ScriptedReply | string | Promise<ScriptedReply | string> = () => 'yes';
let asked: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cadre-eval-edges-'));
  await put('agent_profiles/Clerk.yaml', once);
  await put('agent_profiles/m.yaml', config('m'));
  await put('agent_profiles/judge.yaml', config('judge'));
  asked = [];
  answer = () => 'yes';
});

afterEach(async () => await rm(folder, { recursive: true, force: true }));

async function put(name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

/** Makes the model of the clerk a script that says yes. */
async function putScripted(): Promise<void> {
  await put(
    'agent_profiles/llm_configs/m.yaml',
    'type: llm_config\nname: m\nconfig: { provider: scripted, model: m, script: scripts/m.yaml }\n',
  );
  await rm(path.join(folder, 'agent_profiles/m.yaml'));
  await put('agent_profiles/scripts/m.yaml', "name: m\nrules: [{ id: yes, when: 'true', reply: 'yes' }]\n");
}

const isJudge = (request: ScriptedRequest): boolean => JSON.stringify(request.prompt).includes('You score the output');
const scored = '{"reason":"r","score":1}';

function options(): Pick<EvalOptions, 'open' | 'profiles'> {
  return {
    profiles: path.join(folder, 'agent_profiles'),
    open: async (profiles, replay) => {
      const model = scriptedModel(async (request) => {
        asked.push(isJudge(request) ? 'judge' : JSON.stringify(request.prompt.at(-1)?.content ?? ''));
        const said = await answer(request);
        return typeof said === 'string' ? { text: said } : said;
      });
      const store = path.join(folder, 'journal.db');
      return await createEngine({ profiles, models: { '*': model }, store, env: {}, ...(replay === undefined ? {} : { replay }) });
    },
  };
}

async function evaluate(suite: string, more: Partial<EvalOptions> = {}): ReturnType<typeof runEval> {
  return await runEval(await put('x.eval.yaml', suite), { ...options(), ...more });
}

const statuses = ({ results }: Awaited<ReturnType<typeof runEval>>): readonly string[] => results.map(({ status }) => status);
const one = 'cases: [{ name: a, input: one }]\n';
const two = 'cases: [{ name: a, input: one }, { name: b, input: two }]\n';

describe('a budget', () => {
  const talk = (budget: string): string =>
    `concurrency: 1\nbudget: { ${budget} }\nchecks: [{ contains: "yes" }]\ncases: [{ name: a, input: one, people: [{ say: two }, { say: three }] }, { name: b, input: x }]\n`;

  it('that is used up asks no model again, however often the command is given', async () => {
    await put('agent_profiles/Clerk.yaml', talks);
    answer = () => ({ text: 'yes', usage: { inputTokens: 60, outputTokens: 0 } });
    for (let time = 0; time < 3; time += 1)
      expect([statuses(await evaluate(talk('tokens: 100'))), asked.length]).toEqual([['unfinished', 'unfinished'], 2]);
    expect([statuses(await evaluate(talk('tokens: 1000'))), asked.length]).toEqual([['passed', 'passed'], 4]);
  });

  it('in dollars stops a run where it is: it does not fail at a limit of its own, and goes on with a larger budget', async () => {
    await put('agent_profiles/Clerk.yaml', talks);
    await put('agent_profiles/m.yaml', config('m', ', price: { input: 10000, output: 0 }'));
    answer = () => ({ text: 'yes', usage: { inputTokens: 60, outputTokens: 0 } });
    const first = await evaluate(talk('cost_usd: 1'));
    expect([first.stopped, statuses(first), asked.length]).toEqual(['budget', ['unfinished', 'unfinished'], 2]);
    expect(statuses(await evaluate(talk('cost_usd: 10')))).toEqual(['passed', 'passed']);
  });

  it('in dollars needs prices, of judges too', async () => {
    const open: EvalOptions['open'] = async (profiles) =>
      await createEngine({ profiles, store: path.join(folder, 'journal.db'), env: { OPENAI_API_KEY: 'k' } });
    await expect(evaluate(`budget: { cost_usd: 1 }\nchecks: [{ contains: "yes" }]\n${one}`, { open })).rejects.toThrow(
      /a · profiles: a limit or budget in US dollars cannot be held: .*there is no price for/,
    );
    await putScripted();
    await expect(
      evaluate(`budget: { cost_usd: 1 }\njudge: { llm: judge }\nchecks: [{ judge: fine }]\n${one}`, { open }),
    ).rejects.toThrow(/there is no price for .*LLM config 'judge'/);
  });

  it('that the last run uses up has stopped nothing', async () => {
    answer = () => ({ text: 'yes', usage: { inputTokens: 60, outputTokens: 0 } });
    const report = await evaluate(`budget: { tokens: 50 }\nchecks: [{ contains: "yes" }]\n${one}`);
    expect([report.stopped, statuses(report)]).toEqual([undefined, ['passed']]);
  });
});

it('two evals of one suite at the same time share the runs: none is made twice, and both end', async () => {
  answer = async (request) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return isJudge(request) ? scored : 'yes';
  };
  const cases = Array.from({ length: 5 }, (_, index) => `  - { name: c${index}, input: i${index} }\n`).join('');
  const file = await put('x.eval.yaml', `judge: { llm: judge }\nchecks: [{ contains: "yes" }, { judge: fine }]\ncases:\n${cases}`);
  const reports = await Promise.all([runEval(file, options()), runEval(file, options())]);
  for (const report of reports) expect(statuses(report)).toEqual(Array.from({ length: 5 }, () => 'passed'));
  expect(asked).toHaveLength(10);
});

describe('an eval that is interrupted', () => {
  it('before its first run reports that nothing was run', async () => {
    const stop = new AbortController();
    const cases = Array.from({ length: 40 }, (_, index) => `  - { name: c${index}, input: one }\n`).join('');
    const open = options().open;
    const opening: EvalOptions['open'] = async (...given) => {
      const engine = await open(...given);
      const runs = engine.runs.bind(engine);
      // While the journal is read for the plan.
      return Object.assign(engine, {
        runs: async (...asking: Parameters<typeof runs>) => {
          stop.abort();
          return await runs(...asking);
        },
      });
    };
    const report = await evaluate(`checks: [{ contains: "yes" }]\ncases:\n${cases}`, { open: opening, signal: stop.signal });
    expect([report.stopped, new Set(statuses(report))]).toEqual(['interrupted', new Set(['unfinished'])]);
    expect(asked).toEqual([]);
  });

  it('before a bisection asks no model', async () => {
    await put('good/Clerk.yaml', once.replace('one word', 'two words'));
    for (const name of ['m', 'judge']) await put(`good/${name}.yaml`, config(name));
    const file = await put('x.eval.yaml', `checks: [{ contains: "yes" }]\n${one}`);
    const signal = AbortSignal.abort();
    await expect(bisectEval(file, { ...options(), good: path.join(folder, 'good'), signal })).rejects.toThrow(
      /the bisection was interrupted/,
    );
    expect(asked).toEqual([]);
  });
});

describe('a judge', () => {
  const judged = (checks: string): string => `judge: { llm: judge }\nchecks: [${checks}]\n${one}`;

  it('is not asked again when checks are written before it, and equal judges are asked each', async () => {
    answer = (request) => (isJudge(request) ? scored : 'yes');
    await evaluate(judged('{ judge: fine }'));
    await evaluate(judged('{ contains: "yes" }, { judge: fine }'));
    expect(asked.filter((who) => who === 'judge')).toHaveLength(1);
    await evaluate(judged('{ judge: other }, { judge: fine }, { judge: fine }'));
    expect(asked.filter((who) => who === 'judge')).toHaveLength(3);
  });

  it('whose answer was not recorded is named before anything is replayed', async () => {
    answer = (request) => (isJudge(request) ? scored : 'yes');
    const record = new EvalRecording(path.join(folder, 'recording.json'));
    await evaluate(judged('{ judge: fine }'), { record });
    await record.write();
    await rm(path.join(folder, 'journal.db'));
    const replay = await EvalRecording.read(record.source);
    const results: unknown[] = [];
    await expect(evaluate(judged('{ judge: other }'), { replay, onResult: (result) => results.push(result) })).rejects.toThrow(
      /has no run 'a · profiles · 1 · judge [0-9a-f]{8}'/,
    );
    expect(results).toEqual([]);
    expect(statuses(await evaluate(judged('{ contains: "yes" }, { judge: fine }'), { replay }))).toEqual(['passed']);
  });

  it('that is no script leaves its verdicts to chance, whatever the variant', async () => {
    await putScripted();
    answer = () => scored;
    const isCertain = async (suite: string): Promise<unknown> => (await evaluate(suite)).variants[0]?.isDeterministic;
    expect(await isCertain(`checks: [{ contains: "yes" }]\n${one}`)).toBe(true);
    expect(await isCertain(judged('{ judge: fine }'))).toBe(false);
  });
});

it('a recording of other profiles leaves nothing behind that a real run would find', async () => {
  const suite = `checks: [{ contains: "yes" }]\n${one}`;
  const record = new EvalRecording(path.join(folder, 'recording.json'));
  await evaluate(suite, { record });
  await record.write();
  await put('agent_profiles/Clerk.yaml', once.replace('one word', 'two words'));
  const replay = await EvalRecording.read(record.source);
  expect(statuses(await evaluate(suite, { replay }))).toEqual(['error']);
  expect(statuses(await evaluate(suite))).toEqual(['passed']);
});

describe('names', () => {
  it.each([
    ['of many emoji', JSON.stringify('🦊'.repeat(120))],
    ['of two lines', JSON.stringify('a\u001B[31m\nb')],
  ])('%s are fine for suites and cases', async (_, name) => {
    expect(
      statuses(await evaluate(`name: ${name}\nchecks: [{ contains: "yes" }]\ncases: [{ name: ${name}, input: x }]\n`)),
    ).toEqual(['passed']);
  });

  it('of the case and variant are in the error of a launch', async () => {
    await expect(evaluate('checks: [{ contains: x }]\ncases: [{ name: odd, input: [1] }]\n')).rejects.toThrow(
      /^odd · profiles: launch: input\[0\] is no content part/,
    );
  });
});

describe('the price of an eval', () => {
  const suite = 'judge: { llm: judge }\nchecks: [{ judge: fine }]\ncases: [{ name: a, input: one }]\n';

  it('is known from earlier runs with other profiles, of chats that wait for their user too, judges included', async () => {
    await put('agent_profiles/Clerk.yaml', talks);
    const price = ', price: { input: 10000, output: 0 }';
    await put('agent_profiles/m.yaml', config('m', price));
    await put('agent_profiles/judge.yaml', config('judge', price));
    answer = (request) => ({
      text: isJudge(request) ? scored : 'yes',
      usage: { inputTokens: isJudge(request) ? 50 : 100, outputTokens: 0 },
    });
    const plans: unknown[] = [];
    const onPlan: EvalOptions['onPlan'] = ({ estimate: { costUsd, known, unknown } }) => plans.push([costUsd, known, unknown]) > 0;
    await evaluate(suite, { onPlan });
    await put('agent_profiles/Clerk.yaml', talks.replace('one word', 'two words'));
    await evaluate(`repeats: 2\nvariants: { x: {}, profiles: {} }\n${suite}`, { onPlan });
    expect(plans).toEqual([
      [null, 0, 1],
      [6, 4, 0],
    ]);
  });
});

describe('a team with another model for all of its profiles', () => {
  it('is not taken for scripted because its profiles are: a drop may be chance', async () => {
    await putScripted();
    await put('agent_profiles/team.yaml', 'type: team\nname: mine\nllm: judge\n');
    expect((await evaluate(`checks: [{ contains: "yes" }]\n${one}`)).variants[0]?.isDeterministic).toBe(false);
    await put('agent_profiles/team.yaml', 'type: team\nname: mine\n');
    expect((await evaluate(`checks: [{ contains: "yes" }]\n${one}`)).variants[0]?.isDeterministic).toBe(true);
  });
});

describe('checks', () => {
  it.each(['contains', 'lacks'])('%s: a text that is empty, as of a misspelt variable, is an error', async (kind) => {
    const report = await evaluate(`checks: [{ ${kind}: "{{ vars.typo }}" }]\n${one}`);
    expect(report.results[0]).toMatchObject({
      status: 'error',
      checks: [{ reason: expect.stringMatching(/a text to look for is empty; is a variable/) }],
    });
  });

  it.each([
    ['answer', 'export default () => new Promise(() => {})\n'],
    ['are ready', 'await new Promise(() => {});\nexport default () => true\n'],
  ])('in code that never %s are errors after a while', async (_what, text) => {
    const file = await put('check.mjs', text);
    const subject = { facts: { output: 'yes' } } as unknown as EvalSubject;
    const tools = { judge: async () => await Promise.reject(new Error('not asked')) };
    expect(await codeCheck(folderCode(path.dirname(file), path.basename(file)), './check.mjs', 30)(subject, tools)).toMatchObject({
      verdict: 'error',
      reason: './check.mjs did not answer within 0.03 seconds',
    });
  });

  it('of a huge output keep their results short: the report has it once', async () => {
    answer = () => 'line\n'.repeat(100_000);
    const report = await evaluate(`checks: [{ equals: q }, { contains: q }, { matches: q }, { cel: output == 'q' }]\n${one}`);
    expect(report.results[0]?.output.length).toBeGreaterThan(499_000);
    expect(JSON.stringify(report.results[0]?.checks).length).toBeLessThan(30_000);
    expect(report.results[0]?.checks[0]?.actual).toMatch(/… \(499999 characters\)$/);
  });

  it('with a mistake are not also said to be missing', async () => {
    const thrown: unknown = await evaluate(`checks: [{ matches: "(" }]\n${one}`).catch((error: unknown) => error);
    expect(String(thrown)).toContain('has 1 error:');
  });
});

describe('a baseline', () => {
  const of = async (results: readonly object[]): Promise<string> =>
    await put('b.json', JSON.stringify({ format: 'cadre-eval/1', results }));
  const passed = { variant: 'profiles', case: 'a', status: 'passed' };

  it('with a status that no report has is refused', async () => {
    await expect(readBaseline(await of([{ ...passed, status: 'PASSED' }]))).rejects.toThrow(/is no report of an eval/);
  });

  it('of another suite is refused', async () => {
    const suite = await readSuite(await put('x.eval.yaml', `checks: [{ contains: "yes" }]\n${two}`));
    const check = async (results: readonly object[]): Promise<void> =>
      checkComparable(await readBaseline(await of(results)), suite);
    await check([passed]);
    await check([{ ...passed, variant: 'other' }]);
    await expect(check([{ ...passed, case: 'zz' }])).rejects.toThrow(
      /has finished runs of none of these cases and variants of x; it has: zz · profiles/,
    );
    await expect(check([{ ...passed, status: 'unfinished' }])).rejects.toThrow(/has finished runs of none/);
    const report = await evaluate(`checks: [{ contains: "yes" }]\n${two}`);
    const compared = compareWithBaseline(report, await readBaseline(await of([{ ...passed, case: 'zz' }])));
    expect([compared.variants, compared.onlyAfter]).toEqual([[], ['a', 'b']]);
  });
});

describe('a bisection', () => {
  it('keeps the files of a team that it includes, and judges a change by its kind wherever its file lies', async () => {
    const including = 'type: team\nname: mine\nincludes: [../other]\n';
    await put('other/team.yaml', 'type: team\nname: other\n');
    await put('other/Helper.yaml', 'name: Helper\ntype: associate\nllm_config_ref: m\ninstructions: You help.\n');
    for (const name of ['good', 'agent_profiles']) {
      await put(`${name}/team.yaml`, including);
      await put(`${name}/Clerk.yaml`, once);
      await put(`${name}/judge.yaml`, config('judge'));
      await put(`${name}/m.yaml`, config('m', name === 'good' ? ', temperature: 0.1' : ', temperature: 0.9'));
    }
    answer = ({ temperature }) => (temperature === 0.1 ? 'yes' : 'no');
    const file = await put(
      'x.eval.yaml',
      `checks: [{ equals: "yes" }]\ncases: [{ name: a, input: one }, { name: ab, input: one }]\n`,
    );
    const found = await bisectEval(file, { ...options(), good: path.join(folder, 'good'), filter: 'a' });
    expect(found).toMatchObject({
      case: 'a',
      changes: 1,
      relevant: 1,
      change: { path: 'agent_profiles/m.yaml', line: 3 },
      isAlone: true,
    });
  });

  it('takes judges from the profiles of the suite, as the eval does, and line ends for no change', async () => {
    answer = (request) => {
      const text = JSON.stringify(request.prompt);
      if (isJudge(request)) return text.includes('yes') ? scored : '{"reason":"r","score":0}';
      return text.includes('one word') ? 'yes' : 'no';
    };
    for (const at of ['good', 'v']) await put(`${at}/m.yaml`, config('m'));
    await put('good/Clerk.yaml', once);
    await put('v/Clerk.yaml', once.replace('one word', 'prose').replaceAll('\n', '\r\n'));
    const suite = `judge: { llm: judge }\nvariants: { v: { profiles: v } }\nchecks: [{ judge: short }]\n${one}`;
    const file = await put('x.eval.yaml', suite);
    const found = await bisectEval(file, { ...options(), good: path.join(folder, 'good') });
    expect(found).toMatchObject({ changes: 1, change: { path: 'v/Clerk.yaml', line: 4 }, isAlone: true });
    expect(await readFile(file, 'utf8')).toBe(suite);
    await expect(evaluate(suite.replace('llm: judge', 'llm: judg'))).rejects.toThrow(/did you mean `judge`/);
  });
});
