import { aggregateResults, type AggregatedResults, type WorkerResult } from '../core/team/aggregate-results.ts';
import type { Ingestor } from '../core/inbox/ingestor.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { readTableFormats, toWorkerResults } from '../core/team/worker-results.ts';
import { isStructured, renderMarkdown } from './text/markdown.ts';
import { toolResult } from './tool-result.ts';

/**
 * The results of several workers as one text (B.67): a table when all are lists of one operation, else a section each, under
 * `params.title`. `params.formats` says by operation (the name of a tool, a profile or a phase) which key of a result is the list, and which
 * columns are shown. One result of a tool that no format speaks of reads as `tool_result` has it.
 */
export const aggregatedResults: Ingestor = {
  name: 'aggregated_results',
  ingest: (payload, params, view) => {
    const formats = readTableFormats(params['formats']);
    if (isToolResult(payload)) {
      const isFormatted = Object.hasOwn(formats, String(payload['tool_name'])) && payload['is_error'] !== true;
      const single = isFormatted ? aggregateResults(toWorkerResults(payload), formats) : undefined;
      return single?.kind === 'table' ? titled(table(single), params) : toolResult.ingest(payload, params, view);
    }
    const results = toWorkerResults(payload);
    if (results.length === 0) return renderMarkdown(payload);
    return titled(render(aggregateResults(results, formats)), params);
  },
};

function isToolResult(payload: JsonValue): payload is JsonObject {
  return isJsonObject(payload) && typeof payload['tool_name'] === 'string' && Object.hasOwn(payload, 'content');
}

function titled(text: string, { title }: JsonObject): string {
  return typeof title === 'string' && title !== '' ? `${title}\n${text}` : text;
}

function render(results: AggregatedResults): string {
  switch (results.kind) {
    case 'table':
      return table(results);
    case 'sections':
      return results.sections.map(section).join('\n\n');
  }
}

function section({ worker, operation, summary, result }: WorkerResult): string {
  const name = operation === '' || operation === worker ? worker : worker === '' ? operation : `${worker}: ${operation}`;
  const body = typeof result === 'string' ? result : renderMarkdown(result);
  return [`### ${name}`, ...(summary === '' || body.startsWith(summary.slice(0, -1)) ? [] : [`_${summary}_`]), body].join('\n');
}

function table({ columns, rows }: Extract<AggregatedResults, { kind: 'table' }>): string {
  if (columns.length === 0) return '(no rows)';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(cellText)),
    line(columns.map(() => '---')),
    ...rows.map((row) => line(columns.map((column) => cellText(row[column] ?? null)))),
  ].join('\n');
}

/** Returns a value as one table cell, escaped so that it cannot break out of the row. */
function cellText(value: JsonValue): string {
  const text = value === null ? '' : isStructured(value) ? JSON.stringify(value) : String(value);
  return text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();
}
