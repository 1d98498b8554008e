import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { textWidth } from '../../src/inspect/format/text/text-width.ts';
import { startChatModel, writeSoloTeam } from './chat-model.ts';
import { runCli, temporaryFolder } from './cli-process.ts';

const main = path.join(import.meta.dirname, '..', '..', 'bin', 'cadre.mjs');

/** True where util-linux's `script` can give a program a new terminal; other systems have a different tool of that name. */
const hasTerminal = process.platform === 'linux' && existsSync('/usr/bin/script');

const said = `# Tea
Steep it for **three** minutes, as [the guide](https://tea.example/guide) of the house has always said to guests.

- water
- leaves
`;

/** Runs shell commands in a terminal with the given columns and returns its output. */
function inTerminal(
  commands: string,
  options: { readonly cwd: string; readonly columns: number; readonly input?: string },
): Promise<string> {
  // Node takes a build server's variables (CI, TEAMCITY_VERSION …) as a word on colours.
  const { PATH, HOME, TMPDIR, LANG } = process.env;
  const env = { PATH, HOME, TMPDIR, LANG, XDG_CONFIG_HOME: path.join(options.cwd, 'config'), TERM: 'xterm' };
  const words = `stty cols ${options.columns} rows 40 -echo; cadre() { '${process.execPath}' '${main}' "$@"; }; ${commands}`;
  const child = spawn('/usr/bin/script', ['-qec', words, '/dev/null'], {
    cwd: options.cwd,
    env: { ...env, SHELL: '/bin/bash' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let shown = '';
  child.stdout.on('data', (data: Buffer) => (shown += data.toString('utf8')));
  child.stdin.on('error', () => undefined);
  if (options.input !== undefined) child.stdin.write(options.input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve(shown.replaceAll('\r\n', '\n')));
  });
}

const bare = stripVTControlCharacters;

async function soloFolder(): Promise<string> {
  const cwd = await temporaryFolder();
  const model = await startChatModel();
  await writeSoloTeam(cwd, model.baseUrl);
  model.answer(said);
  return cwd;
}

describe.skipIf(!hasTerminal)('F32: on a terminal', () => {
  it('F32: reports are laid out, and reading commands fit its width; --raw shows what was written, NO_COLOR has no codes', async () => {
    const cwd = await soloFolder();
    const commands = [
      "cadre run --quiet --docs docs 'How is tea made?'",
      'echo ====; cadre show last; cadre turns last; cadre tree last; cadre timeline last; cadre board last; cadre runs; cadre turn last last',
      'echo ====; cadre show last --raw',
      'echo ====; NO_COLOR=1 cadre show last',
    ];
    const [report = '', views = '', raw = '', colourless = ''] = (
      await inTerminal(commands.join('; '), { cwd, columns: 40 })
    ).split('====\n');
    expect(bare(report)).toBe(
      'Tea\n\nSteep it for three minutes, as the guide\n(https://tea.example/guide) of the house\nhas always said to guests.\n\n• water\n• leaves\n',
    );
    expect(report).toContain('\u001b[1mthree\u001b[22m');
    for (const line of views.split('\n')) expect(textWidth(line), line).toBeLessThanOrEqual(40);
    expect(bare(views)).toContain('  │ • water\n');
    expect(bare(raw)).toContain('  │ - water\n');
    expect(colourless).toContain('  │ # Tea\n');
    expect(colourless).not.toContain('\u001b[');
  });

  it('F32: a chat lays out what is said, and says all of it', async () => {
    const cwd = await soloFolder();
    const shown = await inTerminal("echo 'How?' | cadre chat --quiet --docs docs 2>err.txt", { cwd, columns: 40 });
    expect(bare(shown)).toBe(
      'Tea\n\nSteep it for three minutes, as the guide\n(https://tea.example/guide) of the house\nhas always said to guests.\n\n• water\n• leaves\n',
    );
  });
});

it('F32: into a pipe a report goes as it was written, and lists in whole lines, unless COLUMNS names a width', async () => {
  const cwd = await soloFolder();
  const { out } = await runCli(['run', '--quiet', '--docs', 'docs', `How is tea made, ${'very '.repeat(30)}slowly?`], { cwd });
  expect(out).toBe(`${said.trim()}\n`);
  const whole = await runCli(['runs'], { cwd, env: { COLUMNS: '' } });
  expect(Math.max(...whole.out.split('\n').map(textWidth))).toBeGreaterThan(100);
  const fitted = await runCli(['runs'], { cwd, env: { COLUMNS: '50' } });
  for (const line of fitted.out.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(50);
});
