import type { TimelineBar } from '../timeline/timeline-bar.ts';
import type { Timeline, TimelineRow } from '../timeline/timeline.ts';
import { Layout, safe } from './text/layout.ts';
import { durationText, timeText } from './text/quantity-text.ts';
import { cell, table } from './text/table.ts';
import { styledStatus, type FormatOptions } from './text/text-style.ts';
import { fitEnd, fitText, textWidth } from './text/text-width.ts';

/** Width of the time axis in columns: default without a known width, minimum and maximum with one. */
const usualAxis = 60;
const widestAxis = 160;
const leastAxis = 24;
/** Columns between the cells of a row, and around the axis. */
const between = 2 * 3 + 2;

/** Renders a timeline: one row per agent; `=` model, `#` tools, `?` waiting for a person, `-` other time of a turn, `.` waiting in the inbox. */
export function formatTimeline(view: Timeline, options: FormatOptions = {}): string {
  const out = new Layout(options);
  const { style } = out;
  const length = Math.max(1, view.to - view.from);
  out.line(`${timeText(view.from)} to ${timeText(view.to)}, ${durationText(length)}${view.live ? ', live' : ''}`);
  out.line(style.dim('= model   # tools   ? waiting for a person   - other   . waiting in the inbox'));
  formatLanes(out, view);
  for (const gap of view.breaks.slice(0, 20))
    out.line(style.dim(`idle for ${durationText(gap.to - gap.from)} from ${timeText(gap.from)}`));
  for (const { at, downMs } of view.resumes.slice(-20))
    out.line(style.dim(`resumed ${timeText(at)} after ${durationText(downMs)}`));
  if (view.breaks.length > 20) out.line(style.dim(`… ${view.breaks.length - 20} more idle stretches`));
  return out.toString();
}

/** Renders one row per agent, with the axis as wide as the room allows; in a narrow room the axis gets a separate line. */
function formatLanes(out: Layout, view: Timeline): void {
  const { style, width } = out;
  const lanes = view.lanes.map((lane) => ({
    lane,
    indent: '  '.repeat(Math.min(lane.depth, 8)),
    name: safe(lane.agentId, 40),
    count: `${lane.bars.length}`,
  }));
  const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map(textWidth));
  const beside = widest(lanes.map(({ count }) => count)) + widest(lanes.map(({ lane }) => lane.status)) + between;
  const longest = widest(lanes.map(({ indent, name }) => `${indent}${name}`));
  const room = (width ?? 0) - beside;
  const names = width === undefined ? longest : Math.min(longest, Math.max(Math.floor(width / 3), room - usualAxis));
  const axis = width === undefined ? usualAxis : Math.min(widestAxis, room - names);
  if (width !== undefined && axis < leastAxis) {
    for (const { lane, indent, name, count } of lanes) {
      out.line(`${style.bold(`${indent}${name}`)}  ${count}  ${styledStatus(style, lane.status)}`);
      out.line(`|${style.cyan(laneText(lane, view, Math.max(1, Math.min(widestAxis, width - 2))))}|`);
    }
    return;
  }
  const rows = lanes.map(({ lane, indent, name, count }) => [
    // The end of a name distinguishes agents of one profile.
    cell(fitText(`${indent}${fitEnd(name, Math.max(1, names - indent.length))}`, names), style.bold),
    cell(`|${laneText(lane, view, axis)}|`, (text) => `|${style.cyan(text.slice(1, -1))}|`),
    cell(count),
    cell(lane.status, (text) => styledStatus(style, text)),
  ]);
  for (const line of table(rows)) out.branch(line, '', '  ');
}

function laneText(lane: TimelineRow, { from, to }: Timeline, axis: number): string {
  const length = Math.max(1, to - from);
  const column = (at: number): number => Math.min(axis - 1, Math.max(0, Math.floor(((at - from) / length) * axis)));
  const cells = Array.from({ length: axis }, () => ' ');
  const paint = (sign: string, start: number, end: number | undefined): void => {
    const first = column(start);
    const last = Math.max(first, column(end ?? to));
    for (let index = first; index <= last; index++) cells[index] = sign;
  };
  for (const bar of lane.bars) paintBar(bar, paint);
  return cells.join('');
}

function paintBar(bar: TimelineBar, paint: (sign: string, start: number, end: number | undefined) => void): void {
  for (const part of bar.parts) if (part.kind === 'wait') paint('.', part.from, part.to);
  paint('-', bar.from, bar.to);
  for (const part of bar.parts) {
    if (part.kind === 'exec') paint('=', part.from, part.to);
    if (part.kind === 'tools') paint('#', part.from, part.to);
    if (part.kind === 'person') paint('?', part.from, part.to);
  }
}
