import type { TableFormat, WorkerResult } from './aggregate-results.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { readJson } from '../read-json.ts';

/**
 * Extracts results, one entry per worker: from a tool's result (`{ tool_name, is_error, content }`, or the inbox item with it),
 * from the reports, assignments or phases in such a result, or from a list of any of these.
 */
export function toWorkerResults(value: JsonValue): readonly WorkerResult[] {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(toWorkerResults);
  if (!isJsonObject(value)) return [];
  if (isJsonObject(value['payload'])) return toWorkerResults(value['payload']);
  const { tool_name: tool, content } = value;
  if (typeof tool !== 'string' || content === undefined) return manyOf(value) ?? [readEntry(value)];
  const data = parsed(content);
  return (isJsonObject(data) ? manyOf(data) : undefined) ?? [toolResult(tool, data, value['is_error'] === true)];
}

/** Reads table formats, by operation, from settings or parameters; ignores malformed ones. */
export function readTableFormats(value: JsonValue | undefined): Readonly<Record<string, TableFormat>> {
  const formats = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    formats.flatMap(([operation, format]) => (isJsonObject(format) ? [[operation, readFormat(format)] as const] : [])),
  );
}

function readFormat({ rows, columns }: JsonObject): TableFormat {
  return {
    ...(typeof rows === 'string' ? { rows } : {}),
    ...(Array.isArray(columns) ? { columns: columns.filter((name): name is string => typeof name === 'string') } : {}),
  };
}

/** Splits the result of a dispatch, a call of agents or a plan. */
function manyOf(data: JsonObject): readonly WorkerResult[] | undefined {
  const { reports, assignment_execution_results: assignments, results } = data;
  if (Array.isArray(reports)) return objects(reports).map(reportEntry);
  if (Array.isArray(assignments)) return objects(assignments).map(assignmentEntry);
  if (isReport(data)) return [reportEntry(data)];
  if (!isJsonObject(results)) return undefined;
  if (Array.isArray(results['sections'])) return objects(results['sections']).map(readEntry);
  const { rows } = results;
  if (results['kind'] !== 'table' || !Array.isArray(rows)) return undefined;
  return [{ worker: '', operation: textOf(results['operation']), summary: textOf(data['summary']), result: rows }];
}

function isReport(data: JsonObject): boolean {
  return typeof data['profile'] === 'string' && typeof data['status'] === 'string' && data['output'] !== undefined;
}

function toolResult(tool: string, data: JsonValue, isError: boolean): WorkerResult {
  const summary = isError ? `${tool} failed: ${brief(data)}` : isJsonObject(data) ? textOf(data['summary']) : brief(data);
  // A failure is never a row.
  return { worker: tool, operation: tool, summary, result: isError ? { error: data } : data };
}

function reportEntry(report: JsonObject): WorkerResult {
  const { profile, status, output, deliverables, error } = report;
  const operation = textOf(profile);
  if (error !== undefined)
    return { worker: operation, operation, summary: `${textOf(status)}: ${brief(error)}`, result: { error } };
  const data = parsed(textOf(output));
  return { worker: operation, operation, ...bodyOf(isJsonObject(deliverables) ? deliverables : {}, data) };
}

function assignmentEntry(assignment: JsonObject): WorkerResult {
  const { module_id, associate_id, deliverables, error_details: error } = assignment;
  const place = { worker: textOf(associate_id), operation: textOf(module_id) };
  if (isJsonObject(error)) return { ...place, summary: `failed: ${brief(error)}`, result: { error } };
  return { ...place, ...bodyOf(isJsonObject(deliverables) ? deliverables : {}, '') };
}

/** Returns the deliverables, or else the reply; a summary beside other deliverables is the summary. */
function bodyOf(deliverables: JsonObject, said: JsonValue): Pick<WorkerResult, 'summary' | 'result'> {
  const { primary_summary: summary, ...data } = deliverables;
  if (Object.keys(data).length > 0) return { summary: textOf(summary), result: data };
  const result = typeof said === 'string' && typeof summary === 'string' ? summary : said;
  return { summary: textOf(summary) || brief(result), result };
}

function readEntry(entry: JsonObject): WorkerResult {
  const { worker, operation, summary, result } = entry;
  return { worker: textOf(worker), operation: textOf(operation), summary: textOf(summary), result: result ?? null };
}

function brief(value: JsonValue): string {
  if (typeof value === 'string') return value;
  const message = isJsonObject(value) ? value['message'] : undefined;
  return typeof message === 'string' ? message : Array.isArray(value) ? '' : JSON.stringify(value);
}

/** Parses a text that is the JSON of a list or an object; returns other values unchanged. */
function parsed(content: JsonValue): JsonValue {
  if (typeof content !== 'string' || !/^\s*[[{]/.test(content)) return content;
  try {
    return readJson(content) as JsonValue;
  } catch {
    // A text that merely begins with a bracket.
    return content;
  }
}

function objects(list: readonly JsonValue[]): readonly JsonObject[] {
  return list.filter(isJsonObject);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
