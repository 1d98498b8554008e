/** A CSV file that a query sees as a table. */
export interface CsvSource {
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

/** What the process that runs queries is asked. */
export type SqlJob = {
  /** Absolute path of the database; without it there are only the tables made of files. */
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

/** What a query gave. */
export interface QueryResult {
  readonly columns: readonly string[];
  /** Cells as they are shown. */
  readonly rows: readonly (readonly string[])[];
  /** There are more rows than these. */
  readonly more: boolean;
}

/** One table or view of a database. */
export interface TableInfo {
  readonly name: string;
  readonly kind: string;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly key: boolean }[];
}

/** A value as it is shown in a cell; long ones are cut. */
export function showCell(value: unknown, maxChars = 500): string {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Uint8Array) {
    const start = Buffer.from(value.subarray(0, 16)).toString('hex');
    return `x'${start}${value.length > 16 ? '…' : ''}' (${value.length} bytes)`;
  }
  const text = String(value);
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}… (${text.length} characters)`;
}
