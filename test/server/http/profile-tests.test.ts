import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderTests } from '../../../src/cli/dev/folder-tests.ts';
import type { TestReport, TestsState } from '../../../src/inspect/tests/test-report.ts';
import type { ServeOptions } from '../../../src/server/index.ts';
import { teamFolder } from '../../testing/profile-tests/team.ts';
import { servedTeam, type ServedTeam } from './served-team.ts';

const cases = `profile: Clerk
cases:
  - name: looks
    given: { inbox: [{ user: Hello. }] }
    reply: { tool_calls: [{ tool: list_files }] }
    expect: { rule: call }
  - name: waits
    given: { inbox: [{ user: Hello. }] }
    reply: { text: Hi. }
    expect: { rule: call }
  - name: is as before
    given: { inbox: [{ user: Hello. }] }
    reply: { text: Hi. }
    expect: { prompt: { snapshot: true } }
`;

async function post(team: ServedTeam, status = 200): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${team.served.url}/api/tests`, { method: 'POST', headers, body: '{}' });
  expect(response.status).toBe(status);
  return await response.json();
}

async function served(files: Readonly<Record<string, string>>, options: ServeOptions = {}) {
  const folder = await teamFolder(files);
  const tests = new FolderTests({ folder, store: 'memory', isFollowing: true });
  return { folder, tests, team: await servedTeam({}, { tests, ...options }) };
}

describe('the tests of the profiles of a server', () => {
  it('run on request: what failed, and which behaviours which tests exercised; nothing is written', async () => {
    const { folder, team } = await served({ 'profiles/Clerk.test.yaml': cases });
    expect(await team.get('/api/info')).toMatchObject({ canTest: true });
    expect(await team.get('/api/tests')).toEqual({ isRunning: false, round: 0, isChanged: false, isFollowing: true });
    const report = (await post(team)) as TestReport;
    expect(report).toMatchObject({ passed: 1, failed: 2, problems: [] });
    expect(report.failures[0]).toMatchObject({
      name: 'waits',
      profile: 'Clerk',
      failures: [{ at: { line: 10 }, expected: 'call', actual: 'done' }],
    });
    expect(report.failures[1]?.failures[0]?.message).toContain('there is no snapshot');
    expect(await readdir(path.join(folder, 'profiles'))).toEqual(['Clerk.test.yaml', 'Clerk.yaml']);
    expect(report.counts?.rules).toEqual({ exercised: 2, total: 3 });
    const clerk = report.profiles.find(({ profile }) => profile === 'Clerk');
    const rule = (id: string) => clerk?.behaviours.find((each) => each.kind === 'rules' && each.id === id);
    expect(rule('call')).toMatchObject({ tests: 1, by: [{ name: 'looks', at: { line: 3 } }] });
    expect(rule('done')).toMatchObject({ tests: 2, by: [{ name: 'waits' }, { name: 'is as before' }] });
    expect(rule('quiet')).toMatchObject({ tests: 0, by: [] });
    expect(rule('quiet')?.at.file).toMatch(/profiles\/Clerk\.yaml$/);
  });

  it('the state says that a report is there, and whether files were written since', async () => {
    const { folder, team } = await served({ 'profiles/Clerk.test.yaml': cases });
    const [first, second] = await Promise.all([post(team), post(team)]);
    expect(second).toEqual(first);
    expect(await team.get('/api/tests')).toEqual({
      isRunning: false,
      round: 1,
      isChanged: false,
      isFollowing: true,
      report: first,
    });
    expect(await team.get('/api/tests?round=1')).toEqual({ isRunning: false, round: 1, isChanged: false, isFollowing: true });
    await writeFile(path.join(folder, 'profiles/Clerk.test.yaml'), cases.replace('rule: call', 'rule: done'));
    expect(await team.get('/api/tests?round=1')).toMatchObject({ round: 1, isChanged: true });
    expect(await post(team)).toMatchObject({ failed: 3 });
    expect(((await team.get('/api/tests?round=1')) as TestsState).report).toMatchObject({ failed: 3 });
  });

  it('a folder without tests has a report without counts; one that does not compile names the place', async () => {
    const { folder, team } = await served({});
    const report = (await post(team)) as TestReport;
    expect(report).toMatchObject({ passed: 0, failed: 0, problems: [], profiles: [] });
    expect(report.counts).toBeUndefined();
    await writeFile(path.join(folder, 'profiles/Clerk.test.yaml'), cases);
    await writeFile(path.join(folder, 'profiles/Odd.yaml'), 'name: Odd\nlimts: {}\n');
    expect(((await post(team)) as TestReport).problems).toEqual([expect.stringMatching(/Odd\.yaml:2:1: unknown key `limts`/)]);
  });

  it('leaves the event loop to other requests', async () => {
    const many = Array.from(
      { length: 150 },
      (_, index) =>
        `  - name: case ${index}\n    given: { inbox: [{ user: Hello. }] }\n    reply: { text: Hi. }\n    expect: { rule: done }\n`,
    );
    const { tests } = await served({ 'profiles/Clerk.test.yaml': `profile: Clerk\ncases:\n${many.join('')}` });
    const delays: number[] = [];
    // The processor may be busy with other work: most delays, not the longest, and the best of three times.
    for (let time = 0; time < 3 && (delays.length === 0 || Math.min(...delays) >= 50); time += 1) {
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      expect(await tests.run()).toMatchObject({ passed: 150, failed: 0 });
      delay.disable();
      delays.push(delay.percentile(99) / 1e6);
    }
    console.log(`event loop: delays of at most ${delays.map((ms) => Math.round(ms)).join(', ')} ms`);
    expect(Math.min(...delays)).toBeLessThan(50);
  });

  it('F58: are refused to readers, to other hosts without a token, and where there is no folder; the page is told so', async () => {
    const readOnly = await served({ 'profiles/Clerk.test.yaml': cases }, { readOnly: true });
    expect(await readOnly.team.get('/api/info')).toMatchObject({ canTest: false });
    expect(await post(readOnly.team, 403)).toMatchObject({ error: { code: 'REQUEST_REFUSED' } });
    expect(await readOnly.team.get('/api/tests', 403)).toMatchObject({ error: { message: expect.stringContaining('read-only') } });
    const open = await served({ 'profiles/Clerk.test.yaml': cases }, { allowedHosts: ['example.org'] });
    expect(await open.team.get('/api/info')).toMatchObject({ canTest: false });
    expect(await post(open.team, 403)).toMatchObject({
      error: { code: 'REQUEST_REFUSED', message: expect.stringContaining('--token') },
    });
    const none = await servedTeam();
    expect(await none.get('/api/tests', 403)).toMatchObject({
      error: { message: expect.stringContaining('no folder of profiles') },
    });
  });

  it('F58: code that profiles name does not run', async () => {
    const mark = path.join(await teamFolder({}), 'ran.txt');
    const { tests } = await served({
      'toolsets/own.yaml': 'name: own\ntype: toolset\nkind: module\nsettings: { path: ./own.mjs }\n',
      'own.mjs': `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, 'ran');\nexport default [];\n`,
      'profiles/Clerk.test.yaml': cases,
    });
    expect(await tests.run()).toMatchObject({ passed: 1, failed: 2, problems: [] });
    expect(await readdir(path.dirname(mark))).not.toContain('ran.txt');
  });
});
