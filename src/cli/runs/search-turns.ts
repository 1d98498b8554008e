import type { RunContext } from '../../core/state/run-context.ts';
import type { WhyAnswer } from '../../inspect/why/why.ts';
import type { RecordedRun } from './recorded-run.ts';

/** Maximum estimated prompt tokens searched, which takes seconds; all prompts of a long history could take hours. */
const maxTokens = 10_000_000;

/** Result of searching the turns of a run. */
export interface TurnSearch {
  /** Answers of the newest turn with an exact match, else of the newest that matches apart from white space or case. */
  readonly answers: readonly WhyAnswer[];
  /** Number of newest turns searched. */
  readonly searched: number;
}

/** Searches the turns of a run for a text, newest first, until an exact match or `limit` prompt tokens. */
export async function searchTurns(
  recorded: { readonly state: Pick<RunContext, 'turns'>; why(turnId: string, text: string): Promise<readonly WhyAnswer[]> },
  text: string,
  limit = maxTokens,
): Promise<TurnSearch> {
  let best: readonly WhyAnswer[] = [];
  let searched = 0;
  let tokens = 0;
  for (const { turnId, start } of [...recorded.state.turns.values()].toReversed()) {
    tokens += start.prompt?.tokens ?? 0;
    if (searched > 0 && tokens > limit) break;
    searched += 1;
    const answers = await recorded.why(turnId, text);
    if (answers[0]?.match === 'exact') return { answers, searched };
    if (best.length === 0) best = answers;
  }
  return { answers: best, searched };
}

/** Returns the message for a text that was not found, with the searched range. */
export function notFound({ state }: Pick<RecordedRun, 'state'>, searched: number): string {
  const { size } = state.turns;
  const where = searched < size ? `the newest ${searched} of the ${size} turns` : `the ${size} turns`;
  const more = searched < size ? '. To search further back, name a turn: cadre why RUN TURN TEXT' : '.';
  return `Not found: no prompt or reply of ${where} of run ${state.meta.runId} contains the text${more}\n`;
}
