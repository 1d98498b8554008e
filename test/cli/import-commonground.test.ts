import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCli, starterFolder } from './cli-process.ts';

const stock = path.join(import.meta.dirname, '..', 'compat', 'stock', 'agent_profiles');

it('a tree is converted into a folder of its own, and said to be valid; what stands there is kept', async () => {
  const cwd = await starterFolder();
  const cli = async (...words: readonly string[]) => await runCli(words, { cwd, env: { HOME: cwd } });
  await cp(stock, path.join(cwd, 'theirs'), { recursive: true });
  const before = await readdir(path.join(cwd, 'theirs'), { recursive: true });

  // The starter has a folder `agent_profiles`, the default output.
  expect(await cli('import', 'commonground', 'theirs')).toMatchObject({
    code: 2,
    err: expect.stringContaining('is not empty') as string,
  });
  expect(await cli('import', 'commonground', 'theirs', '-o', 'theirs/new', '--force')).toMatchObject({
    code: 2,
    err: expect.stringContaining('lies in the tree that is converted') as string,
  });
  const done = await cli('import', 'commonground', 'theirs', '-o', 'ours');
  expect(done.code, done.err).toBe(0);
  expect(done.out).toContain('theirs/profiles/Partner_EN.yaml -> profiles/Partner_EN.yaml (');
  expect(done.out).toMatch(/left out theirs\/profiles\/Principal_EN\.yaml:\d+:\d+: the observer ends_on_empty_content/);
  expect(done.out).toMatch(/10 files written; \d+ changed, \d+ left out, 0 not converted\n$/);
  expect(await cli('validate', 'ours')).toMatchObject({ code: 0, out: expect.stringContaining('0 errors, 1 warning') as string });
  // Nothing is written through a link in the output folder, which could lead back into the source.
  await mkdir(path.join(cwd, 'linked'));
  await symlink(path.join(cwd, 'theirs', 'profiles'), path.join(cwd, 'linked', 'profiles'));
  expect(await cli('import', 'commonground', 'theirs', '-o', 'linked', '--force')).toMatchObject({
    code: 2,
    err: expect.stringContaining('neither reads nor writes through links') as string,
  });
  await symlink(path.join(cwd, 'theirs'), path.join(cwd, 'back'));
  expect(await cli('import', 'commonground', 'theirs', '-o', 'back/not/there/yet')).toMatchObject({
    code: 2,
    err: expect.stringContaining('lies in the tree that is converted') as string,
  });
  expect(await readdir(path.join(cwd, 'theirs'), { recursive: true })).toEqual(before);
  expect(await readFile(path.join(cwd, 'theirs', 'profiles', 'Partner_EN.yaml'), 'utf8')).toBe(
    await readFile(path.join(stock, 'profiles', 'Partner_EN.yaml'), 'utf8'),
  );
});

it('what cannot be converted is told as data, with exit code 1; a file of that name is still a run to import', async () => {
  const cwd = await starterFolder();
  const cli = async (...words: readonly string[]) => await runCli(words, { cwd, env: { HOME: cwd } });
  await mkdir(path.join(cwd, 'theirs', 'profiles'), { recursive: true });
  await writeFile(
    path.join(cwd, 'theirs', 'profiles', 'A.yaml'),
    'name: A\nflow_decider:\n  - { id: r, condition: "lambda: 1", action: { type: await_user_input } }\n',
  );
  const done = await cli('import', 'commonground', 'theirs', '-o', 'ours', '--json');
  expect(done.code, done.err).toBe(1);
  expect(JSON.parse(done.out)).toMatchObject({
    ok: false,
    out: 'ours',
    files: [{ path: 'profiles/A.yaml', from: 'theirs/profiles/A.yaml', conditions: 0 }],
    findings: [
      { kind: 'changed' },
      { kind: 'not_converted', file: 'theirs/profiles/A.yaml', line: 3, column: 26, hint: expect.any(String) as string },
    ],
  });
  expect(await readFile(path.join(cwd, 'ours', 'profiles', 'A.yaml'), 'utf8')).toContain("not_converted('lambda: 1')");
  expect(await cli('validate', 'ours')).toMatchObject({ code: 2, out: expect.stringContaining('not_converted') as string });

  await writeFile(path.join(cwd, 'commonground'), 'no bundle');
  const imported = await cli('import', './commonground');
  expect(imported.code).not.toBe(0);
  expect(imported.err).toMatch(/bundle|not/);
  expect(await cli('import', 'commonground', 'nowhere', '-o', 'x')).toMatchObject({
    code: 1,
    out: expect.stringContaining('nowhere') as string,
  });
});

it('F21: profiles of the second generation arrive whole, and exit 0 is a team that loads', async () => {
  const cwd = await starterFolder();
  const cli = async (...words: readonly string[]) => await runCli(words, { cwd, env: { HOME: cwd } });
  await mkdir(path.join(cwd, 'theirs', 'profiles'), { recursive: true });
  const keys = 'worker_target: worker_generic\ntags: [associate]\nsystem_prompt_template: Count words.\n';
  await writeFile(path.join(cwd, 'theirs', 'profiles', 'A.yaml'), `name: A\n${keys}llm_config: { model: gpt-5-mini }\n`);
  const done = await cli('import', 'commonground', 'theirs', '-o', 'ours');
  expect(done.code, done.out).toBe(0);
  expect(await readFile(path.join(cwd, 'ours', 'profiles', 'A.yaml'), 'utf8')).toContain('instructions: Count words.');
  expect(await cli('validate', 'ours')).toMatchObject({ code: 0 });

  await writeFile(path.join(cwd, 'theirs', 'profiles', 'B.yaml'), `name: B\n${keys}allowed_tools:\n  - emit_marker\n`);
  const open = await cli('import', 'commonground', 'theirs', '-o', 'ours2');
  expect(open.code).toBe(1);
  expect(open.out).toMatch(/NOT CONVERTED theirs\/profiles\/B\.yaml:6:5: Cadre has no tool emit_marker/);
});

it('F21: what was converted and does not load is NOT CONVERTED, with exit code 1', async () => {
  const cwd = await starterFolder();
  const cli = async (...words: readonly string[]) => await runCli(words, { cwd, env: { HOME: cwd } });
  await mkdir(path.join(cwd, 'theirs', 'profiles'), { recursive: true });
  await writeFile(
    path.join(cwd, 'theirs', 'profiles', 'A.yaml'),
    'name: A\nsystem_prompt_construction:\n  system_prompt_segments:\n    - { id: a, type: static_text, content: Hello., order: first }\n',
  );
  const done = await cli('import', 'commonground', 'theirs', '-o', 'ours');
  expect(done.code, done.out).toBe(1);
  expect(done.out).toMatch(
    /NOT CONVERTED theirs\/profiles\/A\.yaml:1:1: profiles\/A\.yaml:\d+:\d+ does not load after the conversion: /,
  );
});
