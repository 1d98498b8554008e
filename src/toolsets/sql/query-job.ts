/** CSV file that a query sees as a table. */
export interface CsvSource {
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

/** Job for the process that runs queries. */
export type SqlJob = {
  /** Absolute path of the database; without it, only the tables from CSV files exist. */
  readonly database?: string;
} & (
  | { readonly kind: 'tables' }
  | {
      readonly kind: 'query';
      readonly sql: string;
      readonly parameters: readonly (string | number | null)[];
      readonly tables: readonly CsvSource[];
      readonly maxRows: number;
      readonly maxChars: number;
    }
);

/** Result of a query. */
export interface QueryResult {
  readonly columns: readonly string[];
  /** Formatted cells. */
  readonly rows: readonly (readonly string[])[];
  /** True when there are more rows than these. */
  readonly more: boolean;
}

/** Table or view of a database. */
export interface TableInfo {
  readonly name: string;
  readonly kind: string;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly key: boolean }[];
}

/** Formats a value for a cell; cuts long values. */
export function showCell(value: unknown, maxChars = 500): string {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Uint8Array) {
    const start = Buffer.from(value.subarray(0, 16)).toString('hex');
    return `x'${start}${value.length > 16 ? '…' : ''}' (${value.length} bytes)`;
  }
  const text = String(value);
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}… (${text.length} characters)`;
}
