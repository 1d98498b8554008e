import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatCoverage } from '../../../src/testing/suite/format-suite.ts';
import { suiteJson, suiteJunit } from '../../../src/testing/suite/suite-files.ts';
import { run, teamFolder } from './team.ts';

const hello = 'given: { inbox: [{ user: Hello }] }';
const snapshot = `profile: Clerk\ncases:\n  - name: greets & files\n    ${hello}\n    reply: Hi.\n    expect: { prompt: { snapshot: greeting } }\n`;

describe('snapshots', () => {
  it('are readable files beside the test: written once, compared from then on, updated on request', async () => {
    const folder = await teamFolder({ 'profiles/Clerk.test.yaml': snapshot });
    const first = await run(folder);
    expect(first.written).toHaveLength(1);
    const file = path.join(folder, 'profiles', '__snapshots__', 'Clerk.greeting.txt');
    const text = await readFile(file, 'utf8');
    expect(text).toMatch(/^=== system\n\nYou file papers\.\n\n=== user\n\nHello\n\n=== tools\n\n/);
    expect((await run(folder)).written).toEqual([]);

    const profile = path.join(folder, 'profiles', 'Clerk.yaml');
    await writeFile(profile, (await readFile(profile, 'utf8')).replace('You file papers.', 'You file letters.'));
    const [failed] = (await run(folder)).cases;
    expect(failed?.failures[0]).toMatchObject({ at: { line: 6, column: 35 }, expected: text });
    expect(failed?.failures[0]?.actual).toContain('You file letters.');
    expect(await readFile(file, 'utf8')).toBe(text);

    expect((await run(folder, { snapshots: 'update' })).cases[0]?.failures).toEqual([]);
    expect(await readFile(file, 'utf8')).toContain('You file letters.');
  });

  it('an unknown one fails where none may be written, as in CI', async () => {
    const folder = await teamFolder({ 'profiles/Clerk.test.yaml': snapshot });
    const { cases, written } = await run(folder, { snapshots: 'none' });
    expect(cases[0]?.failures[0]?.message).toContain('there is no snapshot');
    expect(written).toEqual([]);
    expect(await readdir(path.join(folder, 'profiles'))).toEqual(['Clerk.test.yaml', 'Clerk.yaml']);
  });

  it('of one name twice in a file is a failure', async () => {
    const folder = await teamFolder({
      'profiles/Clerk.test.yaml': `${snapshot}  - name: other\n    ${hello}\n    reply: Hi.\n    expect: { prompt: { snapshot: greeting } }\n`,
    });
    const { cases } = await run(folder);
    expect(cases[1]?.failures[0]?.message).toContain("two cases of the file have the snapshot 'greeting'");
  });
});

describe('reports', () => {
  const files = {
    'profiles/Clerk.test.yaml': `profile: Clerk\ncases:\n  - name: waits < & >\n    ${hello}\n    reply: Hi.\n    expect: { rule: done }\n  - name: fails\n    ${hello}\n    reply: Hi.\n    expect: { rule: call }\n`,
    'profiles/bad.test.yaml': 'cases: []\n',
  };

  it('JSON has every case, failure and problem', async () => {
    const report = suiteJson(await run(await teamFolder(files)));
    expect(report).toMatchObject({
      ok: false,
      passed: 1,
      failed: 1,
      problems: [{ message: 'the file has no cases' }],
      cases: [
        { name: 'waits < & >', ok: true },
        { name: 'fails', ok: false, failures: [{ expected: 'call', actual: 'done' }] },
      ],
    });
  });

  it('JUnit is XML with a failure per expectation and an error per problem', async () => {
    const xml = suiteJunit(await run(await teamFolder(files)));
    expect(xml).toContain('<testsuites name="cadre test" tests="3" failures="1" errors="1">');
    expect(xml).toContain('<testcase name="waits &lt; &amp; &gt;" classname="Clerk"');
    expect(xml).toMatch(/<failure message="another rule decided[^"]*">/);
    expect(xml).toContain('<error message="the file has no cases">');
    const { DOMParser } = await import('linkedom');
    const parsed = new DOMParser().parseFromString(xml, 'text/xml');
    expect(parsed.querySelectorAll('testcase')).toHaveLength(3);
  });

  it('a filter selects by name, file and profile, and counts what it leaves out', async () => {
    const folder = await teamFolder(files);
    expect(await run(folder, { filter: 'WAITS' })).toMatchObject({ skipped: 1, cases: [{ name: 'waits < & >' }] });
    expect(await run(folder, { filter: 'nothing' })).toMatchObject({ skipped: 2, cases: [], coverage: [] });
  });
});

describe('coverage', () => {
  it('lists what no case exercised, with its place; inherited behaviour counts where it is declared', async () => {
    const folder = await teamFolder({
      'profiles/Junior.yaml': 'name: Junior\nbase_profile: Clerk\ninstructions: You learn.\n',
      'profiles/Junior.test.yaml': `profile: Junior\ncases:\n  - name: a\n    ${hello}\n    reply: { tool_calls: [{ tool: list_files }] }\n    expect: { rule: call }\n`,
    });
    const [coverage] = (await run(folder)).coverage;
    if (coverage === undefined) throw new Error('no coverage');
    expect(coverage.counts).toMatchObject({
      rules: { exercised: 1, total: 3 },
      observers: { exercised: 1, total: 2 },
      gates: { exercised: 1, total: 2 },
    });
    const left = coverage.unexercised.map(({ kind, id, profile }) => `${kind} ${id} ${profile}`);
    expect(left).toEqual(
      expect.arrayContaining(['rules quiet Clerk', 'rules done Clerk', 'observers hint Clerk', 'gates no_writes Clerk']),
    );
    expect(left).not.toContain('rules call Clerk');
    expect(formatCoverage([coverage])).toMatch(/profiles\/Clerk\.yaml:\d+:\d+: rule quiet of Clerk/);
  });
});
