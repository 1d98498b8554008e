import type { Board } from '../../src/inspect/board.ts';
import type { ModuleStatus } from '../../src/core/team/work-module.ts';

/** Where each module stands. */
export type Standing = ReadonlyMap<string, ModuleStatus>;

/** Where the modules of a board stand. */
export function standingOf(board: Board): Standing {
  return new Map(board.columns.flatMap(({ status, cards }) => cards.map(({ moduleId }) => [moduleId, status] as const)));
}

/** The modules that are new, or elsewhere than they were. */
export function movedSince(before: Standing, now: Standing): Standing {
  return new Map([...now].filter(([moduleId, status]) => before.get(moduleId) !== status));
}

/** Moves in a sentence, for those who hear the page: `WM_2 completed, WM_3 ongoing`. */
export function movesText(moved: Standing): string {
  const most = 5;
  const shown = [...moved].slice(0, most).map(([moduleId, status]) => `${moduleId} ${statusWords(status)}`);
  return `${shown.join(', ')}${moved.size > most ? ` and ${moved.size - most} more` : ''}`;
}

/** What a status is called on the board. */
export function statusWords(status: ModuleStatus): string {
  return status === 'pending_review' ? 'in review' : status;
}
