import type { JsonObject } from '../../core/json.ts';

/** Job for the process that draws. */
export interface ChartJob {
  readonly spec: JsonObject;
  /** Rows of data files, by their names in the spec. */
  readonly tables: Readonly<Record<string, readonly JsonObject[]>>;
}

/** Drawn chart. */
export interface DrawnChart {
  readonly svg: string;
  readonly png: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** Warnings of the drawing library and of the schema about the spec. */
  readonly warnings: readonly string[];
}
