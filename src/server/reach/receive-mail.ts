import { CadreError, toErrorRecord } from '../../core/error.ts';
import { isJsonObject } from '../../core/json.ts';
import type { EngineFolder } from '../../files/engine-folder.ts';
import { readBy } from '../../engine/input/read-by.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Run } from '../../engine/run.ts';
import { isActionKind, readAction } from './action-schemas.ts';
import { longestUntakenMs, mailFolder, mailStore, readLetter, writeLetter } from './mail-folder.ts';
import { performAction } from './perform-action.ts';
import type { Letter } from './run-action.ts';

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
  const earlier = new Set(store === 'memory' ? [] : folder.names().flatMap((runId) => lettersOf(runId, mailFolder(store, runId))));
  const acting = new Set<Promise<void>>();
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      for (const runId of folder.names()) {
        const run = engine.live(runId);
        const letters = mailFolder(store, runId);
        if (run !== undefined && (await letters.isPrivate())) await takeAll(run, letters, { acting, earlier });
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

/** Returns the letters of a run by unique names. */
function lettersOf(runId: string, folder: EngineFolder): readonly string[] {
  return folder.names().map((name) => `${runId}/${name}`);
}

/** Letters that are acted on, and those that are not taken. */
interface Mail {
  readonly acting: Set<Promise<void>>;
  readonly earlier: ReadonlySet<string>;
}

async function takeAll(run: Run, folder: EngineFolder, { acting, earlier }: Mail): Promise<void> {
  for (const letter of lettersOf(run.id, folder)) {
    if (!letter.endsWith('.json') || acting.size >= maxAtOnce || earlier.has(letter)) continue;
    const name = letter.slice(run.id.length + 1, -'.json'.length);
    // From here on no other process takes it, and its sender knows that it was taken.
    if (!(await folder.rename(`${name}.json`, `${name}.taken`))) continue;
    // Not awaited: a cancel takes as long as what it stops, and other letters must not wait for it. A letter that cannot be read, such as
    // one of another user, must not end the process.
    const done = answer(run, folder, name)
      .catch(() => undefined)
      .finally(() => acting.delete(done));
    acting.add(done);
  }
}

async function answer(run: Run, folder: EngineFolder, name: string): Promise<void> {
  const letter = await readLetter(folder, `${name}.taken`);
  // The sender has stopped waiting, or was killed: do nothing that is no longer expected.
  if (letter !== undefined && Date.now() - letter.writtenAt <= longestExpectedMs) {
    const reply = await act(run, letter.value);
    // If the sender is gone, an unread reply does no harm.
    await writeLetter(folder, `${name}.done`, reply).catch(() => undefined);
  }
  await folder.remove(`${name}.taken`).catch(() => undefined);
}

async function act(run: Run, value: unknown): Promise<unknown> {
  try {
    const { by, mayAnswer, ...action } = readMailed(value);
    return { done: await performAction(run, action, { ...readBy({ by }), ...(mayAnswer === undefined ? {} : { mayAnswer }) }) };
  } catch (thrown) {
    return { refused: toErrorRecord(thrown, 'INTERNAL') };
  }
}

function readMailed(value: unknown): Letter {
  if (!isJsonObject(value) || !isActionKind(value['kind']))
    throw new CadreError('OPTION_INVALID', 'this is not an action on a run');
  const { kind, by, mayAnswer, ...fields } = value;
  const action = readAction(kind, fields, { what: `the ${kind}` });
  if (by !== undefined && typeof by !== 'string') throw new CadreError('OPTION_INVALID', 'by is no text');
  return { ...action, ...readBy({ by }), ...(mayAnswer === false ? { mayAnswer } : {}) };
}
