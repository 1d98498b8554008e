import type { PendingRequest } from '../../core/state/pending.ts';
import type { Run } from '../../engine/run.ts';
import { toTerminalText } from '../../inspect/format/text/terminal-text.ts';
import { formatRequest } from '../terminal/format-pending.ts';
import { cardOf } from './card-of.ts';
import { giveVerdict } from './give-verdict.ts';
import type { Interruption } from '../terminal/interruption.ts';
import { verdictPrompt } from '../terminal/read-verdict.ts';
import { dropTypedAhead } from '../terminal/typed-ahead.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { watchRequest } from './watch-request.ts';
import type { Watcher } from '../terminal/watcher.ts';
import { createInterface } from 'node:readline/promises';

/** Result of driving a run: nothing left to do, waiting for a person who cannot be asked, or interrupted. */
export type Driven = 'settled' | 'pending' | 'interrupted';

/** Collaborators and settings of `driveRun`. */
export interface DriveParts {
  readonly terminal: Terminal;
  readonly watcher: Watcher;
  readonly interruption: Interruption;
  /** True when a person may be asked; false for JSON output. */
  readonly canAsk: boolean;
  /** Reports pending requests that cannot be asked here; when present, the run is driven on until they are decided elsewhere. */
  readonly reportPending?: (() => Promise<void>) | undefined;
  /** Replays what people said in a recorded run; false when there is nothing left to say. */
  readonly people?: ((run: Run) => Promise<boolean>) | undefined;
}

/** Waits until a run has nothing left to do; puts its requests to the person at the terminal meanwhile. */
export async function driveRun(run: Run, parts: DriveParts): Promise<Driven> {
  const { terminal, watcher, interruption, canAsk, reportPending, people } = parts;
  for (;;) {
    await Promise.race([run.settled(), interruption.asked]);
    await watcher.pause();
    if (interruption.signal.aborted) return 'interrupted';
    if (await people?.(run)) {
      watcher.go();
      continue;
    }
    const [request] = run.pending;
    if (run.state.outcome !== undefined || request === undefined) return 'settled';
    if (!canAsk || !terminal.isInteractive) {
      if (reportPending === undefined) return 'pending';
      await reportPending();
      watcher.go();
      await untilDecided(run, request, interruption);
      continue;
    }
    if ((await askPerson(run, request, { terminal, interruption })) === 'interrupted') return 'interrupted';
    watcher.go();
  }
}

/** Resolves when a request is no longer pending, or a signal asks to stop. */
async function untilDecided(run: Run, request: PendingRequest, interruption: Interruption): Promise<void> {
  using watch = watchRequest(run, request);
  if (watch.gone.aborted) return;
  const gone = new Promise<void>((resolve) => watch.gone.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([gone, interruption.asked]);
}

/** Asks until the typed line is a valid verdict, or the request is no longer pending. */
async function askPerson(
  run: Run,
  request: PendingRequest,
  { terminal, interruption }: Pick<DriveParts, 'terminal' | 'interruption'>,
): Promise<'decided' | 'interrupted'> {
  using watch = watchRequest(run, request);
  terminal.tell(
    `\n${formatRequest(await cardOf(run, request), { style: terminal.errorStyle, width: terminal.errorWidth, now: Date.now() })}`,
  );
  // The card is on screen; what was typed until now was meant for something else.
  await dropTypedAhead();
  while (!watch.gone.aborted) {
    const line = await promptLine(verdictPrompt(request), interruption, watch.gone);
    if (line === undefined && interruption.signal.aborted) return 'interrupted';
    if (line === undefined) break;
    const problem = await giveVerdict(run, request, line);
    if (problem === undefined) return 'decided';
    terminal.tell(`${toTerminalText(problem)}\n`);
  }
  terminal.tell(`\n${watch.outcome}\n`);
  return 'decided';
}

/**
 * Asks one question on stderr and returns the typed line; undefined when interrupted, or when the question is withdrawn.
 */
async function promptLine(question: string, interruption: Interruption, withdrawn: AbortSignal): Promise<string | undefined> {
  const signal = AbortSignal.any([interruption.signal, withdrawn]);
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  // A prompt reads Ctrl-C as a key, so no signal arrives by itself.
  prompt.once('SIGINT', () => interruption.interrupt());
  const closed = new Promise<undefined>((resolve) => prompt.once('close', () => resolve(undefined)));
  try {
    const answer = await Promise.race([prompt.question(question, { signal }), closed]);
    // Closed input: asking again would loop forever.
    if (answer === undefined && !signal.aborted) interruption.interrupt();
    return answer;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    prompt.close();
  }
}
