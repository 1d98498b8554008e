import type { RunContext } from '../../core/state/run-context.ts';
import type { WhyAnswer } from '../../inspect/why/why.ts';
import type { RecordedRun } from './recorded-run.ts';

/** Tokens of prompts that are searched at most, by their estimates: some seconds. Where prompts hold all of a long history, all of them would take hours. */
const mostTokens = 10_000_000;

/** What the search of a run's turns came to. */
export interface TurnSearch {
  /** Of the newest turn that has the text word by word; else of the newest that has it but for white space or case. */
  readonly answers: readonly WhyAnswer[];
  /** How many of the newest turns were searched. */
  readonly searched: number;
}

/** Searches a run's turns for a text, the newest first, until one has it word by word or their prompts are `most` tokens. */
export async function searchTurns(
  recorded: { readonly state: Pick<RunContext, 'turns'>; why(turnId: string, text: string): Promise<readonly WhyAnswer[]> },
  text: string,
  most = mostTokens,
): Promise<TurnSearch> {
  let best: readonly WhyAnswer[] = [];
  let searched = 0;
  let tokens = 0;
  for (const { turnId, start } of [...recorded.state.turns.values()].toReversed()) {
    tokens += start.prompt?.tokens ?? 0;
    if (searched > 0 && tokens > most) break;
    searched += 1;
    const answers = await recorded.why(turnId, text);
    if (answers[0]?.match === 'exact') return { answers, searched };
    if (best.length === 0) best = answers;
  }
  return { answers: best, searched };
}

/** Says that a text is nowhere, and where it was looked for. */
export function notFound({ state }: Pick<RecordedRun, 'state'>, searched: number): string {
  const { size } = state.turns;
  const where = searched < size ? `the newest ${searched} of the ${size} turns` : `the ${size} turns`;
  const more = searched < size ? '. To look further back, name a turn: cadre why RUN TURN TEXT' : '.';
  return `Not found: the text is in no prompt and no reply of ${where} of run ${state.meta.runId}${more}\n`;
}
