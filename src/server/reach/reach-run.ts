import { CadreError, type ErrorRecord } from '../../core/error.ts';
import type { RunId } from '../../core/ids.ts';
import type { RunSummary } from '../../core/events/journal.ts';
import type { Engine } from '../../engine/engine.ts';
import type { EngineFolder } from '../../files/engine-folder.ts';
import { mailStore, longestUntakenMs, makeMailFolder, readLetter, writeLetter } from './mail-folder.ts';
import { performAction } from './perform-action.ts';
import type { ActionDone, ActorOption, Letter, RunAction } from './run-action.ts';
import { nanoid } from 'nanoid';
import { isJsonObject } from '../../core/json.ts';
import type { PendingRequest } from '../../core/state/pending.ts';

/** Acts on runs, whichever process advances them. */
export interface RunReach {
  /**
   * Performs an action of a person on a run; resolves once it is in the journal. Fails as the run refuses it, or with RUN_LOCKED when its process
   * does not answer.
   */
  act(runId: string, action: RunAction, actor?: ActorOption): Promise<ActionDone>;
}

/**
 * Reaches the runs of a journal: a run of this engine directly, a run of another process through the mail folder, and a run that no
 * process has by resuming it.
 */
export function reachRun(engine: Engine, store = mailStore(engine)): RunReach {
  return {
    act: async (runId, action, actor = {}) => {
      const live = engine.live(runId);
      if (live !== undefined) return await performAction(live, action, actor);
      const findRun = async (): Promise<RunSummary | undefined> => (await engine.runs({ runId: runId as RunId }))[0];
      const summary = await findRun();
      const done = summary === undefined ? undefined : await askHolder(summary, { ...action, ...actor }, { store, findRun });
      return done ?? (await actHere(engine, runId, { ...action, ...actor }));
    },
  };
}

/** Acts on a run that no process has by resuming it. A run to be cancelled is not resumed: no model or tool is started. */
export async function actHere(engine: Engine, runId: string, { by: person, mayAnswer, ...action }: Letter): Promise<ActionDone> {
  const by = person === undefined ? {} : { by: person };
  const isEnd = action.kind === 'cancel' && action.agentId === undefined && action.moduleId === undefined;
  const run = isEnd ? await engine.cancel(runId, action.reason, by) : await engine.resume(runId, by);
  return await performAction(run, action, { ...by, ...(mayAnswer === undefined ? {} : { mayAnswer }) });
}

/** Journal file of a run, and a query for its current summary. */
export interface HolderOptions {
  readonly store: string;
  readonly findRun: () => Promise<RunSummary | undefined>;
}

/**
 * Asks another process to act on the run it advances; undefined when no process has the run (`findRun` is asked while waiting), or its
 * process takes no letters: a resume then reports who holds it.
 *
 * @throws CadreError as the run refuses it; `RUN_LOCKED` when the process took the action and did not answer
 */
export async function askHolder(
  summary: RunSummary,
  action: Letter,
  { store, findRun }: HolderOptions,
): Promise<ActionDone | undefined> {
  if (store === 'memory' || !mayBeHeld(summary)) return undefined;
  const isHeld = async (): Promise<boolean> => {
    const now = await findRun();
    return now !== undefined && mayBeHeld(now);
  };
  const answer = await mailAction({ store, runId: summary.runId, isHeld }, action);
  switch (answer.kind) {
    case 'done':
      return answer.done;
    case 'refused':
      throw new CadreError(answer.error.code, answer.error.message);
    case 'silent':
      throw new CadreError(
        'RUN_LOCKED',
        `the process that has run ${summary.runId} took this action and has not answered; check the run before you repeat it`,
        { details: { runId: summary.runId } },
      );
    case 'untaken':
      return undefined;
  }
}

/** True when a process may be advancing a run: it has not ended and is not known to be abandoned. */
function mayBeHeld({ outcome, isAbandoned, isImported, status }: RunSummary): boolean {
  return (
    outcome === undefined &&
    isAbandoned !== true &&
    isImported !== true &&
    (status === 'running' || status === 'awaiting' || status === 'idle')
  );
}

/** Result of an action that was left for the process which advances the run. */
type MailAnswer =
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
async function mailAction({ store, runId, isHeld }: Addressee, action: Letter): Promise<MailAnswer> {
  const folder = await makeMailFolder(store, runId);
  const name = nanoid();
  await writeLetter(folder, `${name}.json`, action);
  for (const end = performance.now() + longestUntakenMs; performance.now() < end;) {
    const answer = await waitForAnswer(folder, name, holderCheckMs);
    if (answer !== undefined) return answer;
    // The run has ended, or its process has: the action will not be taken.
    if (!(await isHeld())) break;
  }
  // If another process takes the file at the same instant, only one of the two succeeds.
  if (await folder.remove(`${name}.json`)) return { kind: 'untaken' };
  return (await waitForAnswer(folder, name, longestTakenMs)) ?? { kind: 'silent' };
}

async function waitForAnswer(folder: EngineFolder, name: string, ms: number): Promise<MailAnswer | undefined> {
  for (const end = performance.now() + ms; performance.now() < end;) {
    const reply = await readLetter(folder, `${name}.done`);
    if (reply !== undefined) {
      await folder.remove(`${name}.done`);
      return readReply(reply.value);
    }
    await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
  }
  return undefined;
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
