import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderTrust } from '../../src/cli/trust/folder-trust.ts';
import { loadProfiles } from '../../src/index.ts';
import { bundledProfiles } from '../../src/profiles/files/bundled-teams.ts';
import { runCli, temporaryFolder } from './cli-process.ts';

const config = 'name: default\ntype: llm_config\nconfig: { provider: scripted, script: scripts/offline.yaml }\n';
const script = 'rules: []\notherwise: { text: Done. }\n';
const agent = (name: string, more = ''): string => `name: ${name}\ntype: partner\ninstructions: You work.\n${more}`;
const team = (...includes: readonly string[]): string =>
  `type: team\nname: mine\ndefault_profile: Solo\nincludes: ${JSON.stringify(includes)}\n`;

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** Creates a folder of a user with profiles of their own, and in it the clone of a team that includes what the test names. */
async function clonedTeam(...includes: readonly string[]) {
  const base = await temporaryFolder();
  const cwd = path.join(base, 'clone');
  await write(base, { 'profiles/Private.yaml': agent('Private'), 'other/profiles/Other.yaml': agent('Other') });
  await write(cwd, {
    'team.yaml': team(...includes),
    'profiles/Solo.yaml': agent('Solo'),
    'llm_configs/default.yaml': config,
    'scripts/offline.yaml': script,
  });
  return { base, cwd, env: { XDG_CONFIG_HOME: await temporaryFolder() } };
}

const title = 'folders and files outside its own folder to read:';

describe('E: a team that reads outside its own folder names it in the question', () => {
  it.each([
    ['the folder above', '..', ''],
    ['a folder beside it', '../other', 'other'],
    ['a link that loading the folder skips', 'node_modules', 'other'],
  ])('an include of %s', async (_, include, folder) => {
    const { base, cwd, env } = await clonedTeam(include);
    if (include === 'node_modules') await symlink(path.join(base, 'other'), path.join(cwd, include));
    const words = `${title}\n    ${path.join(base, folder)} (profiles)\n`;
    const others = include === '..' ? [['mcp'], ['serve', '--port', '0']] : [];
    for (const command of [['run', 'Go.'], ...others]) {
      const { code, out, err } = await runCli(command, { cwd, env });
      expect([command[0], code, out, err]).toEqual([command[0], 2, '', expect.stringContaining(words)]);
    }
    expect((await runCli(['run', '--trust', 'Go.'], { cwd, env })).code).toBe(0);
    expect((await runCli(['run', 'Go.'], { cwd, env })).code).toBe(0);
    expect((await runCli(['validate'], { cwd, env: { XDG_CONFIG_HOME: path.join(base, 'none') } })).code).toBe(0);
  });

  it('another include is asked about again, and so is the same one in another clone', async () => {
    const { base, cwd, env } = await clonedTeam('../other');
    expect((await runCli(['run', '--trust', 'Go.'], { cwd, env })).code).toBe(0);
    await writeFile(path.join(cwd, 'team.yaml'), team('..'));
    expect((await runCli(['run', 'Go.'], { cwd, env })).err).toContain(`    + ${base} (profiles)`);
    await writeFile(path.join(cwd, 'team.yaml'), team('../other'));
    expect((await runCli(['run', 'Go.'], { cwd, env })).code).toBe(0);
    await rename(cwd, path.join(base, 'second'));
    const second = await runCli(['run', 'Go.'], { cwd: path.join(base, 'second'), env });
    expect([second.code, second.err]).toEqual([2, expect.stringContaining(`    ${path.join(base, 'other')} (profiles)`)]);
  });

  it('an `agent_profiles` that is a link is the folder that it leads to', async () => {
    const { base, cwd, env } = await clonedTeam();
    await rm(path.join(cwd, 'team.yaml'));
    await write(path.join(base, 'other'), { 'llm_configs/default.yaml': config, 'scripts/offline.yaml': script });
    await symlink(path.join(base, 'other'), path.join(cwd, 'agent_profiles'));
    const { code, err } = await runCli(['run', 'Go.'], { cwd, env });
    expect([code, err]).toEqual([2, expect.stringContaining(`    ${path.join(base, 'other')} (profiles)`)]);
    expect((await runCli(['run', 'Go.'], { cwd, env: { ...env, CADRE_TRUST: path.join(base, 'other') } })).code).toBe(0);
  });

  it('nothing is asked for teams of one `agent_profiles`, and a folder reached through links of the user', async () => {
    const base = await temporaryFolder();
    const env = { XDG_CONFIG_HOME: await temporaryFolder() };
    await write(base, {
      'real/agent_profiles/profiles/Base.yaml': agent('Base'),
      'real/agent_profiles/llm_configs/default.yaml': config,
      'real/agent_profiles/scripts/offline.yaml': script,
      'real/agent_profiles/mine/team.yaml': team('..', '../beside'),
      'real/agent_profiles/mine/profiles/Solo.yaml': agent('Solo'),
      'real/agent_profiles/beside/team.yaml': 'type: team\nname: beside\n',
      'real/agent_profiles/beside/profiles/Beside.yaml': agent('Beside'),
    });
    await symlink(path.join(base, 'real'), path.join(base, 'link'));
    const name = path.join(base, 'link', 'agent_profiles', 'mine');
    const elsewhere = { cwd: await temporaryFolder(), env };
    expect(await runCli(['run', '--profiles', name, 'Go.'], elsewhere)).toMatchObject({ code: 0 });
    const inside = { cwd: path.join(base, 'real'), env };
    expect(await runCli(['run', '--profiles', 'agent_profiles/mine', 'Go.'], inside)).toMatchObject({ code: 0 });
  });

  it('a recording outside the working folder, also behind a link', async () => {
    const { base, cwd, env } = await clonedTeam();
    await writeFile(path.join(base, 'own.jsonl'), '');
    await symlink(path.join(base, 'own.jsonl'), path.join(cwd, 'mine.jsonl'));
    for (const recording of ['../own.jsonl', 'mine.jsonl', path.join(base, 'own.jsonl')]) {
      const replay = `name: default\ntype: llm_config\nconfig: { provider: replay, recording: ${recording} }\n`;
      await writeFile(path.join(cwd, 'llm_configs/default.yaml'), replay);
      const { code, err } = await runCli(['run', 'Go.'], { cwd, env });
      expect([code, err]).toEqual([
        2,
        expect.stringContaining(`    ${path.join(base, 'own.jsonl')} (recording of LLM config default)`),
      ]);
    }
  });

  it('documents beside a team in the working folder, when its agents may read them', async () => {
    const { base, cwd, env } = await clonedTeam();
    await write(base, { 'docs/private.md': '# Private\n' });
    expect((await runCli(['run', 'Go.'], { cwd, env })).code).toBe(0);
    const waits = 'flow_decider: [{ id: wait, action: { type: await_user_input } }]\n';
    const reads = 'tool_access_policy: { allowed_individual_tools: [list_documents] }\n';
    await writeFile(path.join(cwd, 'profiles/Solo.yaml'), agent('Solo', `${waits}${reads}`));
    for (const command of [['run', 'Go.'], ['mcp'], ['serve', '--port', '0']]) {
      const { code, err } = await runCli(command, { cwd, env });
      expect([command[0], code, err]).toEqual([
        command[0],
        2,
        expect.stringContaining(`    ${path.join(base, 'docs')} (documents)`),
      ]);
    }
    expect((await runCli(['run', '--docs', '../docs', 'Go.'], { cwd, env })).code).toBe(0);
    expect((await runCli(['run', '--trust', 'Go.'], { cwd, env })).code).toBe(0);
    expect((await runCli(['resume', 'last', 'Go on.'], { cwd, env })).code).toBe(0);
  });

  it('documents beside a copy of a bundled team, too: its files ask nothing, the documents are the user’s', async () => {
    const base = await temporaryFolder();
    await write(base, { 'clone/agent_profiles/.keep': '', 'docs/private.md': '# Private\n' });
    const set = await loadProfiles(path.join(bundledProfiles, 'openmanus'));
    const ask: string[] = [];
    const options = { isAgreed: false, env: { XDG_CONFIG_HOME: await temporaryFolder() } };
    const trust = new FolderTrust({ ...options, place: path.join(base, 'clone'), ask: async (text) => ask.push(text) === 0 });
    await expect(trust.check(await loadProfiles({ files: set.files }), undefined, path.join(base, 'docs'))).rejects.toThrow(
      '(documents)',
    );
    expect(ask).toHaveLength(1);
    await trust.check(await loadProfiles({ files: set.files }));
    expect(ask).toHaveLength(1);
  });
});
