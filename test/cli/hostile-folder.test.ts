import { lstat, mkdir, readdir, readFile, symlink, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, startForTest, temporaryFolder } from './cli-process.ts';

const files: Readonly<Record<string, string>> = {
  'profiles/Solo.yaml':
    'name: Solo\ntype: partner\ninstructions: You work.\ntool_access_policy: { allowed_individual_tools: [list_documents, write_report] }\n' +
    'flow_decider: [{ id: wait, action: { type: await_user_input } }]\n',
  'llm_configs/default.yaml': 'name: default\ntype: llm_config\nconfig: { provider: scripted, script: scripts/offline.yaml }\n',
  'scripts/offline.yaml': 'rules: []\notherwise: { text: Done. }\n',
};

/** Creates a project as if cloned, and beside it a folder of its user. */
async function clonedProject(): Promise<{ readonly cwd: string; readonly own: string; readonly env: Record<string, string> }> {
  const base = await temporaryFolder();
  const [cwd, own] = [path.join(base, 'clone'), path.join(base, 'own')];
  await mkdir(own);
  await writeFile(path.join(own, 'kept.json'), 'the user’s own\n');
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(cwd, 'agent_profiles', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return { cwd, own, env: { XDG_CONFIG_HOME: await temporaryFolder() } };
}

/** Creates the same with a waiting run. */
async function clonedRun() {
  const project = await clonedProject();
  expect((await runCli(['run', 'Go.'], project)).code).toBe(0);
  const [note = ''] = await readdir(path.join(project.cwd, '.cadre/runs'));
  return { ...project, runId: path.basename(note, '.json'), note: path.join(project.cwd, '.cadre/runs', note) };
}

const untouched = async (own: string): Promise<void> => {
  expect(await readdir(own)).toEqual(['kept.json']);
  expect(await readFile(path.join(own, 'kept.json'), 'utf8')).toBe('the user’s own\n');
};

describe('links that come with a project', () => {
  it('a mail folder of a run that is a link is not read: its files are neither taken nor removed', async () => {
    const { cwd, own, env, runId } = await clonedRun();
    await mkdir(path.join(cwd, '.cadre/mail'), { mode: 0o700 });
    await symlink(own, path.join(cwd, '.cadre/mail', runId));
    const chat = startForTest(['chat', 'last'], { cwd, env, holdInput: true });
    await chat.until('Model: scripted');
    // Until the chat holds the run, a note needs no mail.
    await expect.poll(async () => (await runCli(['note', runId, 'A note.'], { cwd, env })).err).toContain('it is a link');
    expect((await runCli(['cancel', runId], { cwd, env })).err).toContain('it is a link');
    // The folder is read five times a second.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    chat.child.stdin?.end();
    await chat.finished;
    await untouched(own);
  });

  it('the note of a run that is a link is replaced, and not written through', async () => {
    const { cwd, own, env, note } = await clonedRun();
    await unlink(note);
    await symlink(path.join(own, 'kept.json'), note);
    expect((await runCli(['resume', 'last', 'Go on.'], { cwd, env })).code).toBe(0);
    await untouched(own);
    expect((await lstat(note)).isFile()).toBe(true);
  });

  it('no notes are written into a folder that is a link', async () => {
    const { cwd, own, env } = await clonedProject();
    await mkdir(path.join(cwd, '.cadre'));
    await symlink(own, path.join(cwd, '.cadre/runs'));
    const { code, err } = await runCli(['run', 'Go.'], { cwd, env });
    expect([code, err]).toEqual([1, expect.stringContaining('is a link')]);
    await untouched(own);
  });

  it('documents beside the profiles that lie elsewhere are read when they are named, or the folder is trusted', async () => {
    const { cwd, own, env } = await clonedProject();
    await writeFile(path.join(own, 'private.md'), '# Private\n');
    await symlink(own, path.join(cwd, 'docs'));
    for (const words of [['run', 'Go.'], ['mcp']]) {
      const { code, err } = await runCli(words, { cwd, env });
      expect([words[0], code, err]).toEqual([words[0], 2, expect.stringMatching(/docs leads to .*own, outside .*--docs PATH/)]);
    }
    expect((await runCli(['run', '--docs', 'docs', 'Go.'], { cwd, env })).code).toBe(0);
    expect((await runCli(['run', 'Go.'], { cwd, env: { ...env, CADRE_TRUST: own } })).code).toBe(0);
  });

  it('reports are written into no folder that lies elsewhere', async () => {
    const { cwd, own, env, runId, note } = await clonedRun();
    await unlink(note);
    await mkdir(path.join(cwd, '.cadre/reports'));
    for (const name of [runId, 'mcp']) await symlink(own, path.join(cwd, '.cadre/reports', name));
    for (const words of [['resume', 'last', 'Go on.'], ['mcp']]) {
      const { code, err } = await runCli(words, { cwd, env });
      expect([words[0], code, err]).toEqual([words[0], 2, expect.stringMatching(/leads to .*own, outside .*--out DIR/)]);
    }
    await untouched(own);
  });

  it('a new run gets no workspace that lies elsewhere', async () => {
    const { cwd, own, env } = await clonedProject();
    await mkdir(path.join(cwd, '.cadre'));
    await symlink(own, path.join(cwd, '.cadre/workspaces'));
    const { code, err } = await runCli(['run', 'Go.'], { cwd, env });
    expect([code, err]).toEqual([2, expect.stringMatching(/workspaces leads to .*own, outside .*--workspace DIR/)]);
    await untouched(own);
  });
});

describe('a journal that comes with a project', () => {
  it('and is a link to the journal of another project is not written', async () => {
    const { cwd, env } = await clonedProject();
    const other = await clonedProject();
    expect((await runCli(['run', 'Own.'], other)).code).toBe(0);
    const before = (await runCli(['runs', '--json'], other)).out;
    await mkdir(path.join(cwd, '.cadre'));
    await symlink(path.join(other.cwd, '.cadre/journal.db'), path.join(cwd, '.cadre/journal.db'));
    for (const words of [
      ['run', 'Go.'],
      ['resume', 'last', 'Go on.'],
      ['cancel', 'last'],
      ['send', 'last', 'Go on.'],
      ['rename', 'last', 'Theirs'],
    ]) {
      const { code, err } = await runCli(words, { cwd, env });
      expect([words[0], code, err]).toEqual([
        words[0],
        2,
        expect.stringMatching(/journal\.db leads to .*, outside .*--store PATH/),
      ]);
    }
    expect((await runCli(['runs', '--json'], other)).out).toBe(before);
  });
});
