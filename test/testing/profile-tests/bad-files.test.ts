import { describe, expect, it } from 'vitest';
import { outcomeOf, run, teamFolder } from './team.ts';

const hello = 'given: { inbox: [{ user: Hello }] }';
const caseOf = (rest: string): string => `  - name: a\n    ${rest}\n`;

describe('a test file that cannot be run is a problem with its place, and what is allowed', () => {
  it.each([
    [
      'an unknown profile',
      caseOf(`profile: Clark\n    ${hello}\n    expect: { rule: done }`),
      "4:14 there is no profile 'Clark' (did you mean `Clerk`?",
    ],
    [
      'an unknown rule',
      caseOf(`${hello}\n    expect: { rule: don }`),
      "5:21 there is no rule of Clerk 'don' (did you mean `done`?",
    ],
    ['an unknown observer', caseOf(`${hello}\n    expect: { observers: { quiet: [hin] } }`), "there is no observer of Clerk 'hin'"],
    [
      'an unknown segment',
      caseOf(`${hello}\n    expect: { prompt: { says: [{ text: x, segment: role }] } }`),
      "there is no segment of Clerk 'role' (there are: instructions)",
    ],
    [
      'an unknown gate',
      caseOf(`${hello}\n    expect: { tool_calls: [{ tool: a, gate: lock }] }`),
      "there is no gate of Clerk 'lock'",
    ],
    [
      'an unknown tool with a result',
      caseOf(`${hello}\n    results: [{ tool: list_filez }]\n    expect: { rule: done }`),
      "there is no tool 'list_filez' (did you mean `list_files`?",
    ],
    [
      'an unknown other agent',
      caseOf('given: { inbox: [{ user: a }], agents: [{ profile: Boss }] }\n    expect: { rule: done }'),
      "there is no profile 'Boss'",
    ],
    ['an unknown key', caseOf(`${hello}\n    expect: { ruel: done }`), '5:15 unknown key `ruel` in expect (did you mean `rule`?'],
    ['a key of another tool', caseOf(`${hello}\n    expected: { rule: done }`), 'write expect'],
    ['an expectation of a run', caseOf(`${hello}\n    expect: { status: failed }`), '`expect.status` is for a case with `run`'],
    [
      'an expectation of a turn',
      caseOf('run: { input: a }\n    expect: { rule: done }'),
      '`expect.rule` is for a case without `run` (write rules)',
    ],
    ['nothing expected', caseOf(`${hello}\n    expect: {}`), 'the case expects nothing'],
    ['a reply of a run', caseOf('run: { input: a }\n    reply: b\n    expect: { turns: 1 }'), 'a case with `run` has no `reply`'],
    [
      'state of a run',
      caseOf('run: { input: a }\n    given: { flags: {} }\n    expect: { turns: 1 }'),
      '`given.flags` is for a case without `run`',
    ],
    [
      'a script and replies',
      caseOf('run: { input: a, script: s, replies: {} }\n    expect: { turns: 1 }'),
      'a script or replies, not both',
    ],
    [
      'an unclear step of a person',
      caseOf('run: { input: a, people: [{ say: a, approve: true }] }\n    expect: { turns: 1 }'),
      'one of say, approve, reject and answer',
    ],
    [
      'an unclear item',
      caseOf('given: { inbox: [{ user: a, source: NEWS }] }\n    expect: { rule: done }'),
      'has one of user, source',
    ],
    ['two cases of one name', caseOf(`${hello}\n    expect: { rule: done }`).repeat(2), "two cases of the file have the name 'a'"],
    [
      'a recorded reply without a recording',
      caseOf(`${hello}\n    reply: { recorded: true }\n    expect: { rule: done }`),
      'only a case with `given.from` has a recorded reply',
    ],
    [
      'a recording with more given',
      caseOf('given: { from: r.json/t1, flags: { a: 1 } }\n    expect: { rule: done }'),
      '`given.from` brings the whole run',
    ],
    [
      'a recording that is not there',
      caseOf('given: { from: __recordings__/r.json/Clerk_1.t1 }\n    expect: { rule: done }'),
      'there is no recording __recordings__/r.json beside the test',
    ],
  ])('%s', async (_, cases, problem) => {
    const { problems, report } = await outcomeOf(cases);
    expect(problems.join('\n')).toContain(problem);
    expect(report.cases).toEqual([]);
  });

  it('no cases, no map, no YAML', async () => {
    const folder = await teamFolder({
      'a.test.yaml': 'profile: Clerk\ncases: []\n',
      'b.test.yaml': '- a\n',
      'c.test.yaml': 'cases: [\n',
      'd.test.yaml': 'cases:\n  - name: a\n    expect: { rule: done }\n',
    });
    const { problems } = await run(folder);
    expect(problems.map(({ source, message }) => `${source.file.slice(-11)}:${source.line} ${message}`)).toEqual([
      'a.test.yaml:2 the file has no cases',
      expect.stringMatching(/^b\.test\.yaml:1 the file must be a map/),
      expect.stringMatching(/^c\.test\.yaml:/),
      'd.test.yaml:2 the case names no profile',
    ]);
  });

  it('profiles that do not load are the problem, with their place', async () => {
    const folder = await teamFolder({
      'profiles/Clerk.yaml': 'name: Clerk\nllm_config_ref: nope\ninstructions: a\n',
      'a.test.yaml': 'profile: Clerk\ncases:\n  - name: a\n    expect: { rule: done }\n',
    });
    const { problems, cases } = await run(folder);
    expect(problems[0]?.message).toContain('nope');
    expect(problems[0]?.source).toMatchObject({ line: 2 });
    expect(cases).toEqual([]);
  });

  it('a missing path, and a file that is no test', async () => {
    const folder = await teamFolder({ 'notes.md': 'a' });
    await expect(run(folder, { paths: [`${folder}/none`] })).rejects.toThrow(/there is no file or folder '.*none'/);
    await expect(run(folder, { paths: [`${folder}/notes.md`] })).rejects.toThrow('test files end in .test.yaml');
  });
});

it('tests in a profile run like those of a file', async () => {
  const folder = await teamFolder({
    'profiles/Own.yaml':
      'name: Own\ntype: partner\nllm_config_ref: default\ninstructions: You talk.\ntests:\n  - name: talks\n    given: { inbox: [{ user: Hello }] }\n    reply: Hi.\n    expect: { end: success, output: Bye. }\n',
  });
  const { cases, problems } = await run(folder);
  expect(problems).toEqual([]);
  expect(cases.map(({ profile, name }) => [profile, name])).toEqual([['Own', 'talks']]);
  expect(cases[0]?.failures.map(({ at }) => [at.line, at.column])).toEqual([[9, 37]]);
});
