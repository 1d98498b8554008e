import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatPending, formatRequest } from '../../src/cli/terminal/format-pending.ts';
import { lookAlikes } from '../../src/inspect/look-alikes.ts';
import { readVerdict } from '../../src/cli/terminal/read-verdict.ts';
import { readAnswer } from '../../src/inspect/read-answer.ts';
import type { PendingRequest } from '../../src/core/state/pending.ts';
import { startForTest, temporaryFolder } from './cli-process.ts';

const program = path.join(import.meta.dirname, 'asking-process.ts');

const approval: PendingRequest = {
  id: 'c1',
  kind: 'approval',
  agentId: 'A_2',
  path: ['Root_1', 'A_2'],
  turnId: 'A_2.t1',
  tool: 'send_mail',
  args: { to: 'a@b.c' },
  gate: { id: 'mail', profile: 'Writer' },
  fingerprint: 'f',
  since: 0,
};
const question = (schema?: object): PendingRequest => ({
  id: 'c2',
  kind: 'question',
  agentId: 'A_2',
  path: ['A_2'],
  turnId: 'A_2.t1',
  tool: 'ask_human',
  args: {},
  message: 'Which?',
  fingerprint: 'f',
  since: 0,
  ...(schema === undefined ? {} : { schema: schema as NonNullable<PendingRequest['schema']> }),
});

describe('a line typed about a call', () => {
  it.each([
    ['y', { kind: 'approve' }],
    [' YES ', { kind: 'approve' }],
    ['a', { kind: 'approve', always: true }],
    ['always', { kind: 'approve', always: true }],
    ['e {"to":"x@y.z"}', { kind: 'approve', args: { to: 'x@y.z' } }],
    ['edit\n{"to": "x"}', { kind: 'approve', args: { to: 'x' } }],
    ['n', { kind: 'reject' }],
    ['n, too early', { kind: 'reject', message: 'too early' }],
    ['e [1]', { kind: 'unclear', hint: expect.stringContaining('no object') as string }],
    ['e {"to": ', { kind: 'unclear', hint: expect.stringContaining('no JSON') as string }],
    ['', { kind: 'unclear', hint: expect.stringContaining('Type y') as string }],
    ['approve', { kind: 'unclear', hint: expect.stringContaining('Type y') as string }],
  ])('%j is read as what it says', (line, verdict) => {
    expect(readVerdict(approval, line)).toEqual(verdict);
  });
});

describe('a line typed as an answer', () => {
  const colours = { enum: ['red', 'Dark blue', '1'] };
  it.each([
    ['a number', colours, '2', 'Dark blue'],
    ['the words', colours, 'dark BLUE', 'Dark blue'],
    ['words that are a number', colours, '1', '1'],
    ['words that are no choice', colours, 'green', 'green'],
    ['a number that is too high', colours, '9', '9'],
    ['a choice that is a number', { enum: [10, 20] }, '20', 20],
    ['the number of one', { enum: [10, 20] }, '2', 20],
    ['a choice that is true', { enum: [true, false] }, 'true', true],
    ['free text', undefined, '7', '7'],
    ['JSON', { type: 'integer' }, '7', 7],
    ['text where a text is wanted', { type: 'string' }, '7', '7'],
  ])('%s', (_name, schema, line, answer) => {
    expect(readAnswer(question(schema), line)).toEqual(answer);
  });
});

describe('what a person is shown', () => {
  it('S9: arguments in full, escaped, with their hash; what always would allow; letters that look like others', () => {
    const hidden = 'pay\u001b[2Kpal \u202egnp.exe \u200b p\u0430ypal ' + 'x'.repeat(5_000);
    const text = formatRequest({ ...approval, args: { to: hidden } }, { now: 0 });
    // eslint-disable-next-line no-control-regex -- this test is about control characters
    expect(text).not.toMatch(/[\u001b\u202e\u200b]/);
    expect(text).toContain('x'.repeat(5_000));
    expect(text).toMatch(/sha256 [0-9a-f]{64}/);
    expect(text).toContain('Root_1 → A_2 wants to call send_mail');
    expect(text).toContain('mixes letters of several scripts: p\\u{430}ypal');
    expect(text).toContain('always: every send_mail that gate mail asks about in profile Writer, until the run ends');
  });

  it('F57: the sandbox, untrusted text in the prompt, and what has changed since a person agreed', () => {
    const prompt = { sources: ['fetch_page'], untrusted: ['fetch_page\u001b[2K'], tainted: true };
    const text = formatRequest({ ...approval, sandbox: 'off', changed: ['settings', 'profile'], prompt }, { now: 0 });
    expect(text).toContain('runs outside the sandbox');
    expect(text).toContain('asked again, since the settings of its toolset and the profile have changed');
    expect(text).toContain('untrusted text was in the prompt: fetch_page\\x1b[2K');
    const calm = { sources: [], untrusted: [], tainted: false };
    const other = formatRequest({ ...approval, sandbox: 'on', prompt: calm }, { now: 0 });
    expect(other).toMatch(/runs in the sandbox\n {2}no untrusted text was read in this run/);
    expect(formatRequest({ ...approval, prompt: { ...calm, tainted: true } }, { now: 0 })).toContain('none was in the prompt');
  });

  it('words of one script are no look-alikes', () => {
    expect(lookAlikes('привет hello Ωμέγα naïve 2nd')).toEqual([]);
    expect(lookAlikes('Ρaypal')).toEqual(['\\u{3a1}aypal']);
  });

  it('numbers choices, and says how to answer from another terminal', () => {
    const text = formatPending([question({ enum: ['red', 'blue'] }), approval], { now: 0, runId: 'run_1' });
    expect(text).toMatch(/1\. red\n {2}2\. blue\n/);
    expect(text).toContain("answer run_1 c2 'its number, or the answer'");
    expect(text).toContain("approve run_1 c1 [--edit '{…}' | --always]");
  });
});

describe('on a terminal', () => {
  it('arguments that do not fit are asked for again, and the call runs with those that do', async () => {
    const running = startForTest(['10m'], { cwd: await temporaryFolder(), holdInput: true }, program);
    await running.until('Approve this call?');
    running.child.stdin?.write('e {"amount": "all"}\n');
    await running.until('the call still waits: /amount');
    running.child.stdin?.write('e {"amount": 5}\n');
    const { code, out, err } = await running.finished;
    expect({ code, out }, err).toEqual({ code: 0, out: 'the report\n' });
  });
});
