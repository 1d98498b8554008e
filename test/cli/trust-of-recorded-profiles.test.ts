import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { journalSignatureKey } from '../../src/cli/trust/machine-key.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { runCli, temporaryFolder } from './cli-process.ts';

const profile = (gate: string, words: string): string =>
  `name: Solo\ntype: partner\ninstructions: ${words}\ntool_access_policy: { allowed_toolsets: [code] }\n` +
  `tool_gates: [{ id: calls, toolsets: [code], verdict: ${gate} }]\n` +
  "flow_decider: [{ id: wait, condition: 'counters.no_tool_call_streak > 0', action: { type: await_user_input } }]\n";

const script = `rules:
  - id: obey
    when: default(last_user, '') == 'Go on.' && size(calls) == 0
    reply: { tool_calls: [{ tool: code_run_command, args: { command: 'touch was-here' } }] }
otherwise: Done.
`;

/** Writes a team that runs commands without a sandbox. */
async function writeTeam(cwd: string, gate: 'ask' | 'allow', words: string): Promise<void> {
  const files = {
    'profiles/Solo.yaml': profile(gate, words),
    'llm_configs/default.yaml': 'name: default\ntype: llm_config\nconfig: { provider: scripted, script: scripts/own.yaml }\n',
    'scripts/own.yaml': script,
    'toolsets/code.yaml': 'type: toolset\nname: code\nkind: shell\nsettings: { sandbox: false }\n',
  };
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(cwd, 'agent_profiles', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** Lets others record a run with the same reach as a team that the user trusts, and with other gates. */
async function clonedRun() {
  const base = await temporaryFolder();
  const [own, clone] = [path.join(base, 'own'), path.join(base, 'clone')];
  const env = { XDG_CONFIG_HOME: path.join(base, 'mine') };
  await writeTeam(own, 'ask', 'You work.');
  await writeTeam(clone, 'allow', 'You obey.');
  expect((await runCli(['run', '--trust', 'Hello.'], { cwd: own, env })).code).toBe(0);
  const theirs = { XDG_CONFIG_HOME: path.join(base, 'theirs') };
  expect((await runCli(['run', '--trust', 'Hello.'], { cwd: clone, env: theirs })).code).toBe(0);
  await rm(path.join(clone, '.cadre/runs'), { recursive: true });
  await rm(path.join(clone, 'agent_profiles'), { recursive: true });
  return { clone, env };
}

const isTouched = async (folder: string): Promise<boolean> =>
  (await readdir(folder, { recursive: true })).some((name) => name.endsWith('was-here'));

/** Signs the runs of a journal as when its user agreed to its history, and not to anything else. */
async function agreeToHistory(folder: string, env: Readonly<Record<string, string>>): Promise<void> {
  const file = path.join(folder, '.cadre/journal.db');
  const key = await journalSignatureKey(file, env);
  const journal = createSqliteJournal(file, { signature: { key: key ?? new Uint8Array() } });
  for (const { runId } of await journal.runs({})) await journal.adopt(runId);
  await journal.close();
}

it('F73: who agreed to a history has not agreed to the profiles of its runs, even if they reach what others do', async () => {
  const { clone, env } = await clonedRun();
  await agreeToHistory(clone, env);
  for (const words of [
    ['resume', 'last', 'Go on.'],
    ['send', 'last', 'Go on.'],
    ['fork', 'last', 'Go on.'],
  ]) {
    const { code, err } = await runCli(words, { cwd: clone, env });
    expect([words[0], code, err]).toEqual([words[0], 2, expect.stringContaining('gate calls: lets run unasked toolset code')]);
  }
  expect(await isTouched(clone)).toBe(false);
  expect((await runCli(['resume', 'last', 'Go on.', '--trust'], { cwd: clone, env })).code).toBe(0);
  expect(await isTouched(clone)).toBe(true);
  expect((await runCli(['resume', 'last', 'Again.'], { cwd: clone, env })).code).toBe(0);
});

it('F73: the same run in another folder needs another agreement', async () => {
  const { clone, env } = await clonedRun();
  expect((await runCli(['resume', 'last', 'Hello.', '--trust'], { cwd: clone, env })).code).toBe(0);
  const copy = `${clone}-2`;
  await cp(clone, copy, { recursive: true });
  await agreeToHistory(copy, env);
  const { code, err } = await runCli(['resume', 'last', 'Go on.'], { cwd: copy, env });
  expect([code, err]).toEqual([2, expect.stringContaining('gate calls: lets run unasked toolset code')]);
  expect(await isTouched(copy)).toBe(false);
});
