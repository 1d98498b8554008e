import type { Board } from '../../src/inspect/board.ts';
import type { ModuleStatus } from '../../src/core/team/work-module.ts';

/** Status of each module. */
export type ModuleStatuses = ReadonlyMap<string, ModuleStatus>;

/** Returns the status of each module of a board. */
export function statusesOf(board: Board): ModuleStatuses {
  return new Map(board.columns.flatMap(({ status, cards }) => cards.map(({ moduleId }) => [moduleId, status] as const)));
}

/** Returns the modules that are new or have changed their status. */
export function movedSince(before: ModuleStatuses, now: ModuleStatuses): ModuleStatuses {
  return new Map([...now].filter(([moduleId, status]) => before.get(moduleId) !== status));
}

/** Describes moves for screen readers: `WM_2 completed, WM_3 ongoing`. */
export function movesText(moved: ModuleStatuses): string {
  const most = 5;
  const shown = [...moved].slice(0, most).map(([moduleId, status]) => `${moduleId} ${statusWords(status)}`);
  return `${shown.join(', ')}${moved.size > most ? ` and ${moved.size - most} more` : ''}`;
}

/** Returns the name of a status on the board. */
export function statusWords(status: ModuleStatus): string {
  return status === 'pending_review' ? 'in review' : status;
}
