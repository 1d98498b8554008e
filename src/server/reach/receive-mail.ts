import { readdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { CadreError, toErrorRecord } from '../../core/error.ts';
import { isJsonObject } from '../../core/json.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Run } from '../../engine/run.ts';
import { isActionKind, readAction } from './action-schemas.ts';
import { absent, isPrivate, longestUntakenMs, mailFolder, mailStore, namesIn, readLetter, writeWhole } from './mail-folder.ts';
import { performAction } from './perform-action.ts';
import type { RunAction } from './run-action.ts';

/** Milliseconds between checks of the folder, and number of letters acted on concurrently. */
const checkEveryMs = 200;
const maxAtOnce = 64;
/** Age in milliseconds from which letters are ignored: their senders take them back after `longestUntakenMs`, unless killed. */
const longestExpectedMs = longestUntakenMs + 2_000;

/**
 * Performs what other processes leave for the runs of an engine, until disposed: any terminal can stop a run, send it a message and
 * decide its requests, whichever process has it. Does nothing for a journal in memory.
 */
export function receiveMail(engine: Engine, store = mailStore(engine)): Disposable {
  const folder = mailFolder(store);
  // Letters that were there before may have come with the folder, such as an approval in a clone; their senders take them back.
  const earlier = store === 'memory' ? new Set<string>() : lettersIn(folder);
  const acting = new Set<Promise<void>>();
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      if (!(await isPrivate(folder))) return;
      for (const runId of await namesIn(folder)) {
        const run = engine.live(runId);
        const letters = path.join(folder, runId);
        if (run !== undefined && (await isPrivate(letters))) await takeAll(run, letters, { acting, earlier });
      }
    } finally {
      isLooking = false;
    }
  };
  // A folder that cannot be read now may be readable at the next check; a sender learns that its letter was not taken.
  const timer = store === 'memory' ? undefined : setInterval(() => void look().catch(() => undefined), checkEveryMs);
  timer?.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Paths of all letters in a mail folder; none when it cannot be read, as no letter is taken from it then. */
function lettersIn(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)));
  } catch {
    return new Set();
  }
}

/** Letters that are acted on, and those that are not taken. */
interface Mail {
  readonly acting: Set<Promise<void>>;
  readonly earlier: ReadonlySet<string>;
}

async function takeAll(run: Run, folder: string, { acting, earlier }: Mail): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (!name.endsWith('.json') || acting.size >= maxAtOnce || earlier.has(path.join(folder, name))) continue;
    const file = path.join(folder, name.slice(0, -'.json'.length));
    // From here on no other process takes it, and its sender knows that it was taken.
    const taken = await rename(`${file}.json`, `${file}.taken`).then(() => true, absent);
    if (taken !== true) continue;
    // Not awaited: a cancel takes as long as what it stops, and other letters must not wait for it. A letter that cannot be read, such as
    // one of another user, must not end the process.
    const done = answer(run, file)
      .catch(() => undefined)
      .finally(() => acting.delete(done));
    acting.add(done);
  }
}

async function answer(run: Run, file: string): Promise<void> {
  const letter = await readLetter(`${file}.taken`);
  // The sender has stopped waiting, or was killed: do nothing that is no longer expected.
  if (letter !== undefined && Date.now() - letter.writtenAt <= longestExpectedMs) {
    const reply = await act(run, letter.value);
    // If the sender is gone, an unread reply does no harm.
    await writeWhole(`${file}.done`, reply).catch(() => undefined);
  }
  await rm(`${file}.taken`, { force: true, recursive: true }).catch(() => undefined);
}

async function act(run: Run, value: unknown): Promise<unknown> {
  try {
    return { done: await performAction(run, readMailed(value)) };
  } catch (thrown) {
    return { refused: toErrorRecord(thrown, 'INTERNAL') };
  }
}

function readMailed(value: unknown): RunAction {
  if (!isJsonObject(value) || !isActionKind(value['kind']))
    throw new CadreError('OPTION_INVALID', 'this is not an action on a run');
  const { kind, ...fields } = value;
  return readAction(kind, fields, { what: `the ${kind}` });
}
