import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { nanoid } from 'nanoid';
import { CadreError, describeThrown, type ErrorRecord, toErrorRecord } from '../core/error.ts';
import type { JsonObject } from '../core/json.ts';
import type { Engine } from '../engine/engine.ts';
import type { Run } from '../engine/run.ts';
import { readAnswer } from '../inspector/read-answer.ts';

/** What somebody at another terminal decided about a run that a process of this machine advances. */
export type MailedVerdict =
  | { readonly kind: 'approve'; readonly ids: readonly string[]; readonly args?: JsonObject; readonly always: boolean }
  | { readonly kind: 'reject'; readonly ids: readonly string[]; readonly message?: string }
  | { readonly kind: 'answer'; readonly id: string; readonly text: string };

/** How often a folder is looked into, and how long whoever decided waits for an answer, in milliseconds. */
const lookEveryMs = 200;
const longestWaitMs = 10_000;

/**
 * Hands a verdict to the process that has a run, by a file beside the journal, and waits until it was taken. Answers with
 * why it was refused, if it was; with `nobody` when the process takes no verdicts.
 */
export async function mailVerdict(store: string, runId: string, verdict: MailedVerdict): Promise<'taken' | 'nobody' | ErrorRecord> {
  const folder = path.join(mailFolder(store), runId);
  const name = nanoid();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeWhole(path.join(folder, `${name}.json`), verdict);
  const reply = path.join(folder, `${name}.done`);
  for (const end = performance.now() + longestWaitMs; performance.now() < end;) {
    const text = await readFile(reply, 'utf8').catch(() => undefined);
    if (text !== undefined) {
      await rm(reply, { force: true });
      const refused = (JSON.parse(text) as { readonly refused: ErrorRecord | null }).refused;
      return refused ?? 'taken';
    }
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs / 2));
  }
  await rm(path.join(folder, `${name}.json`), { force: true });
  return 'nobody';
}

/** Takes verdicts that others leave for the runs an engine advances, until it is disposed of. */
export function receiveVerdicts(engine: Engine, store: string): Disposable {
  const folder = mailFolder(store);
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    for (const runId of await namesIn(folder)) {
      const run = engine.live(runId);
      if (run !== undefined) await takeAll(run, path.join(folder, runId));
    }
    isLooking = false;
  };
  // A folder that cannot be used is looked into no more; whoever leaves something there is told that nobody took it.
  const giveUp = (): void => clearInterval(timer);
  const timer = store === 'memory' ? undefined : setInterval(() => void look().catch(giveUp), lookEveryMs);
  timer?.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function takeAll(run: Run, folder: string): Promise<void> {
  const names = await namesIn(folder);
  for (const name of names.filter((file) => file.endsWith('.json'))) {
    const file = path.join(folder, name);
    const written = await stat(file).catch(() => undefined);
    // Whoever wrote it has stopped waiting, or was killed: a verdict must not count when nobody expects it any more.
    if (written === undefined || Date.now() - written.mtimeMs > longestWaitMs) {
      await rm(file, { force: true });
      continue;
    }
    const refused = await take(run, file).then(
      () => null,
      (thrown: unknown) => toErrorRecord(thrown, 'INTERNAL'),
    );
    // Whoever wrote it may be gone: then nobody reads the reply, and it does no harm.
    await writeWhole(file.replace(/json$/, 'done'), { refused }).catch(() => undefined);
    await rm(file, { force: true });
  }
}

async function take(run: Run, file: string): Promise<void> {
  const verdict = JSON.parse(await readFile(file, 'utf8')) as MailedVerdict;
  switch (verdict.kind) {
    case 'approve':
      return await run.approve(verdict.ids, {
        always: verdict.always,
        ...(verdict.args === undefined ? {} : { args: verdict.args }),
      });
    case 'reject':
      return await run.reject(verdict.ids, verdict.message === undefined ? {} : { message: verdict.message });
    case 'answer':
      return await answerWith(run, verdict.id, verdict.text);
  }
}

/** Answers a question with what was typed; an id that nothing waits under is refused by the run, which knows what does wait. */
export async function answerWith(run: Run, id: string, text: string): Promise<void> {
  const request = run.pending.find((candidate) => candidate.id === id);
  await run.answer(id, request === undefined ? text : readAnswer(request, text));
}

/** What lies in a folder; nothing when it is not there yet. */
async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return [];
    throw thrown;
  });
}

function mailFolder(store: string): string {
  return path.join(path.dirname(path.resolve(store)), 'verdicts');
}

/** Whoever looks sees all of a file, or none of it. */
async function writeWhole(file: string, value: unknown): Promise<void> {
  try {
    await writeFile(`${file}.part`, JSON.stringify(value), { mode: 0o600 });
    await rename(`${file}.part`, file);
  } catch (thrown) {
    throw new CadreError('STORE_FAILED', `${file} cannot be written: ${describeThrown(thrown)}`, { cause: thrown });
  }
}
