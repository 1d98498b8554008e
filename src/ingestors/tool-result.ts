import type { Ingestor } from '../core/inbox/ingestor.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { contentText, type Content, type ContentPart } from '../core/prompt/message.ts';
import { isContentPart } from './text/content-part.ts';
import { isDispatchResult, renderDispatchResult } from './dispatch-result.ts';
import { renderMarkdown } from './text/markdown.ts';
import { readJson } from '../core/read-json.ts';

/**
 * The result of a tool call `{ tool_name, tool_call_id, is_error, content }` as the model reads it (A1.4): a text
 * as the tool returned it, an error as a report. A dispatch's result becomes a report per module unless `params.as_returned` is
 * true. Results from outside are framed when the inbox is read, whichever ingestor rendered them.
 */
export const toolResult: Ingestor = {
  name: 'tool_result',
  ingest: (payload, params) => {
    if (!isJsonObject(payload) || !Object.hasOwn(payload, 'content')) return renderMarkdown(payload);
    const name = String(payload['tool_name'] ?? 'unknown');
    const { content = null } = payload;
    if (payload['is_error'] === true) return errorReport(name, content);
    return typeof content === 'string' && name !== dispatchTool
      ? content
      : successContent(name, content, params['as_returned'] === true);
  },
};

/** The tool whose result becomes a report per module. */
const dispatchTool = 'dispatch_submodules';

function errorReport(toolName: string, content: JsonValue | undefined): Content {
  const parts = contentPartsOf(content);
  const details = parts === undefined ? (parsedObject(content) ?? content ?? null) : contentText(parts);
  const report = { tool_execution_failed: true, tool_name: toolName, error_details: details };
  // An escaped slash is the same JSON, and cannot close the tag.
  const text = `<tool_error_report>\n${JSON.stringify(report, null, 2).replaceAll('</', '<\\/')}\n</tool_error_report>`;
  const files = parts?.filter((part) => part.type === 'file') ?? [];
  return files.length === 0 ? text : [{ type: 'text', text }, ...files];
}

function successContent(toolName: string, content: JsonValue, asReturned: boolean): Content {
  if (toolName === dispatchTool && !asReturned) {
    const result = isJsonObject(content) ? content : parsedObject(content);
    if (isDispatchResult(result)) return renderDispatchResult(result);
  }
  if (typeof content === 'string') return content;
  return contentPartsOf(content) ?? dataText(content);
}

/** Data says itself how it wants to be read, or is shown as nested Markdown. */
function dataText(content: JsonValue): string {
  if (isJsonObject(content)) {
    const main = content['main_content_for_llm'];
    if (main !== undefined) return typeof main === 'string' ? main : renderMarkdown(main);
    const raw = content['_raw_json'];
    if (raw !== undefined) return JSON.stringify(raw, null, 2);
  }
  return renderMarkdown(content);
}

function contentPartsOf(content: JsonValue | undefined): readonly ContentPart[] | undefined {
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const items = content as readonly JsonValue[];
  return items.every(isContentPart) ? items : undefined;
}

/** The object a text is the JSON of; undefined when it is anything else. */
function parsedObject(content: JsonValue | undefined): JsonObject | undefined {
  if (typeof content !== 'string' || !content.startsWith('{')) return undefined;
  try {
    const value = readJson(content) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    // Plain words that begin with a brace.
    return undefined;
  }
}
