import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PendingRequest } from '../../src/core/state/pending.ts';
import { createWorkspaces } from '../../src/engine/launch/workspaces.ts';
import { CadreError } from '../../src/core/error.ts';
import type { RunId } from '../../src/core/ids.ts';
import type { CompiledProfile } from '../../src/core/profile/profile.ts';
import { readChatCommand } from '../../src/cli/chat/chat-commands.ts';
import { chooseProfile } from '../../src/cli/options/choose-profile.ts';
import { commandPrefix } from '../../src/cli/options/command-prefix.ts';
import { existingFolder, parseLimits } from '../../src/cli/options/option-values.ts';
import { createProgram } from '../../src/cli/program.ts';
import { readVerdict } from '../../src/cli/terminal/read-verdict.ts';
import { reportFailure } from '../../src/cli/terminal/report-failure.ts';
import { shellWord } from '../../src/cli/terminal/shell-word.ts';
import { fitEnd, fitText, padText, textWidth } from '../../src/inspect/format/text/text-width.ts';
import { execFileSync } from 'node:child_process';

describe('the words of the command line', () => {
  it('limits are names with numbers, and several options add up', () => {
    expect(parseLimits('costUsd=0.5', parseLimits('turns=20, tokens=1e5'))).toEqual({ turns: 20, tokens: 100_000, costUsd: 0.5 });
  });

  it.each(['turns', 'turns=', '=5', 'turns=many', 'turns=1=2', 'turns=1,,'])('the limit %j is refused', (text) => {
    expect(() => parseLimits(text)).toThrow(/form name=number/);
  });

  it('a workspace is a folder that is there, and not the whole disk', () => {
    expect(existingFolder('test')).toMatch(/test$/);
    expect(() => existingFolder('no-such-folder')).toThrow(/create it first/);
    expect(() => existingFolder('/')).toThrow(/whole disk/);
    expect(() => createWorkspaces('/', 'memory')({ runId: 'r1' as RunId, workspace: undefined })()).toThrow(/whole disk/);
  });

  it('every command has a summary, and reading commands have --json and --store', () => {
    const program = createProgram(() => undefined);
    const reading = ['runs', 'show', 'turns', 'turn', 'why', 'diff', 'tree', 'board', 'timeline', 'events', 'pending'];
    expect(program.commands.filter((command) => command.summary() === '')).toEqual([]);
    for (const name of reading) {
      const flags = program.commands.find((command) => command.name() === name)?.options.map((option) => option.long);
      expect(flags, name).toEqual(expect.arrayContaining(['--json', '--store', '--no-color']));
    }
  });

  it('a quoted word is the same word to a shell', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }).filter((text) => !/[\0\r]/.test(text)),
        (text) => {
          expect(execFileSync('/bin/sh', ['-c', `printf %s ${shellWord(text)}`]).toString('utf8')).toBe(text);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('how commands are named to the reader', () => {
  it.each([
    [
      'inside the project, by npm',
      { npm_lifecycle_event: 'start', npm_package_name: 'cadre', npm_command: 'start' },
      '/p/bin/cadre.mjs',
      'npm run cadre --',
    ],
    ['by npx', { npm_command: 'exec', npm_lifecycle_event: 'npx' }, '/x/node_modules/.bin/cadre', 'npx cadre'],
    ['from the path', {}, '/usr/bin/cadre', 'cadre'],
    ['by its script below here', {}, '/p/bin/cadre.mjs', 'node bin/cadre.mjs'],
    ['by its script elsewhere', {}, '/q/a b/cadre.mjs', "node '/q/a b/cadre.mjs'"],
  ])('%s', (_, env, script, expected) => {
    expect(commandPrefix({ env, script, cwd: '/p' })).toBe(expected);
  });
});

describe('the profile to begin with', () => {
  const named = (name: string, type: string, more: Partial<CompiledProfile> = {}): [string, CompiledProfile] => [
    name,
    { name, type, isActive: true, isDeleted: false, ...more } as CompiledProfile,
  ];

  it('is the first partner, whatever its name, else the only one', () => {
    expect(chooseProfile({ profiles: new Map([named('Lead', 'partner'), named('Partner', 'partner')]) }, undefined)).toBe('Lead');
    expect(
      chooseProfile(
        { profiles: new Map([named('Base', 'base'), named('Worker', 'associate'), named('Lead', 'partner')]) },
        undefined,
      ),
    ).toBe('Lead');
    expect(chooseProfile({ profiles: new Map([named('Base', 'base'), named('Alone', 'associate')]) }, undefined)).toBe('Alone');
    expect(
      chooseProfile({ profiles: new Map([named('Partner', 'partner', { isActive: false }), named('Lead', 'partner')]) }, undefined),
    ).toBe('Lead');
  });

  it('must be named when there are several and none is a partner, and exist when it is named', () => {
    const two = new Map([named('One', 'associate'), named('Two', 'associate')]);
    expect(() => chooseProfile({ profiles: two }, undefined)).toThrow(/--profile NAME; there are: One, Two/);
    expect(() => chooseProfile({ profiles: two }, 'Twoo')).toThrow(/did you mean 'Two'/);
  });
});

describe('what a typed line means', () => {
  const request = (more: Partial<PendingRequest>): PendingRequest => ({
    id: 'c1',
    kind: 'approval',
    agentId: 'A_1',
    path: ['A_1'],
    turnId: 'A_1.t1',
    tool: 'x',
    args: {},
    fingerprint: 'f',
    since: 0,
    ...more,
  });

  it('an approval is y, n, or n and why; anything else is asked again', () => {
    const approval = request({});
    expect(readVerdict(approval, ' YES ')).toEqual({ kind: 'approve' });
    expect(readVerdict(approval, 'n')).toEqual({ kind: 'reject' });
    expect(readVerdict(approval, 'no, too costly')).toEqual({ kind: 'reject', message: 'too costly' });
    for (const line of ['', 'maybe', 'yes please', 'nothing', 'never'])
      expect(readVerdict(approval, line).kind, line).toBe('unclear');
  });

  it('an answer is the words, or JSON where the question wants no text', () => {
    const question = (schema?: PendingRequest['schema']): PendingRequest =>
      request({ kind: 'question', ...(schema === undefined ? {} : { schema }) });
    expect(readVerdict(question(), ' 42 ')).toEqual({ kind: 'answer', value: '42' });
    expect(readVerdict(question({ type: 'number' }), '42')).toEqual({ kind: 'answer', value: 42 });
    expect(readVerdict(question({ enum: [1, 2] }), '2')).toEqual({ kind: 'answer', value: 2 });
    expect(readVerdict(question({ enum: ['1', '2'] }), '2')).toEqual({ kind: 'answer', value: '2' });
    expect(readVerdict(question({ type: 'object' }), 'not json')).toEqual({ kind: 'answer', value: 'not json' });
  });

  it('a line of a conversation is a command only when it begins with one slash', () => {
    expect(readChatCommand('/why  deep  watering ')).toEqual({ kind: 'why', text: 'deep  watering' });
    expect(readChatCommand('/Q')).toEqual({ kind: 'quit' });
    expect(readChatCommand('/frobnicate now')).toEqual({ kind: 'unknown', name: 'frobnicate' });
    for (const line of ['hello', '//etc', '/etc/passwd is a file', 'and /quit'])
      expect(readChatCommand(line), line).toBeUndefined();
  });
});

describe('failures', () => {
  const told = (thrown: unknown, debug = false): { readonly code: number; readonly text: string } => {
    let text = '';
    const code = reportFailure(thrown, (part) => (text += part), debug);
    return { code, text };
  };

  it('what the caller wrote wrong ends with 2, everything else with 1, without a stack', () => {
    expect(told(new CadreError('PROFILE_INVALID', 'bad'))).toEqual({ code: 2, text: 'error: bad\n' });
    expect(told(new CadreError('STORE_FAILED', 'disk'))).toEqual({ code: 1, text: 'error: disk\n' });
    expect(told(new TypeError('oops'))).toEqual({ code: 1, text: 'error: TypeError: oops\n' });
  });

  it('the stack and its causes are there on demand', () => {
    const { text } = told(new CadreError('INTERNAL', 'outer', { cause: new Error('inner') }), true);
    expect(text).toMatch(/error: outer\nCadreError: outer\n.*at .*caused by Error: inner/s);
  });

  it('hostile words in a message do not reach the terminal as control characters', () => {
    expect(told(new CadreError('RUN_UNKNOWN', 'no \u001b[2Jrun \u202e')).text).toBe('error: no \\x1b[2Jrun \\u202e\n');
  });
});

describe('the width of text', () => {
  it('counts two columns for wide characters and none for marks', () => {
    expect([textWidth('abc'), textWidth('日本'), textWidth('e\u0301'), textWidth('🎉')]).toEqual([3, 4, 1, 2]);
  });

  it('text that is cut or filled has the width it was cut or filled to', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-composite' }), fc.nat({ max: 30 }), (text, width) => {
        expect(textWidth(fitText(text, width))).toBeLessThanOrEqual(width);
        expect(textWidth(fitEnd(text, width))).toBeLessThanOrEqual(width);
        expect(textWidth(padText(text, width))).toBe(width);
      }),
    );
  });

  it('the end of a name stays where its beginning is cut', () => {
    expect(fitEnd('Associate_DocumentResearcher_3 WM_2', 20)).toBe('…entResearcher_3 WM_2'.slice(-20).replace(/^./, '…'));
  });
});
