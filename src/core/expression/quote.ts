import type { Scope } from './roots.ts';

/** Observes what one expression reads, and quotes its value accordingly. */
export interface Watch {
  /** The roots to read. */
  readonly scope: Scope;
  /** Returns the value as text for a prompt. */
  readonly text: (value: unknown) => string;
  /** Returns the value as data. */
  readonly data: (value: unknown) => unknown;
}

/** Begins to observe one expression, of this source, that reads these roots. */
export type Quote = (scope: Scope, source: string) => Watch;
