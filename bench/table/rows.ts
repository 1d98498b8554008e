/** One row of the table: a figure of a probe, and its aim. */
export interface TableRow {
  readonly label: string;
  readonly probe: string;
  readonly figure: string;
  readonly unit: string;
  /** Most times the floor of the same run, or the most itself. */
  readonly aim?: { readonly floors: number } | { readonly most: number };
  /** Divides the figure: 1,000 shows a time in milliseconds as seconds. */
  readonly scale?: number;
}

/** Rows of the table, in order. */
export const tableRows: readonly TableRow[] = [
  { label: 'tool turn in memory, run of 100', probe: 'memory-100', figure: 'cpu', unit: 'µs CPU', aim: { floors: 6 } },
  { label: 'tool turn in memory, run of 1,000', probe: 'memory-1000', figure: 'cpu', unit: 'µs CPU', aim: { floors: 3 } },
  { label: '… of the first 200 turns of a process', probe: 'first-200', figure: 'cpu', unit: 'µs CPU' },
  { label: '… of the first 2,000', probe: 'first-2000', figure: 'cpu', unit: 'µs CPU' },
  { label: '… of the first 32,000', probe: 'first-32000', figure: 'cpu', unit: 'µs CPU' },
  { label: '… of a warm process', probe: 'warm', figure: 'cpu', unit: 'µs CPU' },
  { label: '… left by minor collections', probe: 'warm', figure: 'kilobytes', unit: 'KB' },
  { label: 'durable tool turn, run of 100', probe: 'sqlite-100', figure: 'cpu', unit: 'µs CPU', aim: { floors: 4 } },
  { label: 'durable tool turn, run of 1,000', probe: 'sqlite-1000', figure: 'cpu', unit: 'µs CPU', aim: { floors: 4 } },
  { label: 'durable unsafe turn, run of 100', probe: 'unsafe-100', figure: 'cpu', unit: 'µs CPU' },
  { label: 'the same', probe: 'unsafe-100', figure: 'wall', unit: 'µs' },
  { label: 'durable unsafe turn, run of 1,000', probe: 'unsafe-1000', figure: 'cpu', unit: 'µs CPU' },
  { label: 'the same', probe: 'unsafe-1000', figure: 'wall', unit: 'µs' },
  { label: 'heap kept per turn', probe: 'heap', figure: 'kilobytes', unit: 'KB', aim: { most: 2 } },
  { label: 'streamed delta', probe: 'delta', figure: 'cpu', unit: 'µs CPU', aim: { floors: 3 } },
  { label: 'first answer of a process', probe: 'start', figure: 'wall', unit: 'ms', aim: { floors: 0.9 } },
  { label: '1,000 sub-agents', probe: 'fan-out-1000', figure: 'wall', unit: 'ms', aim: { floors: 2.5 } },
  { label: '… longest block', probe: 'fan-out-1000', figure: 'block', unit: 'ms', aim: { most: 50 } },
  { label: '5,000 sub-agents', probe: 'fan-out-5000', figure: 'wall', unit: 'ms' },
  { label: '… longest block', probe: 'fan-out-5000', figure: 'block', unit: 'ms', aim: { most: 50 } },
  { label: '1,000 launches', probe: 'launches-1000', figure: 'wall', unit: 'ms' },
  { label: '… longest block', probe: 'launches-1000', figure: 'block', unit: 'ms', aim: { most: 50 } },
  { label: '10,000 launches', probe: 'launches-10000', figure: 'wall', unit: 'ms' },
  { label: '… longest block', probe: 'launches-10000', figure: 'block', unit: 'ms', aim: { most: 50 } },
  { label: '1,000 durable launches', probe: 'durable-1000', figure: 'wall', unit: 'ms' },
  { label: '… longest block', probe: 'durable-1000', figure: 'block', unit: 'ms', aim: { most: 50 } },
  { label: '100,000 inbox items, sent', probe: 'inbox', figure: 'posted', unit: 's', scale: 1_000 },
  { label: '… read', probe: 'inbox', figure: 'wall', unit: 's', aim: { most: 2 }, scale: 1_000 },
  { label: '… longest block', probe: 'inbox', figure: 'block', unit: 'ms', aim: { most: 50 } },
];
