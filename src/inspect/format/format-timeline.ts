import type { TimelineBar } from '../timeline/timeline-bar.ts';
import type { Timeline, TimelineRow } from '../timeline/timeline.ts';
import { cell, Layout, safe, table } from './layout.ts';
import { durationText, timeText } from './quantity-text.ts';
import { styledStatus, type FormatOptions } from './text-style.ts';

const width = 60;

/** Renders a timeline: one row per agent; `=` model, `#` tools, `?` waiting for a person, `-` other time of a turn, `.` waiting in the inbox. */
export function formatTimeline(view: Timeline, options: FormatOptions = {}): string {
  const out = new Layout(options);
  const { style } = out;
  const length = Math.max(1, view.to - view.from);
  out.line(`${timeText(view.from)} to ${timeText(view.to)}, ${durationText(length)}${view.live ? ', live' : ''}`);
  out.line(style.dim('= model   # tools   ? waiting for a person   - other   . waiting in the inbox'));
  const rows = view.lanes.map((lane) => [
    cell(`${'  '.repeat(Math.min(lane.depth, 8))}${safe(lane.agentId, 40)}`, style.bold),
    { text: `|${style.cyan(laneText(lane, view.from, length, view.to))}|`, width: width + 2 },
    cell(`${lane.bars.length}`),
    cell(lane.status, (text) => styledStatus(style, text)),
  ]);
  for (const line of table(rows)) out.line(line);
  for (const gap of view.breaks.slice(0, 20))
    out.line(style.dim(`idle for ${durationText(gap.to - gap.from)} from ${timeText(gap.from)}`));
  for (const { at, downMs } of view.resumes.slice(-20))
    out.line(style.dim(`taken up again ${timeText(at)} after ${durationText(downMs)}`));
  if (view.breaks.length > 20) out.line(style.dim(`… ${view.breaks.length - 20} more idle stretches`));
  return out.toString();
}

function laneText(lane: TimelineRow, from: number, length: number, now: number): string {
  const cells = Array.from({ length: width }, () => ' ');
  const paint = (sign: string, start: number, end: number | undefined): void => {
    const first = column(start, from, length);
    const last = Math.max(first, column(end ?? now, from, length));
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

function column(at: number, from: number, length: number): number {
  return Math.min(width - 1, Math.max(0, Math.floor(((at - from) / length) * width)));
}
