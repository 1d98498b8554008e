import type { JsonObject } from '../../core/json.ts';

/** Data file whose rows a chart shows. */
export interface DataFile {
  readonly file: string;
  readonly text: string;
}

/** Job for the process that draws. */
export interface ChartJob {
  readonly spec: JsonObject;
  /** Data files, by their names in the spec; their rows are read where memory is bounded. */
  readonly tables: Readonly<Record<string, DataFile>>;
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
