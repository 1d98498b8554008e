import type { Board, BoardAttempt, BoardCard } from '../board.ts';
import { Layout, safe } from './text/layout.ts';
import { spanText } from './text/quantity-text.ts';
import { styledStatus, type FormatOptions } from './text/text-style.ts';

/** Renders the board: columns one below the other, modules with their attempts. */
export function formatBoard(view: Board, options: FormatOptions = {}): string {
  const out = new Layout(options);
  if (view.total === 0) return out.line('No work modules.').toString();
  const filled = view.columns.filter((column) => column.cards.length > 0);
  filled.forEach((column, index) => {
    if (index > 0) out.line();
    out.line(`${out.style.bold(styledStatus(out.style, column.status))} (${column.cards.length})`);
    for (const card of column.cards) formatCard(out, card);
  });
  return out.toString();
}

function formatCard(out: Layout, card: BoardCard): void {
  const { style } = out;
  const marks = [
    ...(card.isRework ? [style.yellow('rework')] : []),
    ...(card.blockedBy.length === 0 ? [] : [`waits for ${card.blockedBy.map((id) => safe(id)).join(', ')}`]),
    ...(card.assignee === undefined ? [] : [assigneeText(card.assignee)]),
  ];
  out.line(`${style.cyan(safe(card.moduleId))} ${safe(card.name)}${marks.length === 0 ? '' : `  [${marks.join('; ')}]`}`, 2);
  if (card.notes !== '') out.field('notes', card.notes, 4);
  card.attempts.forEach((attempt, index) => out.line(attemptText(out, attempt, index), 4));
}

function assigneeText(assignee: NonNullable<BoardCard['assignee']>): string {
  const doing =
    assignee.doing.length === 0
      ? assignee.status
      : `${assignee.status}: ${assignee.doing.map((name) => safe(name, 60)).join(', ')}`;
  return `${safe(assignee.agentId)}, ${doing}`;
}

function attemptText(out: Layout, attempt: BoardAttempt, index: number): string {
  const role = [attempt.profile, attempt.roleName]
    .filter((part) => part !== '')
    .map((part) => safe(part, 60))
    .join(', ');
  const summary = attempt.summary === undefined || attempt.summary === '' ? '' : `: ${safe(attempt.summary)}`;
  const error =
    attempt.error === undefined || attempt.error === null ? '' : `: ${out.style.red(safe(JSON.stringify(attempt.error)))}`;
  return `${index + 1}. ${safe(attempt.agentId)}${role === '' ? '' : ` (${role})`}  ${styledStatus(out.style, attempt.outcome)}  ${spanText(attempt.startedAt, attempt.endedAt)}${summary}${error}`;
}
