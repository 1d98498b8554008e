import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { starterFiles } from '../../src/cli/starter/templates/research.ts';

const main = path.join(import.meta.dirname, '..', '..', 'bin', 'cadre.mjs');

/** Result of a finished command. */
export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A command that is running. */
export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves once stdout or stderr holds the text; rejects when the command ends without it. */
  until(text: string): Promise<void>;
  /** Returns its stderr so far. */
  said(): string;
}

/** Options of a started command. */
export interface StartOptions {
  readonly cwd: string;
  readonly input?: string;
  /** Leaves stdin open, as a terminal does, for the test to write to. */
  readonly holdInput?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

// Keeps the tests' trust entries apart from the user's.
const ownConfig = mkdtempSync(path.join(tmpdir(), 'cadre-config-'));
process.on('exit', () => {
  rmSync(ownConfig, { recursive: true, force: true });
});

/** Returns the environment of a user without npm, keys or colours, who is not CI. */
export function plainEnv(more: Readonly<Record<string, string>> = {}): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:CI$|npm_|OPENAI_|CADRE_|VITEST|NODE_|FORCE_COLOR)/.test(name));
  return { ...Object.fromEntries(kept), XDG_CONFIG_HOME: ownConfig, ...more };
}

/** Starts the command line, or another program, as a separate process. */
function startCli(words: readonly string[], options: StartOptions, program = main): Running {
  const child = spawn(process.execPath, [program, ...words], {
    cwd: options.cwd,
    env: plainEnv(options.env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  const looks = new Set<() => void>();
  const heard = (add: () => void): void => {
    add();
    for (const look of looks) look();
  };
  child.stdout.on('data', (data: Buffer) => heard(() => (out += data.toString('utf8'))));
  child.stderr.on('data', (data: Buffer) => heard(() => (err += data.toString('utf8'))));
  child.stdin.on('error', () => undefined);
  if (options.holdInput !== true) child.stdin.end(options.input ?? '');
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
  });
  const until = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!out.includes(text) && !err.includes(text)) return;
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      look();
      void finished.then(() => reject(new Error(`the command ended without saying "${text}":\n${out}\n${err}`)));
    });
  return { child, finished, until, said: () => err };
}

/** Starts a command and kills it when the test ends. */
export function startForTest(words: readonly string[], options: StartOptions, program?: string): Running {
  const running = startCli(words, options, program);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  return running;
}

/** Runs the command line to its end. */
export function runCli(words: readonly string[], options: StartOptions): Promise<Finished> {
  return startCli(words, options).finished;
}

/** Creates a folder that is removed after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cadre-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a folder with the starter team. */
export async function starterFolder(): Promise<string> {
  const folder = await temporaryFolder();
  await writeStarter(folder);
  return folder;
}

/** Writes the files of `init` except the schemas. */
export async function writeStarter(folder: string): Promise<void> {
  for (const { file, text } of starterFiles) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
}
