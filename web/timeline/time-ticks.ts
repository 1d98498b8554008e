import { toX, type TimeScale } from './time-scale.ts';

/** A tick on the time axis. */
export interface Tick {
  readonly x: number;
  readonly label: string;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
/** Distances between ticks, in familiar units. */
const steps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 30, 90, 365].map((count) => count * day),
];
const leastPx = 76;
const labelPx = 56;

/** Returns the ticks between two places, in time since the run began, with enough room for their labels. */
export function timeTicks(scale: TimeScale, origin: number, fromX: number, untilX: number): readonly Tick[] {
  const step = steps.find((ms) => ms * scale.pxPerMs >= leastPx) ?? 365 * day;
  const ticks: Tick[] = [];
  const last = scale.segments.at(-1)?.to ?? 0;
  for (const { from, to, x, width, isFolded } of scale.segments) {
    if (isFolded || x > untilX || x + width < fromX) continue;
    const visibleFrom = from + Math.max(0, fromX - x) / scale.pxPerMs;
    const visibleTo = Math.min(to, from + (untilX - x) / scale.pxPerMs);
    for (let at = Math.ceil((visibleFrom - origin) / step) * step; at + origin <= visibleTo; at += step) {
      const place = toX(scale, at + origin);
      // The button of a fold is here and would cover part of the label.
      if (to < last && place > x + width - labelPx) continue;
      if (place - (ticks.at(-1)?.x ?? Number.NEGATIVE_INFINITY) >= leastPx / 2)
        ticks.push({ x: place, label: sinceStart(at, step) });
    }
  }
  return ticks;
}

/** Formats the time since the run began, no finer than the step between ticks: `1.25 s`, `3:05`, `2:00:00`, `1 d 4 h`. */
export function sinceStart(ms: number, step = 1): string {
  if (ms < minute) {
    if (ms === 0) return '0';
    if (step < second) return ms < second ? `${ms} ms` : `${trimmed(ms / second)} s`;
    return `${ms / second} s`;
  }
  const seconds = ms / second;
  const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  const [hours = 0, minutes = 0, rest = 0] = clock;
  const fraction = step < second ? `.${String(Math.round(ms % second)).padStart(3, '0')}` : '';
  if (ms < hour) return `${minutes}:${pad(rest)}${fraction}`;
  const text = `${hours}:${pad(minutes)}${step < minute ? `:${pad(rest)}${fraction}` : ''}`;
  return ms < day ? `${text} h` : `${Math.floor(ms / day)} d ${text}`;
}

function trimmed(value: number): string {
  return String(Math.round(value * 1_000) / 1_000);
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
