import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCli, starterFolder, startForTest } from './cli-process.ts';

it('cadre dev loads profiles when they change, shows which recorded turns that changes, and keeps them when they have a problem', async () => {
  const cwd = await starterFolder();
  expect((await runCli(['run', '--docs', 'docs', '--quiet', 'How do I water tomatoes?'], { cwd })).code).toBe(0);
  const lead = path.join(cwd, 'agent_profiles/profiles/Lead.yaml');
  const text = await readFile(lead, 'utf8');
  const running = startForTest(['dev', '--open', '--port', '0'], { cwd });
  await running.until('Profiles are loaded when they change.');
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(running.said())?.[0] ?? '';

  await writeFile(lead, text.replace('a small research team', 'a tiny research team'));
  await running.until('a tiny research team');
  expect(running.said()).toMatch(
    /Loaded agent_profiles\/profiles\/Lead\.yaml \(changed\): 2 profiles, for new runs\.\n8 turns of run_\w+ re-rendered: 4 the same, 4 differ\n {2}Lead: segment role {2}4 turns/,
  );
  const body = JSON.stringify({ input: 'What is here?' });
  const launched = await fetch(`${url}/api/runs`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { runId } = (await launched.json()) as { readonly runId: string };
  await expect
    .poll(async () => (await runCli(['turn', runId, 'Lead_1.t1', '--full'], { cwd })).out, { timeout: 30_000, interval: 500 })
    .toContain('You lead a tiny research team');

  await writeFile(lead, `${text}\nlimts: {}\n`);
  await running.until('not loaded; new runs still use the profiles before.');
  expect(running.said()).toMatch(/Lead\.yaml:\d+:1: unknown key `limts`/);
  const info = async (): Promise<unknown> =>
    ((await (await fetch(`${url}/api/info`)).json()) as { readonly profileProblem?: string }).profileProblem;
  expect(await info()).toMatch(/Lead\.yaml:\d+:1: unknown key `limts`/);
  await writeFile(lead, text);
  await running.until('Lead.yaml (changed): 2 profiles, for new runs.\n8 turns of');
  await expect.poll(info, { timeout: 20_000 }).toBeUndefined();
  running.child.kill('SIGINT');
  expect((await running.finished).code).toBe(0);
}, 120_000);
