import type { RunContext } from '../../core/state/run-context.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { costText, countText, durationText, tokensText } from '../../inspect/format/text/quantity-text.ts';
import type { TextStyle } from '../../inspect/format/text/text-style.ts';
import { fitEnd, fitText, padText, textWidth } from '../../inspect/format/text/text-width.ts';
import { wrapLine } from '../../inspect/format/text/wrap-line.ts';
import { agentRows, type AgentRow, type ToolProgress } from './agent-rows.ts';
import type { ModuleStatus } from '../../core/team/work-module.ts';

/** Input of a frame. */
export interface LiveFrameInput {
  readonly run: RunContext;
  /** Wall time in milliseconds since 1970. */
  readonly now: number;
  /** Size of the terminal, which a frame never exceeds. */
  readonly columns: number;
  readonly rows: number;
  readonly style: TextStyle;
  readonly progress?: ToolProgress;
  /** A last line, such as how far documents have been read. */
  readonly note?: string | undefined;
}

/** Number of lines besides agents and modules: title, totals and blank lines. */
const otherLines = 5;

/** Renders one frame of the live view: agents, board and totals. Pure. */
export function liveFrame(input: LiveFrameInput): readonly string[] {
  const { run, columns, rows, style, note } = input;
  const width = Math.max(1, columns - 1);
  const room = Math.max(2, rows - 1 - otherLines - (note === undefined ? 0 : 1));
  const board = boardRows(run, { columns: width, depth: Math.max(1, Math.floor(room / 3)), style });
  const agents = agentRows(run, input.progress);
  const shown = fitAgents(agents, Math.max(1, room - board.length));
  const lines = [
    titleLine(input, width),
    ...shown.map((row) => (typeof row === 'string' ? style.dim(fitText(row, width)) : agentLine(row, width, style))),
    ...(board.length === 0 ? [] : ['', ...board]),
    '',
    style.dim(fitText(totalsText(run), width)),
    ...(note === undefined ? [] : [style.dim(fitText(note, width))]),
  ];
  return lines.slice(0, Math.max(1, rows - 1)).map((line) => wrapLine(line, { width })[0] ?? '');
}

function titleLine({ run, now, style }: LiveFrameInput, width: number): string {
  const elapsed = durationText(now - run.meta.createdAt);
  const title = padText(safe(run.meta.title, 200), Math.max(1, width - textWidth(elapsed) - 2));
  return `${style.bold(title)}  ${style.cyan(elapsed)}`;
}

/** Picks the agents that fit, active ones first, in tree order, and adds a line that counts the others. */
function fitAgents(agents: readonly AgentRow[], room: number): readonly (AgentRow | string)[] {
  if (agents.length <= room) return agents;
  const places = Math.max(1, room - 1);
  const kept = new Set([...agents.filter((agent) => !agent.isEnded), ...agents.filter((agent) => agent.isEnded)].slice(0, places));
  const hidden = agents.filter((agent) => !kept.has(agent));
  const ended = hidden.filter((agent) => agent.isEnded).length;
  return [...agents.filter((agent) => kept.has(agent)), `… and ${countText(hidden.length, 'more agent')}, ${ended} of them done`];
}

function agentLine(row: AgentRow, width: number, style: TextStyle): string {
  const room = Math.min(36, Math.floor(width / 3));
  const label = padText(`${row.branch}${fitEnd(row.name, room - textWidth(row.branch))}`, room);
  const status = padText(row.status, 9);
  const right = `${countText(row.turns, 'turn').padStart(9)}  ${row.tokens.padStart(9)} tokens`;
  const fixed = textWidth(label) + 1 + textWidth(status) + 1;
  // Narrow terminals show the activity instead of the counts.
  const showsRight = width - fixed - textWidth(right) - 2 >= 12;
  const doing = fitText(row.doing, Math.max(0, width - fixed - (showsRight ? textWidth(right) + 2 : 0)));
  const middle = showsRight ? padText(doing, width - fixed - textWidth(right) - 2) : doing;
  const line = `${label} ${colored(row, status, style)} ${middle}${showsRight ? `  ${style.dim(right)}` : ''}`;
  return row.isEnded ? style.dim(line) : line;
}

function colored(row: AgentRow, status: string, style: TextStyle): string {
  switch (row.status) {
    case 'thinking':
    case 'tools':
      return style.cyan(status);
    case 'waiting':
    case 'queued':
      return style.yellow(status);
    case 'done':
      return style.green(status);
    default:
      return row.isEnded ? style.red(status) : status;
  }
}

function totalsText(run: RunContext): string {
  const { usage, counters } = run;
  return [
    countText(run.agents.size, 'agent'),
    countText(counters.turns, 'turn'),
    countText(counters.toolCalls, 'tool call'),
    `${tokensText(usage.inputTokens, usage.outputTokens)} tokens`,
    costText(usage.costUnknown ? null : usage.cost, usage.cost),
  ].join(' · ');
}

const columns: readonly { readonly status: ModuleStatus; readonly title: string }[] = [
  { status: 'pending', title: 'pending' },
  { status: 'ongoing', title: 'ongoing' },
  { status: 'pending_review', title: 'in review' },
  { status: 'completed', title: 'completed' },
];

/** Minimum column width for showing modules; in narrower ones they are only counted. */
const narrowest = 13;

/** Space available to the board. */
interface BoardRoom {
  readonly columns: number;
  /** Maximum number of work modules per column. */
  readonly depth: number;
  readonly style: TextStyle;
}

/** Renders the work modules in columns by status; empty while there are none. */
function boardRows(run: RunContext, room: BoardRoom): readonly string[] {
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
