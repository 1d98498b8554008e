import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startChatModel } from './chat-model.ts';
import { runCli, startForTest, temporaryFolder } from './cli-process.ts';

const script = (rules: string, otherwise: string): string => `name: x\nrules:\n${rules}otherwise: '${otherwise}'\n`;
const rule = (when: string, reply: string): string => `  - { when: "${when}", reply: '${reply}' }\n`;

/** A clerk for capitals, two scripted models, a scripted judge, and a suite of three cases. */
async function project(): Promise<string> {
  const cwd = await temporaryFolder();
  const config = (name: string): string =>
    `type: llm_config\nname: ${name}\nconfig: { provider: scripted, model: ${name}, script: scripts/${name}.yaml }\n`;
  const files: Readonly<Record<string, string>> = {
    'agent_profiles/profiles/Clerk.yaml': clerk,
    ...Object.fromEntries(['good', 'bad', 'judge'].map((name) => [`agent_profiles/llm_configs/${name}.yaml`, config(name)])),
    'agent_profiles/scripts/good.yaml': script(
      rule("last_user.contains('France') && system.contains('city only')", 'Paris') +
        rule("last_user.contains('France')", 'The capital is Paris.'),
      'Rome',
    ),
    'agent_profiles/scripts/bad.yaml': script(rule("last_user.contains('France')", 'Lyon'), 'Rome'),
    'agent_profiles/scripts/judge.yaml': script(
      rule("last_user.contains('Lyon')", '{"reason":"Lyon is no capital.","score":0}'),
      '{"reason":"A capital.","score":1}',
    ),
    'capitals.eval.yaml': suite,
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(cwd, name)), { recursive: true });
    await writeFile(path.join(cwd, name), text);
  }
  return cwd;
}

const clerk = `name: Clerk
type: partner
llm_config_ref: good
instructions: |
  You answer questions about capitals.
  Answer with the name of the city only.
flow_decider:
  - { id: answered, action: { type: end_agent_turn, outcome: success } }
`;

const suite = `name: capitals
judge: { llm: judge }
variants: { good: { llm: good }, bad: { llm: bad } }
checks:
  - cel: run.turns <= 2
  - judge: The output names the capital.
cases:
  - { name: France, input: What is the capital of France?, checks: [{ equals: Paris }] }
  - { name: Italy, input: What is the capital of Italy?, checks: [{ matches: "^R" }] }
  - { name: Polite, input: What is the capital of Italy then?, checks: [{ expect: { turns: 1, outcome: success } }] }
`;

it('runs three cases over two scripted models, reports them in every form, and compares with a baseline', async () => {
  const cwd = await project();
  const first = await runCli(['eval', 'capitals.eval.yaml', '--out', 'r.json', 'r.html', 'r.xml'], { cwd });
  expect([first.code, first.err]).toEqual([1, expect.stringContaining('capitals  6 runs')]);
  expect(first.out).toContain('FAILED France · bad');
  expect(first.out).toMatch(
    /capitals\.eval\.yaml:6:5: judge The output names the capital\. failed: Lyon is no capital\. \(judge: run judge_/,
  );
  expect(first.out).toMatch(/good +3\/3 +100 %/);
  expect(first.out).toMatch(/bad +2\/3 +67 %/);
  const junit = await readFile(path.join(cwd, 'r.xml'), 'utf8');
  expect(junit).toContain('<testsuites name="cadre eval" tests="6" failures="1" errors="0" skipped="0"');
  const html = await readFile(path.join(cwd, 'r.html'), 'utf8');
  expect(html).toContain('Lyon is no capital.');
  expect(html).not.toContain('<script');
  // The score links to the record of the turn that gave it.
  const report = JSON.parse(await readFile(path.join(cwd, 'r.json'), 'utf8')) as {
    results: { runId: string; checks: { judgeRun?: string }[] }[];
  };
  const judge =
    report.results.find(({ checks }) => checks.some(({ judgeRun }) => judgeRun !== undefined))?.checks[1]?.judgeRun ?? '';
  expect((await runCli(['turn', judge, 'last'], { cwd })).out).toContain('The output names the capital.');
  // Nothing is left to chance in scripts: what fails now is worse.
  const edited = path.join(cwd, 'agent_profiles/profiles/Clerk.yaml');
  await cp(path.join(cwd, 'agent_profiles'), path.join(cwd, 'good'), { recursive: true });
  await writeFile(
    edited,
    clerk
      .replace('Answer with the name of the city only.', 'Answer in a sentence.')
      .replace('questions about', 'all questions about'),
  );
  const second = await runCli(['eval', 'capitals.eval.yaml', '--baseline', 'r.json'], { cwd });
  expect(second.code).toBe(1);
  expect(second.out).toMatch(/France · good: 1\/1 → 0\/1 {2}worse \(nothing here is left to chance\)/);
  const found = await runCli(['eval', 'capitals.eval.yaml', '--bisect', 'good', '--filter', 'france', '--variant', 'good'], {
    cwd,
  });
  expect([found.code, found.out]).toEqual([0, expect.stringContaining('agent_profiles/profiles/Clerk.yaml:6')]);
  expect(found.out).toMatch(/- {3}Answer with the name of the city only\.\n {4}\+ {3}Answer in a sentence\./);
  expect(found.out).toContain('It makes the case fail by itself; the case passes with all the others.');
});

it('is killed in the middle and goes on: what was answered is not asked again', async () => {
  const cwd = await project();
  const model = await startChatModel();
  await writeFile(
    path.join(cwd, 'agent_profiles/llm_configs/bad.yaml'),
    `type: llm_config\nname: bad\nconfig: { provider: openai-compatible, model: m, base_url: '${model.baseUrl}' }\n`,
  );
  const words = ['eval', 'capitals.eval.yaml', '--trust'];
  const running = startForTest(words, { cwd });
  await running.until('ok France · good');
  await expect.poll(() => model.requests, { timeout: 20_000 }).toBeGreaterThan(0);
  running.child.kill('SIGKILL');
  await running.finished;
  model.answer('Rome');
  const again = await runCli(words, { cwd });
  expect(again.err).toMatch(/6 runs; the journal has \d/);
  expect(again.out).toMatch(/ok France · good .*recorded/);
  expect(again.out).toMatch(/FAILED France · bad/);
  expect(again.out).toMatch(/5 of 6 runs passed/);
  const third = await runCli(words, { cwd });
  expect(third.err).toContain('6 runs; the journal has all of them');
  expect(third.out).toMatch(/5 of 6 runs passed/);
});

it('says what is wrong with its input, and exits with 2', async () => {
  const cwd = await project();
  const refused = async (...words: string[]): Promise<string> => {
    const { code, out, err } = await runCli(['eval', ...words], { cwd });
    expect([code, out]).toEqual([2, '']);
    return err;
  };
  expect(await refused('none.eval.yaml')).toContain("there is no file 'none.eval.yaml'");
  expect(await refused('capitals.eval.yaml', '--out', 'r.pdf')).toContain(
    'the extension selects the form of the report: .json, .xml, .html',
  );
  expect(await refused('capitals.eval.yaml', '--baseline', 'capitals.eval.yaml')).toContain(
    'is no report of an eval (cadre-eval/1)',
  );
  expect(await refused('capitals.eval.yaml', '--out', 'nowhere/r.json')).toContain('nowhere/r.json cannot be written: ENOENT');
  expect(await refused('capitals.eval.yaml', '--bisect', 'agent_profiles', '--plan', '--out', 'r.json')).toContain(
    '--bisect cannot be combined with --plan, --out',
  );
  const other = { format: 'cadre-eval/1', results: [{ variant: 'good', case: 'zz', status: 'passed' }] };
  await writeFile(path.join(cwd, 'other.json'), JSON.stringify(other));
  expect(await refused('capitals.eval.yaml', '--baseline', 'other.json')).toContain(
    'has finished runs of none of these cases and variants of capitals; it has: zz · good',
  );
  expect(await refused('capitals.eval.yaml', '--replay', 'none.json')).toContain('cannot be read (ENOENT)');
  expect(await refused('capitals.eval.yaml', '--bisect', 'agent_profiles')).toContain('a bisection is about one case');
  await writeFile(path.join(cwd, 'check.mjs'), 'export default () => { throw new Error("was run") }\n');
  await writeFile(path.join(cwd, 'capitals.eval.yaml'), suite.replace('cel: run.turns <= 2', 'code: ./check.mjs'));
  const untrusted = await refused('capitals.eval.yaml');
  expect(untrusted).toContain('capitals.eval.yaml is not trusted, and its checks name\n  code to load');
  expect(untrusted).toMatch(/check\.mjs, SHA-256 [0-9a-f]{64}/);
});

it('is no success when the code of a check ends the process, and prints its plan as JSON', async () => {
  const cwd = await project();
  await writeFile(path.join(cwd, 'check.mjs'), 'export default () => process.exit(0)\n');
  await writeFile(path.join(cwd, 'capitals.eval.yaml'), suite.replace('cel: run.turns <= 2', 'code: ./check.mjs'));
  const plan = await runCli(['eval', 'capitals.eval.yaml', '--trust', '--plan', '--json'], { cwd });
  expect([plan.code, JSON.parse(plan.out)]).toMatchObject([0, { suite: 'capitals', runs: 6, recorded: 0 }]);
  const ended = await runCli(['eval', 'capitals.eval.yaml', '--trust'], { cwd });
  expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('does the code of a check call process.exit?')]);
});
