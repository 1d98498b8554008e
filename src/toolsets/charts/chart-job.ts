import type { JsonObject } from '../../core/json.ts';

/** What the process that draws is asked. */
export interface ChartJob {
  readonly spec: JsonObject;
  /** Rows of files, by the name they have in the spec. */
  readonly tables: Readonly<Record<string, readonly JsonObject[]>>;
}

/** A chart that was drawn. */
export interface DrawnChart {
  readonly svg: string;
  readonly png: Uint8Array;
  readonly width: number;
  readonly height: number;
  /** What the drawing library, or the schema, has to say about the spec. */
  readonly warnings: readonly string[];
}
