import { CadreError } from '../core/error.ts';
import { defaultRunLimits } from '../core/profile/limits.ts';
import type { Limits, UnknownCost } from '../core/profile/profile.ts';

/** Limits as callers write them: full names, or the short words of profiles. */
export type LimitOptions = Partial<Limits> & {
  readonly turns?: number;
  readonly toolCalls?: number;
  readonly tokens?: number;
  readonly costUsd?: number;
  readonly wallMs?: number;
  readonly depth?: number;
  readonly children?: number;
  readonly live?: number;
  readonly total?: number;
  /** Policy of a launch for a cost limit when a model has no price: `refuse` unless set. */
  readonly onUnknownCost?: UnknownCost;
};

const names: Readonly<Record<string, keyof Limits>> = {
  turns: 'maxTurns',
  toolCalls: 'maxToolCalls',
  tokens: 'maxTokens',
  costUsd: 'maxCostUsd',
  wallMs: 'maxWallMs',
  depth: 'maxDepth',
  children: 'maxChildren',
  live: 'maxLive',
  total: 'maxTotal',
  maxTurns: 'maxTurns',
  maxToolCalls: 'maxToolCalls',
  maxTokens: 'maxTokens',
  maxCostUsd: 'maxCostUsd',
  maxWallMs: 'maxWallMs',
  maxDepth: 'maxDepth',
  maxChildren: 'maxChildren',
  maxLive: 'maxLive',
  maxTotal: 'maxTotal',
  softAt: 'softAt',
};

/** Limits that may be fractions; all others are counts. */
const fractions: ReadonlySet<keyof Limits> = new Set(['maxCostUsd', 'maxWallMs', 'softAt']);

/** Limits that may be 0. */
const optional: ReadonlySet<keyof Limits> = new Set(['maxDepth', 'maxChildren']);

/**
 * Checks limits and gives them their full names. Refuses unknown names and infinite values: every limit is recorded with its run, and JSON
 * has no infinity.
 */
export function limitsOf(options: LimitOptions): Partial<Limits> {
  const limits: Partial<Record<keyof Limits, number>> = {};
  for (const [key, value] of Object.entries(options)) {
    if (key === 'onUnknownCost') {
      checkUnknownCost(value);
      continue;
    }
    const name = Object.hasOwn(names, key) ? names[key] : undefined;
    if (name === undefined)
      throw new CadreError(
        'OPTION_INVALID',
        `there is no limit '${key}'; there are: ${[...Object.keys(names), 'onUnknownCost'].join(', ')}`,
      );
    if (!isLimit(name, value))
      throw new CadreError('OPTION_INVALID', `limit '${key}' must be ${allowedFor(name)}, not ${shown(value)}`);
    limits[name] = value;
  }
  return limits;
}

function checkUnknownCost(value: unknown): void {
  if (value === undefined || value === 'refuse' || value === 'warn') return;
  throw new CadreError('OPTION_INVALID', `limit 'onUnknownCost' must be refuse or warn, not ${shown(value)}`);
}

function isLimit(name: keyof Limits, value: unknown): value is number {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (fractions.has(name)) return value > 0 && (name !== 'softAt' || value <= 1);
  return Number.isInteger(value) && value >= (optional.has(name) ? 0 : 1);
}

function allowedFor(name: keyof Limits): string {
  if (name === 'softAt') return 'a number above 0, at most 1';
  if (fractions.has(name)) return 'a finite number above 0';
  return optional.has(name) ? 'a whole number, 0 or more' : 'a whole number above 0';
}

function shown(value: unknown): string {
  return typeof value === 'object' ? 'an object' : String(value).slice(0, 60);
}

/** Returns the limits of a run: its own, else its engine's, else the defaults. */
export function runLimits(engine: LimitOptions, own: LimitOptions = {}): Limits {
  return { ...defaultRunLimits, ...limitsOf(engine), ...limitsOf(own) };
}

/** Returns the requested limits, capped by `most`. Only `most` decides whether a cost may be unknown. */
export function limitsWithin(most: LimitOptions, asked: LimitOptions): LimitOptions {
  const bounds = limitsOf(most);
  const limits: Partial<Record<keyof Limits, number>> = { ...bounds };
  for (const [key, value] of Object.entries(limitsOf(asked)) as [keyof Limits, number][])
    limits[key] = Math.min(value, bounds[key] ?? value);
  return most.onUnknownCost === undefined ? limits : { ...limits, onUnknownCost: most.onUnknownCost };
}
