import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/** Result of one worker, before aggregation. */
export interface WorkerResult extends JsonObject {
  readonly worker: string;
  /** The worker's operation: results of one operation have the same shape. */
  readonly operation: string;
  readonly summary: string;
  readonly result: JsonValue;
}

/** Aggregated results of several workers (B.67): a table of all rows, or one section each. */
export type AggregatedResults =
  | {
      readonly kind: 'table';
      readonly operation: string;
      readonly summary: string;
      readonly columns: readonly string[];
      readonly rows: readonly JsonObject[];
    }
  | { readonly kind: 'sections'; readonly summary: string; readonly sections: readonly WorkerResult[] };

/** Position of rows in the results of one operation. */
export interface TableFormat {
  /** Key of the list, when the result is an object. */
  readonly rows?: string;
  /** Columns to show, in order; all of them when absent. */
  readonly columns?: readonly string[];
}

/** Most sections in a joined summary, and the longest part. */
const summaryParts = 3;
const summaryChars = 200;

/** Column that names the row's worker, when several workers have rows. */
const workerColumn = 'worker';

/**
 * Aggregates results: those of one operation that are all lists become one table, all others become sections in the order of
 * the results. `formats` can describe the lists of an operation.
 */
export function aggregateResults(
  results: readonly WorkerResult[],
  formats: Readonly<Record<string, TableFormat>> = {},
): AggregatedResults {
  const summary = joinSummaries(results.map((entry) => entry.summary));
  const [first] = results;
  const sections = results.map((entry) => ({ ...entry, summary: shorten(entry.summary) }));
  if (first === undefined || results.some(({ operation }) => operation !== first.operation))
    return { kind: 'sections', summary, sections };
  const { operation } = first;
  const format = Object.hasOwn(formats, operation) ? formats[operation] : undefined;
  const lists = results.map((entry) => rowsOf(entry.result, format));
  if (!lists.every((list) => list !== undefined)) return { kind: 'sections', summary, sections };
  const isShared = new Set(results.map(({ worker }) => worker)).size > 1;
  const rows = lists.flatMap((list, index) =>
    list.map((row): JsonObject => (isShared ? { [workerColumn]: results[index]?.worker ?? '', ...row } : row)),
  );
  const columns = columnsOf(rows, format, isShared);
  return { kind: 'table', operation, summary, columns, rows: rows.map((row) => pick(row, columns)) };
}

/** Joins the beginnings of the first summaries, and counts the omitted ones. */
export function joinSummaries(summaries: readonly string[]): string {
  const said = summaries.map((summary) => summary.trim().replace(/\s+/g, ' ')).filter((summary) => summary !== '');
  const shown = said.slice(0, summaryParts).map(shorten);
  const more = said.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(' | ');
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length <= summaryChars ? text : `${characters.slice(0, summaryChars - 1).join('')}…`;
}

/** Returns the rows of a result: a list, or the only list in an object; undefined when there is none. */
function rowsOf(result: JsonValue, format: TableFormat | undefined): readonly JsonObject[] | undefined {
  const list = listOf(result, format);
  if (list === undefined) return undefined;
  const rows = list.map((entry): JsonObject | undefined => {
    if (isJsonObject(entry)) return entry;
    return Array.isArray(entry) ? undefined : { value: entry };
  });
  return rows.every((row) => row !== undefined) ? rows : undefined;
}

function listOf(result: JsonValue, format: TableFormat | undefined): readonly JsonValue[] | undefined {
  if (Array.isArray(result)) return result as readonly JsonValue[];
  if (!isJsonObject(result)) return undefined;
  if (format?.rows !== undefined) {
    const named = Object.hasOwn(result, format.rows) ? result[format.rows] : undefined;
    return Array.isArray(named) ? (named as readonly JsonValue[]) : undefined;
  }
  const values = Object.values(result);
  const [only] = values;
  return values.length === 1 && Array.isArray(only) ? (only as readonly JsonValue[]) : undefined;
}

function columnsOf(rows: readonly JsonObject[], format: TableFormat | undefined, isShared: boolean): readonly string[] {
  const chosen = format?.columns;
  if (chosen !== undefined) return isShared ? [workerColumn, ...chosen.filter((name) => name !== workerColumn)] : chosen;
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

function pick(row: JsonObject, columns: readonly string[]): JsonObject {
  return Object.fromEntries(columns.map((column) => [column, Object.hasOwn(row, column) ? (row[column] ?? null) : null]));
}
