import type { ModelAttempt } from '../../../core/model/model.ts';
import { grouped } from './terminal-text.ts';

/** A duration in milliseconds in the largest fitting unit: `850 ms`, `4.2 s`, `3 min 5 s`, `2 h 10 min`. */
export function durationText(ms: number): string {
  if (!Number.isFinite(ms)) return '?';
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Renders a duration, or says that it has not ended. */
export function spanText(from: number, to: number | undefined): string {
  return to === undefined ? 'not ended' : durationText(to - from);
}

/** A wall time in ISO 8601, to the millisecond, in UTC. */
export function timeText(at: number): string {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : '?';
}

/** Tokens in and out. */
export function tokensText(input: number, output: number): string {
  return `${grouped(input)} in, ${grouped(output)} out`;
}

/** Renders US dollars; for an unknown cost (null), the known part. */
export function costText(cost: number | null | undefined, atLeast = 0): string {
  if (typeof cost === 'number') return `$${cost.toFixed(cost !== 0 && Math.abs(cost) < 0.01 ? 5 : 2)}`;
  return atLeast === 0 ? 'cost unknown' : `at least ${costText(atLeast)}`;
}

/** What an attempt without a reply used, in words; empty when it used nothing, and for one that was answered. */
export function attemptUseText({ usage, cost }: Pick<ModelAttempt, 'usage' | 'cost'>): string {
  if (usage === undefined) return '';
  return `used ${tokensText(usage.inputTokens ?? 0, usage.outputTokens ?? 0)}, ${costText(cost ?? null)}`;
}

/** A share of 0 to 1 in per cent. */
export function shareText(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A count with its noun: `1 turn`, `2 turns`. */
export function countText(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}
