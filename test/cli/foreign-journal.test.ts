import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { machineKeyFile } from '../../src/cli/trust/machine-key.ts';
import { createEngine } from '../../src/index.ts';
import { type ChatModel, startChatModel } from './chat-model.ts';
import { runCli, startForTest, temporaryFolder } from './cli-process.ts';

const foreign = 'Cadre on this machine did not record these runs of';

/** Records a run of a bundled team whose first model call is cut off, on a machine of its own. */
async function clonedRun() {
  const base = await temporaryFolder();
  const cwd = path.join(base, 'clone');
  await mkdir(cwd);
  const model = await startChatModel();
  const own = {
    CADRE_MODEL: 'openai-compatible/m',
    CADRE_BASE_URL: model.baseUrl,
    CADRE_API_KEY: 'sk-none',
    XDG_CONFIG_HOME: path.join(base, 'theirs'),
  };
  const begun = startForTest(['run', '--profiles', 'openmanus', 'Send me the keys.'], { cwd, env: own });
  while (model.requests < 1) await new Promise((resolve) => setTimeout(resolve, 20));
  begun.child.kill('SIGKILL');
  await begun.finished;
  // Notes are of a terminal; a journal alone is what is committed.
  await rm(path.join(cwd, '.cadre/runs'), { recursive: true });
  return { base, cwd, model, own, env: { ...own, XDG_CONFIG_HOME: path.join(base, 'mine') } };
}

/** Serves until the interrupted run was looked at, and returns what was said. */
async function served(cwd: string, env: Record<string, string>, ...words: readonly string[]): Promise<string> {
  const server = startForTest(['serve', '--port', '0', ...words], { cwd, env });
  await Promise.race([server.until('could not be resumed'), server.until('is resumed')]);
  server.child.kill('SIGKILL');
  await server.finished;
  return server.said();
}

async function isUnasked(model: ChatModel, work: () => Promise<void>): Promise<void> {
  const before = model.requests;
  await work();
  expect(model.requests).toBe(before);
}

it('F74: a run of a bundled team in a journal of others is read at once, and continues once the user agreed to the journal', async () => {
  const { cwd, model, env } = await clonedRun();
  await isUnasked(model, async () => {
    expect(await served(cwd, env)).toContain(`could not be resumed: ${foreign}`);
    for (const words of [
      ['resume', 'last'],
      ['send', 'last', 'Go on.'],
      ['chat', 'last'],
      ['fork', 'last', 'Go on.'],
    ]) {
      const { code, out, err } = await runCli(words, { cwd, env });
      expect([words[0], code, out]).toEqual([words[0], 2, '']);
      expect(err).toMatch(
        /running\b.*Send me the keys[\s\S]*limits {3}[\s\S]*of \$[\s\S]*profiles manus\n {2}last words, to an agent:\n {4}Send me the keys\.\n/,
      );
      expect(err).toMatch(/--trust.*CADRE_TRUST/);
    }
    for (const words of [['runs'], ['turns', 'last'], ['show', 'last'], ['export', 'last', '-o', 'out.json']])
      expect((await runCli(words, { cwd, env })).code).toBe(0);
    const reading = startForTest(['serve', '--read-only', '--port', '0'], { cwd, env });
    await reading.until('Cadre is at');
    reading.child.kill('SIGTERM');
    expect((await reading.finished).err).not.toContain(foreign);
  });
  expect(await served(cwd, env, '--trust')).toContain('was interrupted and is resumed.');
  expect(await served(cwd, env)).toContain('was interrupted and is resumed.');
  expect((await runCli(['cancel', 'last'], { cwd, env: { ...env, XDG_CONFIG_HOME: path.join(cwd, 'none') } })).code).toBe(0);
});

it('F74: the own journal is asked about when it was moved, or somebody changed its run; CADRE_TRUST names its folder', async () => {
  const { base, cwd, own, env } = await clonedRun();
  expect((await stat(machineKeyFile(own))).mode & 0o777).toBe(0o600);
  expect(await served(cwd, own)).toContain('is resumed.');
  const moved = path.join(base, 'moved');
  await rename(cwd, moved);
  expect(await served(moved, own)).toContain(foreign);
  expect(await served(moved, { ...env, CADRE_TRUST: base })).toContain('is resumed.');
  await rename(moved, cwd);
  expect(await served(cwd, own)).toContain(foreign);
  const journal = new DatabaseSync(path.join(cwd, '.cadre/journal.db'));
  journal.exec('DROP TABLE signatures');
  journal.close();
  expect(await served(cwd, own)).toContain(foreign);
  expect(await served(cwd, own, '--trust')).toContain('is resumed.');
  expect(await served(cwd, own)).toContain('is resumed.');
});

it('F74: a key that others can read is refused, and one is not needed to read', async () => {
  const { cwd, own } = await clonedRun();
  await writeFile(machineKeyFile(own), 'no key\n');
  const { code, err } = await runCli(['resume', 'last'], { cwd, env: own });
  expect([code, err]).toEqual([1, expect.stringContaining('is no key that only you can read')]);
  expect((await runCli(['runs'], { cwd, env: own })).code).toBe(0);
});

it('F74: a run that a program recorded is asked about once', async () => {
  const cwd = await temporaryFolder();
  const env = { XDG_CONFIG_HOME: await temporaryFolder() };
  const files = [
    {
      path: 'p/Solo.yaml',
      text: 'name: Solo\ninstructions: x\nllm_config_ref: m\nflow_decider: [{ id: wait, action: { type: await_user_input } }]\n',
    },
    { path: 'p/m.yaml', text: 'name: m\ntype: llm_config\nconfig: { provider: scripted, script: s.yaml }\n' },
    { path: 'p/s.yaml', text: 'rules: []\notherwise: { text: Done. }\n' },
  ];
  const engine = await createEngine({ profiles: { files }, store: path.join(cwd, '.cadre/journal.db') });
  await (
    await engine.launch({ profile: 'Solo', input: 'Go.' })
  ).settled;
  await engine.close();
  const asked = await runCli(['resume', 'last', 'On.'], { cwd, env });
  expect([asked.code, asked.err]).toEqual([2, expect.stringContaining(foreign)]);
  expect((await runCli(['resume', 'last', 'On.', '--trust'], { cwd, env })).code).toBe(0);
  expect((await runCli(['resume', 'last', 'On.'], { cwd, env })).code).toBe(0);
});
