import type { RunId } from '../../core/ids.ts';
import type { Differing } from '../rerender/compare-turn.ts';
import type { TurnPart } from '../rerender/rerendered-turn.ts';
import type { RunOverview } from '../run-overview.ts';

/** Part in which two aligned turns differ: what follows from the profile, and what came from a model, a tool or a person. */
export type ComparedPart = TurnPart | 'model' | 'reply' | 'results' | 'clock';

/** Where a difference between two runs came from. */
export type DifferenceCause =
  | 'input'
  | 'profile text'
  | 'model'
  | 'model reply'
  | 'tool result'
  | 'another agent'
  | 'person'
  | 'state'
  | 'clock'
  | 'length';

/** Figures of one turn. */
export interface TurnFigures {
  readonly turnId: string;
  readonly ms: number | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** US dollars; null when unknown. */
  readonly cost: number | null;
  readonly model: string | undefined;
  readonly decision: string;
  readonly calls: readonly string[];
}

/** Two turns of the same place, or one that only one run has. */
export interface ComparedTurn {
  readonly before: TurnFigures | undefined;
  readonly after: TurnFigures | undefined;
  /** Parts that differ; empty when the turns are the same, `clock` alone when only dates and times differ. */
  readonly parts: readonly ComparedPart[];
}

/** The first difference of two runs. */
export interface FirstDifference {
  readonly turnId: string;
  readonly part: ComparedPart;
  readonly cause: DifferenceCause;
  /** What it is, in words. */
  readonly detail: string;
  /** What of the prompt, observers, gates and decision differs in that turn. */
  readonly difference: Differing;
  /** The reply or the result in both runs, when it is what differs. */
  readonly texts?: { readonly before: string; readonly after: string };
}

/** Figures of one run. */
export type RunFigures = Pick<
  RunOverview,
  | 'runId'
  | 'title'
  | 'profile'
  | 'status'
  | 'outcome'
  | 'output'
  | 'turns'
  | 'toolCalls'
  | 'modelCalls'
  | 'inputTokens'
  | 'outputTokens'
  | 'cost'
  | 'costAtLeast'
> & {
  /** Milliseconds of working time. */
  readonly ms: number;
  readonly agents: number;
};

/** One run compared with the first one. */
export interface PairComparison {
  readonly before: RunId;
  readonly after: RunId;
  /** Turns that are the same, apart from dates and times. */
  readonly same: number;
  readonly differ: number;
  readonly turns: readonly ComparedTurn[];
  /** Absent when the runs are the same, turn by turn; about the clock only when nothing else differs. */
  readonly first?: FirstDifference;
}

/** Runs beside each other: each one compared with the first. */
export interface RunComparison {
  readonly runs: readonly RunFigures[];
  readonly pairs: readonly PairComparison[];
}
