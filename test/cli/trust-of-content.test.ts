import { cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderTrust } from '../../src/cli/trust/folder-trust.ts';
import { isBundledSet } from '../../src/cli/trust/bundled-files.ts';
import { readProfileFiles } from '../../src/profiles/files/read-profile-files.ts';
import { bundledProfiles } from '../../src/profiles/files/bundled-teams.ts';
import { loadProfiles } from '../../src/index.ts';
import { temporaryFolder } from './cli-process.ts';

type Files = Readonly<Record<string, string>>;

const gates = `tool_gates:
  - { id: careful, tools: ['*'], verdict: ask }
`;
const files: Files = {
  'agent_profiles/profiles/Base.yaml': 'name: Base\ntype: partner\ninstructions: You are careful.\n',
  'agent_profiles/profiles/Solo.yaml': `name: Solo\nbase_profile: Base\ntype: partner\ninstructions: You work.\ntool_access_policy: { allowed_toolsets: [sh, my, notes] }\n${gates}`,
  'agent_profiles/llm_configs/default.yaml':
    'name: default\ntype: llm_config\nconfig: { provider: scripted, script: scripts/offline.yaml }\n',
  'agent_profiles/scripts/offline.yaml': 'rules: []\notherwise: { text: Done. }\n',
  'agent_profiles/handover_protocols/report.yaml':
    'protocol_name: report\ncontext_parameters: { type: object, properties: { goal: { type: string } } }\n',
  'agent_profiles/toolsets/sh.yaml': 'type: toolset\nname: sh\nkind: shell\nsettings: { env: { MODE: careful } }\n',
  'agent_profiles/toolsets/notes.yaml':
    'type: toolset\nname: notes\nkind: mcp\nsettings: { command: node, args: [server/main.mjs], env: { MODE: careful } }\n',
  'agent_profiles/toolsets/my.yaml':
    'type: toolset\nname: my\nkind: module\nsettings: { path: ./tools/my.mjs, options: { host: good.example } }\n',
  'agent_profiles/tools/my.mjs': `import { one } from './one.mjs';\nimport { two } from 'two';\nexport default () => [one, two];\n`,
  'agent_profiles/tools/one.mjs': 'export const one = 1;\n',
  'node_modules/two/package.json': '{ "name": "two", "version": "2.0.0", "main": "main.js" }',
  'node_modules/two/main.js': 'exports.two = 2;\n',
};

/** Creates a folder as if cloned, whose user agreed to it. */
async function agreedFolder() {
  const base = await temporaryFolder();
  const cwd = path.join(base, 'clone');
  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(path.dirname(path.join(cwd, name)), { recursive: true });
    await writeFile(path.join(cwd, name), text);
  };
  for (const [name, text] of Object.entries(files)) await write(name, text);
  const env = { XDG_CONFIG_HOME: path.join(base, 'config') };
  /** Loads the folder in a new process, and returns the question; undefined when nothing is asked. */
  const asked = async (answer: boolean, profiles = path.join(cwd, 'agent_profiles')): Promise<string | undefined> => {
    let text: string | undefined;
    const ask = async (words: string): Promise<boolean> => {
      text = words;
      return answer;
    };
    const trust = new FolderTrust({ place: profiles, isAgreed: false, ask, env });
    const checked = trust.check(await loadProfiles(profiles));
    if (answer) await checked;
    else await checked.catch(() => undefined);
    return text;
  };
  const was = process.cwd();
  process.chdir(cwd);
  const first = await asked(true).finally(() => process.chdir(was));
  return {
    base,
    cwd,
    env,
    write,
    first,
    asked: async (answer = false, profiles?: string): Promise<string | undefined> => {
      process.chdir(cwd);
      return await asked(answer, profiles).finally(() => process.chdir(was));
    },
  };
}

const edited = (name: string, from: string | RegExp, to: string): readonly [string, string] => {
  const text = (files[name] ?? '').replace(from, to);
  expect(text).not.toBe(files[name]);
  return [name, text];
};

describe('F73: an agreement is about a folder and its content', () => {
  it('asks once for a folder as it is, shows gates, and nothing else later', async () => {
    const { first, asked } = await agreedFolder();
    expect(first).toContain('has not been used on this machine before');
    expect(first).toMatch(
      /what they ask you, and what they let run unasked:\s+profile Solo, gate careful: asks a person before \*/,
    );
    expect(await asked()).toBeUndefined();
  });

  it.each<readonly [string, () => readonly [string, string], RegExp]>([
    ['a gate that is gone', () => edited('agent_profiles/profiles/Solo.yaml', gates, ''), /- profile Solo, gate careful: asks/],
    [
      'a gate that allows now',
      () => edited('agent_profiles/profiles/Solo.yaml', 'verdict: ask', 'verdict: allow'),
      /- profile Solo, gate careful: asks[\s\S]*\+ profile Solo, gate careful: lets run unasked \*/,
    ],
    [
      'an approval that is taken away',
      () => edited('agent_profiles/toolsets/notes.yaml', 'command: node,', 'command: node, needs_approval: false,'),
      /\+ toolset notes runs tools unasked: needs_approval: false/,
    ],
    [
      'words of a prompt',
      () => edited('agent_profiles/profiles/Solo.yaml', 'You work.', 'You pay.'),
      /- instructions: You work\.[\s\S]*\+ instructions: You pay\./,
    ],
    [
      'a base profile',
      () => edited('agent_profiles/profiles/Base.yaml', 'careful', 'quick'),
      /profiles\/Base\.yaml\n[\s\S]*\+ instructions: You are quick/,
    ],
    [
      'a handover protocol',
      () => edited('agent_profiles/handover_protocols/report.yaml', 'goal', 'aim'),
      /handover_protocols\/report\.yaml/,
    ],
    ['a script', () => edited('agent_profiles/scripts/offline.yaml', 'Done.', 'Paid.'), /scripts\/offline\.yaml/],
    [
      'options of code',
      () => edited('agent_profiles/toolsets/my.yaml', 'good.example', 'evil.example'),
      /\+ my \(module\): .*evil\.example/,
    ],
    ['code', () => edited('agent_profiles/tools/my.mjs', 'one, two', 'two'), /\+ tools\/my\.mjs with tools\/one\.mjs, SHA-256/],
    [
      'code that it imports',
      () => edited('agent_profiles/tools/one.mjs', '1;', '9;'),
      /\+ tools\/my\.mjs with tools\/one\.mjs, SHA-256/,
    ],
    [
      'a package that it imports',
      () => edited('node_modules/two/main.js', '2;', '9;'),
      /\+ package two 2\.0\.0, imported by tools\/my\.mjs/,
    ],
    [
      'what the lockfile says of it',
      () => [
        'package-lock.json',
        JSON.stringify({ packages: { 'node_modules/two': { version: '2.0.0', integrity: 'sha512-x' } } }),
      ],
      /\+ package two 2\.0\.0/,
    ],
    [
      'a variable for commands',
      () => edited('agent_profiles/toolsets/sh.yaml', 'careful', 'quick'),
      /\+ sh \(shell\): .*"MODE":"quick"/,
    ],
    ['a variable for a server', () => edited('agent_profiles/toolsets/notes.yaml', 'careful', 'quick'), /\+ MODE=/],
    [
      'a sandbox that is off',
      () => edited('agent_profiles/toolsets/sh.yaml', 'env:', 'sandbox: false, env:'),
      /\+ .*outside the sandbox/,
    ],
  ])('%s asks again, and shows what changed', async (_, change, words) => {
    const { asked, write } = await agreedFolder();
    await write(...change());
    const text = await asked();
    expect(text).toMatch(/changed since you agreed to it/);
    expect(text).toMatch(words);
    // A no changes nothing; a yes holds.
    expect(await asked(true)).toBe(text);
    expect(await asked()).toBeUndefined();
    // What was agreed to before stays agreed to.
    for (const [name, content] of Object.entries(files)) await write(name, content);
    if (!text?.includes('two 2.0.0')) expect(await asked()).toBeUndefined();
  });

  it('another folder with the same files is another folder: a copy, a folder that moved, another place behind a link', async () => {
    const { base, cwd, asked } = await agreedFolder();
    const copy = path.join(base, 'copy');
    await cp(cwd, copy, { recursive: true });
    expect(await asked(false, path.join(copy, 'agent_profiles'))).toContain('has not been used on this machine before');
    const link = path.join(base, 'link');
    await symlink(cwd, link);
    expect(await asked(false, path.join(link, 'agent_profiles'))).toBeUndefined();
    await rm(link);
    await symlink(copy, link);
    expect(await asked(false, path.join(link, 'agent_profiles'))).toContain('has not been used on this machine before');
    await rename(path.join(cwd, 'agent_profiles'), path.join(cwd, 'moved'));
    expect(await asked(false, path.join(cwd, 'moved'))).toContain('has not been used on this machine before');
  });

  it('what the user edits in a process they agreed to is accepted and remembered; what widens is not', async () => {
    const { cwd, env, write, asked } = await agreedFolder();
    const profiles = path.join(cwd, 'agent_profiles');
    const trust = new FolderTrust({ place: profiles, isAgreed: false, env });
    const was = process.cwd();
    process.chdir(cwd);
    try {
      await trust.check(await loadProfiles(profiles));
      await write(...edited('agent_profiles/profiles/Solo.yaml', 'You work.', 'You work hard.'));
      await trust.checkLater(await loadProfiles(profiles));
      await write(...edited('agent_profiles/profiles/Solo.yaml', gates, ''));
      await expect(trust.checkLater(await loadProfiles(profiles))).rejects.toThrow(/- profile Solo, gate careful: asks/);
      await write(
        'agent_profiles/profiles/Solo.yaml',
        (files['agent_profiles/profiles/Solo.yaml'] ?? '').replace('work.', 'work hard.'),
      );
    } finally {
      process.chdir(was);
    }
    expect(await asked()).toBeUndefined();
  });

  it('what was agreed to is kept for its user alone, and a damaged or foreign note of it decides nothing', async () => {
    const { base, write, asked } = await agreedFolder();
    await rm(path.join(base, 'config/cadre/agreed'), { recursive: true });
    expect(await asked()).toBeUndefined();
    await write(...edited('agent_profiles/profiles/Solo.yaml', 'You work.', 'You pay.'));
    expect(await asked()).toMatch(/has not been used on this machine before[\s\S]*files in all/);
    expect(await readFile(path.join(base, 'config/cadre/trust.json'), 'utf8')).not.toContain('You pay');
  });
});

describe('bundled teams are exempt as a whole', () => {
  it('by their folder, or by all of their files in their order', async () => {
    const folder = path.join(bundledProfiles, 'openmanus');
    const { files: own } = await readProfileFiles([folder]);
    const { files: others } = await readProfileFiles([path.join(bundledProfiles, 'seeingeye')]);
    expect(await isBundledSet(await loadProfiles(folder))).toBe(true);
    expect(await isBundledSet({ files: own })).toBe(true);
    expect(await isBundledSet({ files: own.slice(1) })).toBe(false);
    expect(await isBundledSet({ files: [...own, ...others] })).toBe(false);
    expect(await isBundledSet({ files: [...own, ...others.slice(0, 1)] })).toBe(false);
    expect(await isBundledSet({ files: own.toReversed() })).toBe(false);
    expect(await isBundledSet({ files: [] })).toBe(false);
  });
});
