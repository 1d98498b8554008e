import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CadreError } from '../../src/core/error.ts';
import { checkProfiles, loadProfiles } from '../../src/profiles/load-profiles.ts';
import { placeOf } from './marked-files.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cadre-profiles-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function write(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, 'team', path, '..'), { recursive: true });
    await writeFile(join(folder, 'team', path), content);
  }
  return join(folder, 'team');
}

async function problemsOf(...inputs: readonly string[]): Promise<readonly string[]> {
  const { diagnostics } = await checkProfiles(inputs, { env: {} });
  return diagnostics.map((diagnostic) => `${placeOf(diagnostic)} ${diagnostic.code}`);
}

const longText = (index: number): string => `name: P${index}\ninstructions: |\n${'  some words\n'.repeat(19_000)}`;

describe('loading profiles from disk', () => {
  it('reads a folder tree, .yaml and .yml, and leaves other files alone', async () => {
    const root = await write({
      'profiles/a.yaml': 'name: A\n',
      'profiles/deep/b.yml': 'name: B\n',
      'README.md': '# {{',
      '.hidden/c.yaml': 'name: [',
      'node_modules/d.yaml': 'name: [',
      'mcp_servers.yaml': 'servers: {}\n',
    });
    const set = await loadProfiles(root, { env: {} });
    expect([...set.profiles.keys()]).toEqual(['A', 'B']);
    expect(set.files.map((file) => file.path)).toEqual(['team/profiles/a.yaml', 'team/profiles/deep/b.yml']);
  });

  it('reads single files and several roots, each file once', async () => {
    const root = await write({ 'a.yaml': 'name: A\n', 'b.yaml': 'name: B\n', 'c.yaml': 'name: C\n' });
    expect([...(await loadProfiles(join(root, 'b.yaml'), { env: {} })).profiles.keys()]).toEqual(['B']);
    expect([...(await loadProfiles([join(root, 'b.yaml'), join(root, 'c.yaml')], { env: {} })).profiles.keys()]).toEqual([
      'B',
      'C',
    ]);
    expect([...(await loadProfiles([root, join(root, 'c.yaml')], { env: {} })).profiles.keys()].toSorted()).toEqual([
      'A',
      'B',
      'C',
    ]);
  });

  it('takes files from memory', async () => {
    const set = await loadProfiles({ files: [{ path: 'x.yaml', text: 'name: X\n' }] }, { env: {} });
    expect(set.profiles.get('X')?.source).toEqual({ file: 'x.yaml', line: 1, column: 1 });
  });

  it('throws one error with all problems of all files', async () => {
    const root = await write({
      'profiles/a.yaml': 'nam: A\n',
      'profiles/b.yaml': 'name: B\nlimits: { max_turns: no }\n',
      'llm_configs/c.yaml': 'name: C\nconfig: { model: groq/y, temperature: 9 }\n',
    });
    const error: unknown = await loadProfiles(root, { env: {} }).catch((thrown: unknown) => thrown);
    if (!(error instanceof CadreError)) throw new Error('expected a CadreError');
    expect(error.code).toBe('PROFILE_INVALID');
    expect(error.message.split('\n')).toEqual([
      'the profiles have 4 errors:',
      'team/llm_configs/c.yaml:2:39: `config.temperature` must be <= 2, found `9`',
      'team/profiles/a.yaml:1:1: `name` is missing in a profile (`nam` was probably meant to be `name`)',
      expect.stringMatching(/^team\/profiles\/a\.yaml:1:1: unknown key `nam` in a profile \(did you mean `name`\? allowed: /),
      'team/profiles/b.yaml:2:22: `limits.max_turns` must be a whole number, found the text `no`',
    ]);
    expect(error.details['diagnostics']).toHaveLength(4);
  });

  it('keeps warnings in the set', async () => {
    const root = await write({ 'a.yaml': 'name: A\nflow_decider: [{ id: r, action: { type: retry_turn } }]\n' });
    const set = await loadProfiles(root, { env: {} });
    expect(set.warnings.map(({ code, severity }) => [code, severity])).toEqual([['NO_WAY_TO_END', 'warning']]);
  });

  it('uses the environment of the process unless it is given one', async () => {
    const root = await write({ 'llm_configs/a.yaml': 'name: a\nconfig: { model: { _type: from_env, var: PATH } }\n' });
    expect((await loadProfiles(root)).llmConfigs.get('a')?.model).not.toBe('');
  });
});

describe('what is on disk and is not a profile folder (FAULTS Y8, Y11)', () => {
  it('a path that does not exist', async () => {
    expect(await problemsOf(join(folder, 'nowhere'))).toEqual(['nowhere:1:1 FILE_NOT_FOUND']);
  });

  it('an empty folder', async () => {
    expect(await problemsOf(folder)).toEqual([expect.stringContaining('FOLDER_EMPTY')]);
  });

  it('a file below a file', async () => {
    const root = await write({ 'a.yaml': 'name: A\n' });
    expect(await problemsOf(join(root, 'a.yaml', 'b.yaml'))).toEqual(['b.yaml:1:1 FILE_NOT_FOUND']);
  });

  it('a device', async () => {
    expect(await problemsOf('/dev/zero')).toEqual(['zero:1:1 FILE_NOT_REGULAR']);
  });

  it('a pipe, which is not waited for', async () => {
    const root = await write({ 'a.yaml': 'name: A\n' });
    await promisify(execFile)('mkfifo', [join(root, 'b.yaml')]);
    expect(await problemsOf(root)).toEqual(['team/b.yaml:1:1 FILE_NOT_REGULAR']);
  });

  it('a file of 10 MB', async () => {
    const root = await write({ 'a.yaml': 'key: value\n'.repeat(1_000_000) });
    expect(await problemsOf(root)).toEqual(['team/a.yaml:1:1 FILE_TOO_LARGE']);
  });

  it('bytes that are not UTF-8', async () => {
    const root = await write({ 'a.yaml': new Uint8Array([110, 97, 109, 101, 58, 32, 0xff, 10]) });
    expect(await problemsOf(root)).toEqual(['team/a.yaml:1:1 FILE_NOT_UTF8']);
  });

  it('a link out of the folder, to a file and to a folder', async () => {
    const root = await write({ 'a.yaml': 'name: A\n' });
    await mkdir(join(folder, 'outside'));
    await writeFile(join(folder, 'outside', 'b.yaml'), 'name: B\n');
    await symlink(join(folder, 'outside', 'b.yaml'), join(root, 'b.yaml'));
    await symlink(join(folder, 'outside'), join(root, 'more'));
    expect(await problemsOf(root)).toEqual(['team/b.yaml:1:1 FILE_OUTSIDE', 'team/more:1:1 FILE_OUTSIDE']);
  });

  it('a link to nothing', async () => {
    const root = await write({ 'a.yaml': 'name: A\n' });
    await symlink(join(root, 'gone.yaml'), join(root, 'b.yaml'));
    expect(await problemsOf(root)).toEqual(['team/b.yaml:1:1 FILE_NOT_FOUND']);
  });

  it('links in a circle, and links inside the folder', async () => {
    const root = await write({ 'profiles/a.yaml': 'name: A\n' });
    await symlink(root, join(root, 'profiles', 'again'));
    await symlink(join(root, 'profiles', 'a.yaml'), join(root, 'profiles', 'same.yaml'));
    const set = await loadProfiles(root, { env: {} });
    expect(set.files.map((file) => file.path)).toEqual(['team/profiles/a.yaml']);
  });

  it('a folder that is named like a file', async () => {
    const root = await write({ 'a.yaml/b.yaml': 'name: B\n' });
    expect([...(await loadProfiles(root, { env: {} })).profiles.keys()]).toEqual(['B']);
  });

  it('more than 5 MiB in all', async () => {
    const root = await write(
      Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`p${String(index).padStart(2, '0')}.yaml`, longText(index)])),
    );
    expect(await problemsOf(root)).toEqual([expect.stringContaining('FOLDER_TOO_LARGE')]);
  });
});
