import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { hasSamePrompt } from './compare-turn.ts';
import type { Rerendering, TurnDifference } from './rerendered-turn.ts';

/** Use of models by recorded turns. */
export interface RecordedUse {
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null when the cost of some call is unknown. */
  readonly cost: number | null;
}

/** Where a partial replay leaves the recorded run. */
export interface ReplayPlan {
  /** Turns that keep their recorded answers: those before the first one that differs. */
  readonly kept: number;
  /** The first turn that differs; undefined when all are the same. */
  readonly first: TurnDifference | undefined;
  /** Turns that are decided again on their recorded answers: the first one, when its prompt is the same. */
  readonly recordedAnswers: readonly string[];
  /** What the recorded turns took that the replay makes again. */
  readonly recorded: RecordedUse;
}

/**
 * Plans a partial replay from what edited profiles would change: turns before the first one that differs keep their answers; a turn whose prompt
 * is the same keeps its answer, and is decided again.
 *
 * @throws CadreError `OPTION_INVALID` for a turn that was not recorded
 */
export function planReplay(events: readonly CadreEvent[], { differences }: Rerendering, from: string | undefined): ReplayPlan {
  const starts = events.flatMap((event) => (event.type === 'turn.start' && event.prompt !== undefined ? [event] : []));
  const begin = from === undefined ? 0 : starts.find(({ turnId }) => turnId === from)?.seq;
  if (begin === undefined)
    throw new CadreError(
      'OPTION_INVALID',
      `replay: the run has no turn '${String(from)}'; it has ${starts.map(({ turnId }) => turnId).join(', ')}`,
    );
  const first = differences.find(({ seq }) => seq >= begin);
  const isDecidedAgain = first !== undefined && hasSamePrompt(first);
  const made = first === undefined ? [] : starts.filter(({ seq }) => seq > first.seq || (seq === first.seq && !isDecidedAgain));
  return {
    kept: starts.length - made.length,
    first,
    recordedAnswers: first !== undefined && isDecidedAgain ? [first.turnId] : [],
    recorded: useOf(events, new Set(made.map(({ turnId }) => turnId))),
  };
}

function useOf(events: readonly CadreEvent[], turnIds: ReadonlySet<string>): RecordedUse {
  let [inputTokens, outputTokens] = [0, 0];
  let cost: number | null = 0;
  for (const event of events) {
    if (event.type !== 'model.end' || !turnIds.has(event.turnId)) continue;
    inputTokens += event.usage.inputTokens ?? 0;
    outputTokens += event.usage.outputTokens ?? 0;
    cost = cost === null || event.cost === undefined ? null : cost + event.cost;
  }
  return { turns: turnIds.size, inputTokens, outputTokens, cost };
}
