import { CadreError, describeThrown } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { readJson } from '../../core/read-json.ts';
import { isNumericColumn, parseCsv } from '../data/parse-csv.ts';
import type { DataFile } from './chart-job.ts';

/**
 * Reads the rows of a data file: CSV (columns of numbers become numbers, empty cells null), or JSON with a list of objects.
 *
 * @throws CadreError `TOOL_FAILED` with the file and the problem
 */
export function readRows({ file, text }: DataFile): readonly JsonObject[] {
  try {
    return /\.json$/i.test(file) ? jsonRows(text) : csvRows(text);
  } catch (thrown) {
    const reason = thrown instanceof CadreError ? thrown.message : describeThrown(thrown);
    throw new CadreError('TOOL_FAILED', `${file} has no rows to draw: ${reason}`, { cause: thrown });
  }
}

function jsonRows(text: string): readonly JsonObject[] {
  const value = readJson(text) as JsonValue;
  if (Array.isArray(value) && (value as readonly JsonValue[]).every(isJsonObject)) return value as readonly JsonObject[];
  throw new CadreError('TOOL_FAILED', 'it must be a list of objects.');
}

function csvRows(text: string): readonly JsonObject[] {
  const table = parseCsv(text);
  const numeric = table.columns.map((_, index) => isNumericColumn(table, index));
  return table.rows.map((row) =>
    Object.fromEntries(
      table.columns.map((column, index) => {
        const cell = row[index] ?? '';
        if (cell === '') return [column, null];
        return [column, numeric[index] === true ? Number(cell) : cell];
      }),
    ),
  );
}
