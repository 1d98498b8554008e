import path from 'node:path';
import type { CadreEvent } from '../../../src/core/events/event.ts';
import type { ContentHash } from '../../../src/core/ids.ts';
import type { ProgramOptions } from './decide-again.ts';
import { type DecisionLog, type LoggedDecision, type Made, written } from './decision-log.ts';
import { secondCopy } from './second-copy.ts';

/** Options for making decisions again. */
export interface Rebuilding {
  /** Options of the engine without its profiles: its tools, ingestors and observers. */
  readonly options: ProgramOptions;
  /** All events of the run, read back from its journal. */
  readonly events: readonly CadreEvent[];
  /** A text of the journal by its hash. */
  readonly text: (hash: ContentHash) => string | undefined;
}

/** The modules that make decisions again, with nothing in them that the program under test has left anywhere. */
export type Judges = Pick<typeof import('./decide-again.ts'), 'decideAgain' | 'DecisionContexts' | 'readBack'>;

/** Loads a second copy of everything that decides. */
export async function loadJudges(): Promise<Judges> {
  return await secondCopy<Judges>(path.join(import.meta.dirname, 'decide-again.ts'));
}

/**
 * Holds that deciding is a function of the journal: makes each decision of a log again on a state rebuilt from the journal, with the
 * profiles the journal names, and compares events, effects and refusals. Answers with what differs.
 *
 * 1. The decisions are made in another copy of the modules, so that no map or variable of the running program is there.
 * 2. They are made from the last to the first, so that nothing an earlier decision left in that copy is there, either.
 * 3. State is folded from what the stores' codec reads back, from nothing, for every decision; what was read is frozen.
 */
export async function checkDecisions(
  log: Pick<DecisionLog, 'decisions' | 'texts'>,
  judges: Judges,
  { options, events, text }: Rebuilding,
): Promise<readonly string[]> {
  const journal = judges.readBack(events.map(written));
  const decisions = new judges.DecisionContexts(options, (hash) => log.texts.get(hash) ?? text(hash));
  const differences: string[] = [];
  for (const decision of log.decisions.toReversed()) {
    const again = await judges.decideAgain(journal.slice(0, decision.seq), decision, decisions).catch((thrown: unknown) => thrown);
    const difference =
      again instanceof Error ? `it failed: ${again.stack ?? again.message}` : differenceOf(decision.made, again as Made);
    if (difference !== undefined) differences.push(`${describe(decision)}, made again from the journal: ${difference}`);
  }
  return differences.toReversed();
}

function describe({ runId, seq, inputs }: LoggedDecision): string {
  return `the decision of ${runId} after event ${seq} over ${inputs.map(({ kind }) => kind).join(', ') || 'nothing'}`;
}

function differenceOf(made: Made, again: Made): string | undefined {
  for (const part of ['refused', 'events', 'effects'] as const) {
    const length = Math.max(made[part].length, again[part].length);
    for (let index = 0; index < length; index++)
      if (made[part][index] !== again[part][index])
        return `${part}[${index}] is ${again[part][index] ?? 'missing'} and was ${made[part][index] ?? 'missing'}`;
  }
  return undefined;
}
