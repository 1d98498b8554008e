import { readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCli, starterFolder } from './cli-process.ts';

it('F85: what the user of a terminal does is recorded with their name, and views of the run show it', async () => {
  const cwd = await starterFolder();
  const profile = path.join(cwd, 'agent_profiles', 'profiles', 'Lead.yaml');
  const gate = '\ntool_gates: [{ id: plan, tools: [manage_work_modules], verdict: ask }]\n';
  await writeFile(profile, (await readFile(profile, 'utf8')) + gate);
  const me = `${userInfo().username}@terminal`;
  const cadre = (...words: readonly string[]) => runCli([...words, '--no-color'], { cwd });
  await cadre('run', 'What is here?', '--quiet');
  const pending = JSON.parse((await cadre('pending', 'last', '--json')).out) as readonly { readonly id: string }[];
  const approved = await cadre('approve', 'last', pending[0]?.id ?? '', '--always', '--quiet');
  expect(approved.code, approved.err).toBe(0);
  const events = (await cadre('events', 'last', '--json')).out
    .trim()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as { readonly type: string; readonly by?: string; readonly standing?: number; readonly turnId?: string },
    );
  expect(events.find(({ type }) => type === 'run.start')?.by).toBe(me);
  expect(events.find(({ type }) => type === 'run.resume')?.by).toBe(me);
  const answers = events.filter(({ type }) => type === 'tool.answer');
  expect(answers[0]?.by).toBe(me);
  for (const { by, standing } of answers.slice(1)) expect([by, standing]).toEqual([undefined, expect.any(Number)]);
  expect((await cadre('turn', 'last', answers[0]?.turnId ?? '')).out).toContain(`approved by ${me}`);
  expect((await cadre('why', 'last', 'What is here?')).out).toContain(me);
});
