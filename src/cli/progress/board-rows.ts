import type { RunContext } from '../../core/state/run-context.ts';
import type { ModuleStatus } from '../../core/team/work-module.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import type { TextStyle } from '../../inspect/format/text/text-style.ts';
import { fitText, padText } from '../../inspect/format/text/text-width.ts';

const columns: readonly { readonly status: ModuleStatus; readonly title: string }[] = [
  { status: 'pending', title: 'pending' },
  { status: 'ongoing', title: 'ongoing' },
  { status: 'pending_review', title: 'in review' },
  { status: 'completed', title: 'completed' },
];

/** Minimum column width for showing modules; in narrower ones they are only counted. */
const narrowest = 13;

/** Space available to the board. */
export interface BoardRoom {
  readonly columns: number;
  /** Maximum number of work modules per column. */
  readonly depth: number;
  readonly style: TextStyle;
}

/** Renders the work modules in columns by status; empty while there are none. */
export function boardRows(run: RunContext, room: BoardRoom): readonly string[] {
  const modules = Object.values(run.team.workModules).filter((module) => module.status !== 'deprecated');
  if (modules.length === 0) return [];
  const gap = 2;
  const width = Math.floor((room.columns - gap * (columns.length - 1)) / columns.length);
  const cards = columns.map(({ status }) => modules.filter((module) => module.status === status));
  if (width < narrowest)
    return [fitText(columns.map(({ title }, index) => `${title} ${cards[index]?.length ?? 0}`).join(', '), room.columns)];
  const title = columns.map((column, index) => padText(`${column.title} (${cards[index]?.length ?? 0})`, width));
  const depth = Math.min(room.depth, Math.max(...cards.map((list) => list.length)));
  const rows = Array.from({ length: depth }, (_, row) =>
    cards
      .map((list) => padText(cardText(list, row, depth), width))
      .join(' '.repeat(gap))
      .trimEnd(),
  );
  return [room.style.bold(title.join(' '.repeat(gap)).trimEnd()), ...rows];
}

function cardText(list: readonly { readonly module_id: string; readonly name: string }[], row: number, depth: number): string {
  const module = list[row];
  if (module === undefined) return '';
  if (row === depth - 1 && list.length > depth) return `… ${list.length - row} more`;
  return `${safe(module.module_id, 20)} ${safe(module.name, 100)}`;
}
