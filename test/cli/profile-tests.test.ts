import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundledProfiles } from '../../src/profiles/files/bundled-teams.ts';
import { runCli, startForTest, temporaryFolder } from './cli-process.ts';

/** A project with the bundled team's own files, and its tests. */
async function project(): Promise<string> {
  const cwd = await temporaryFolder();
  for (const folder of ['profiles', 'llm_configs', 'handover_protocols', 'scripts'])
    await cp(path.join(bundledProfiles, folder), path.join(cwd, 'agent_profiles', folder), { recursive: true });
  await mkdir(path.join(cwd, 'docs'));
  await writeFile(path.join(cwd, 'docs', 'tea.md'), '# Tea\n\nGreen tea steeps for three minutes. Black tea steeps for five.\n');
  return cwd;
}

describe('cadre test', () => {
  it('passes, fails with a diff, and refuses bad files, each with its exit code', async () => {
    const cwd = await project();
    const passed = await runCli(['test', '--filter', 'Partner.test', '--coverage'], { cwd });
    expect(passed).toMatchObject({ code: 0, err: '' });
    expect(passed.out).toContain('ok Partner: calls a tool and goes on');
    expect(passed.out).toMatch(/Coverage of agent_profiles {2}rules \d+\/\d+, observers/);
    expect(passed.out).toMatch(/7 cases: 7 passed, \d+ left out by --filter/);

    const profile = path.join(cwd, 'agent_profiles', 'profiles', 'Partner.yaml');
    const text = await readFile(profile, 'utf8');
    await writeFile(profile, text.replace('Your last reply was empty.', 'Say something.'));
    const failed = await runCli(['test', 'agent_profiles/profiles/Partner.test.yaml', '--reporter', 'json'], { cwd });
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.out)).toMatchObject({ ok: false, failed: 1, passed: 6 });

    await writeFile(path.join(cwd, 'bad.test.yaml'), 'profile: Partner\ncases: []\n');
    const bad = await runCli(['test', 'bad.test.yaml', '--reporter', 'junit'], { cwd });
    expect(bad.code).toBe(2);
    expect(bad.out).toContain('<error message="the file has no cases">');
    const none = await runCli(['test', 'docs'], { cwd });
    expect(none.code).toBe(2);
    expect(none.err).toContain('there are no tests in docs');
  });

  it('--from writes a test of a recorded turn, which passes, and does not overwrite it', async () => {
    const cwd = await project();
    expect((await runCli(['run', '--docs', 'docs', 'How long does green tea steep?'], { cwd })).code).toBe(0);
    const written = await runCli(['test', '--from', 'last', 'Principal_2.t2', '--out', 'tests/plan.test.yaml'], { cwd });
    expect(written).toMatchObject({ code: 0 });
    expect(written.err).toMatch(/^ok Principal: Principal_2\.t2 of run_/);
    expect(written.out).toMatch(
      /^tests\/plan\.test\.yaml\ntests\/__recordings__\/run_\w+\.Principal_2\.t2\.json\ntests\/__snapshots__\/plan\.prompt\.txt\n$/,
    );
    const again = await runCli(['test', '--from', 'last', 'Principal_2.t2', '--out', 'tests/plan.test.yaml'], { cwd });
    expect(again.code).toBe(2);
    expect(again.err).toContain('tests/plan.test.yaml exists');
    expect((await runCli(['test', 'tests'], { cwd, env: { CI: 'true' } })).code).toBe(0);
    const missing = await runCli(['test', '--from', 'last', 'Nobody_1.t1'], { cwd });
    expect(missing.code).toBe(2);
    expect(missing.err).toContain("has no turn 'Nobody_1.t1'");
  });

  it('--watch runs again when a profile changes, and ends with Ctrl-C', async () => {
    const cwd = await project();
    const watching = startForTest(['test', '--watch', '--filter', 'asks again after an empty reply'], { cwd });
    await watching.until('1 case: 1 passed');
    const profile = path.join(cwd, 'agent_profiles', 'profiles', 'Partner.yaml');
    await writeFile(profile, (await readFile(profile, 'utf8')).replace('Your last reply was empty.', 'Say something.'));
    await watching.until('1 case: 1 failed');
    watching.child.kill('SIGINT');
    expect((await watching.finished).code).toBe(130);
  });
});
