import { realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CadreError } from '../../core/error.ts';
import type { ResourceScopes } from '../../core/tool/resource-scope.ts';
import { readInside } from '../../files/read-inside.ts';
import { makeTempFolder, removeTempSync, writeTempFile } from '../../files/temp-folder.ts';
import { CapturedOutput } from '../process/captured-output.ts';
import { cleanEnvironment } from '../process/clean-environment.ts';
import { startProgram } from '../process/start-program.ts';
import { jobFile, type JobAnswer } from '../worker/job-answer.ts';
import { ownNode } from '../../files/programs/own-node.ts';
import { packagesAbove } from '../../files/programs/own-places.ts';
import { runChild } from '../worker/run-child.ts';
import type { HtmlPage, MarkdownPage } from './html-to-markdown.ts';
import { readJson } from '../../core/read-json.ts';

/** Place and time limit of a page's conversion to Markdown. */
export interface Conversion {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Present when the conversion must run in a sandbox: a process without network and without access to files of users. */
  readonly sandbox: ResourceScopes | undefined;
}

/** Most memory of the process of a conversion, in megabytes. */
const maxMemoryMb = 512;
const advice = 'The page holds too much to be read: read another one, or a part of it where the site offers one.';
/** Exit codes of a program that V8 ended (by SIGILL, SIGTRAP or SIGABRT), since it had no more room on its heap. */
const endsOfHeap: ReadonlySet<number | undefined> = new Set([132, 133, 134]);
/** Maximum size of a converted page. */
const maxAnswerBytes = 64 * 1024 ** 2;
/** Limit of the address space: programs like Node reserve far more memory than they use. */
const addressBytes = 64 * 1024 ** 3;

/**
 * Converts an HTML page to Markdown in isolation: in a separate process, or in a sandbox.
 *
 * @throws CadreError `TOOL_FAILED` when it takes too long or too much memory; `SANDBOX_UNAVAILABLE` when a required sandbox cannot be set
 * up
 */
export async function convertPage(page: HtmlPage, conversion: Conversion): Promise<MarkdownPage> {
  const { timeoutMs, signal, sandbox } = conversion;
  if (sandbox !== undefined) return await convertInSandbox(page, { timeoutMs, signal, live: sandbox });
  const file = new URL('./markdown-worker', import.meta.url);
  const what = `Reading ${page.url.slice(0, 200)}`;
  return (await runChild({ file, input: page, timeoutMs, maxMemoryMb, signal, what, advice })) as MarkdownPage;
}

async function convertInSandbox(
  page: HtmlPage,
  { timeoutMs, signal, live }: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly live: ResourceScopes },
): Promise<MarkdownPage> {
  const folder = realpathSync(makeTempFolder('page'));
  const [input, output] = [path.join(folder, 'page.json'), path.join(folder, 'answer.json')];
  try {
    writeTempFile(input, JSON.stringify(page));
    const program = fileURLToPath(jobFile(new URL('./markdown-program', import.meta.url)));
    const running = await startProgram({
      argv: [ownNode(), `--max-old-space-size=${Math.floor(maxMemoryMb * 0.75)}`, '--no-warnings', program, input, output],
      env: cleanEnvironment({ home: folder, sandboxed: true }),
      stdout: new CapturedOutput(),
      stderr: new CapturedOutput(),
      maxOutputBytes: 100_000,
      timeoutMs,
      graceMs: 100,
      workspace: folder,
      temporary: folder,
      readable: readableFolders(),
      policy: { network: 'none', read: [], write: [] },
      limits: {
        memoryBytes: addressBytes,
        fileBytes: maxAnswerBytes,
        cpuSeconds: Math.ceil(timeoutMs / 1_000) + 5,
        processes: 64,
        totalMemoryBytes: maxMemoryMb * 1024 ** 2,
        diskBytes: 256 * 1024 ** 2,
      },
      live,
    });
    const stop = (): void => void running.stop('stopped', 0);
    signal.addEventListener('abort', stop, { once: true });
    const { cause, exitCode } = await running.ended.finally(() => signal.removeEventListener('abort', stop));
    signal.throwIfAborted();
    if (cause === 'timeout') throw failed(page, `took longer than ${timeoutMs / 1_000} s and was stopped`);
    if (cause === 'memory' || endsOfHeap.has(exitCode))
      throw failed(page, `needed more than ${maxMemoryMb} MB of memory and was stopped. ${advice}`);
    if (exitCode !== 0) throw failed(page, `ended without a result (${exitCode ?? 'killed'})`);
    // What the program left may be anything, such as a link.
    const answer = await readInside(folder, path.basename(output), maxAnswerBytes);
    if ('reason' in answer) throw failed(page, `left no result: ${answer.reason}`);
    return resultOf(readJson(answer.text) as JobAnswer);
  } finally {
    removeTempSync(folder);
  }
}

function resultOf(answer: JobAnswer): MarkdownPage {
  if (answer.ok) return answer.value as MarkdownPage;
  throw new CadreError(answer.code, answer.message);
}

/**
 * Returns the folders the program consists of: Node, this package, and the packages it imports. They may be in places where home folders
 * are hidden.
 */
function readableFolders(): readonly string[] {
  const packages = ['linkedom', '@mozilla/readability', 'turndown'].flatMap((name) => {
    try {
      const file = fileURLToPath(import.meta.resolve(name));
      // The outermost folder: package managers nest folders of packages below it.
      return [file.slice(0, file.indexOf(`${path.sep}node_modules${path.sep}`) + '/node_modules'.length)];
    } catch {
      // Not installed: the program reports it, with the install command.
      return [];
    }
  });
  const own = path.join(import.meta.dirname, '..', '..');
  return [...new Set([path.dirname(ownNode()), own, ...packagesAbove(own), ...packages])];
}

function failed({ url }: HtmlPage, what: string): CadreError {
  return new CadreError('TOOL_FAILED', `Reading ${url.slice(0, 200)} ${what}.`);
}
