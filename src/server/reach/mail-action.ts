import { rm, unlink } from 'node:fs/promises';
import path from 'node:path';
import { nanoid } from 'nanoid';
import type { ErrorRecord } from '../../core/error.ts';
import { isJsonObject } from '../../core/json.ts';
import type { PendingRequest } from '../../core/state/pending.ts';
import { absent, longestUntakenMs, makeMailFolder, readLetter, writeWhole } from './mail-folder.ts';
import type { ActionDone, RunAction } from './run-action.ts';

/** Result of an action that was left for the process which advances the run. */
export type MailAnswer =
  | { readonly kind: 'done'; readonly done: ActionDone }
  /** The process took the action, and the run refused it. */
  | { readonly kind: 'refused'; readonly error: ErrorRecord }
  /** No process took the action, and none will. */
  | { readonly kind: 'untaken' }
  /** The process took the action and did not answer: it may have happened. */
  | { readonly kind: 'silent' };

/** Milliseconds between checks for the answer, and the longest wait once the action was taken: a cancel waits for what it stops. */
const checkEveryMs = 50;
const longestTakenMs = 60_000;
/** Milliseconds between checks whether a process still has the run. */
const holderCheckMs = 500;

/** Run that an action is for; `isHeld` tells whether a process still advances it. */
interface Addressee {
  readonly store: string;
  readonly runId: string;
  readonly isHeld: () => Promise<boolean>;
}

/**
 * Leaves an action for the process that advances a run, in a file beside the journal, and waits for the result; gives up when
 * `isHeld` says that no process has the run any more.
 */
export async function mailAction({ store, runId, isHeld }: Addressee, action: RunAction): Promise<MailAnswer> {
  const folder = await makeMailFolder(store, runId);
  const file = path.join(folder, nanoid());
  await writeWhole(`${file}.json`, action);
  for (const end = performance.now() + longestUntakenMs; performance.now() < end;) {
    const answer = await waitForAnswer(file, holderCheckMs);
    if (answer !== undefined) return answer;
    // The run has ended, or its process has: the action will not be taken.
    if (!(await isHeld())) break;
  }
  // If another process takes the file at the same instant, only one of the two succeeds.
  if (await takeBack(`${file}.json`)) return { kind: 'untaken' };
  return (await waitForAnswer(file, longestTakenMs)) ?? { kind: 'silent' };
}

async function waitForAnswer(file: string, ms: number): Promise<MailAnswer | undefined> {
  for (const end = performance.now() + ms; performance.now() < end;) {
    const reply = await readLetter(`${file}.done`);
    if (reply !== undefined) {
      await rm(`${file}.done`, { force: true });
      return readReply(reply.value);
    }
    await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
  }
  return undefined;
}

async function takeBack(file: string): Promise<boolean> {
  const removed = await unlink(file).then(() => true, absent);
  return removed === true;
}

function readReply(value: unknown): MailAnswer {
  if (!isJsonObject(value)) return { kind: 'silent' };
  const { refused, done } = value;
  if (isJsonObject(refused) && typeof refused['code'] === 'string' && typeof refused['message'] === 'string')
    return { kind: 'refused', error: refused as unknown as ErrorRecord };
  if (!isJsonObject(done) || typeof done['status'] !== 'string') return { kind: 'silent' };
  const { status, outcome, itemId, pending } = done;
  return {
    kind: 'done',
    done: {
      status,
      ...(typeof outcome === 'string' ? { outcome } : {}),
      ...(typeof itemId === 'string' ? { itemId } : {}),
      pending: Array.isArray(pending) ? pending.filter(isPendingRequest) : [],
    },
  };
}

function isPendingRequest(value: unknown): value is PendingRequest {
  return isJsonObject(value) && typeof value['id'] === 'string' && (value['kind'] === 'approval' || value['kind'] === 'question');
}
