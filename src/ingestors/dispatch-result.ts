import type { Ingestor } from '../core/inbox/ingestor.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { emptyText, isStructured, renderMarkdown, scalarText } from './text/markdown.ts';
import { messageTranscript, readMessages } from './text/message-log.ts';

/** The outcome of a dispatch (A1.4): summary, assignments that were not started, and a record per module with its work log. */
export const dispatchResult: Ingestor = {
  name: 'dispatch_result',
  ingest: (payload) => (isDispatchResult(payload) ? renderDispatchResult(payload) : renderMarkdown(payload)),
};

/** True when a value has the shape that the dispatch tool returns. */
export function isDispatchResult(value: JsonValue | undefined): value is JsonObject {
  return (
    isJsonObject(value) &&
    (Array.isArray(value['assignment_execution_results']) || Array.isArray(value['failed_preparation_details']))
  );
}

/** Renders a dispatch result as text. */
export function renderDispatchResult(result: JsonObject): string {
  const sections = [
    summary(result),
    failedPreparation(listOf(result['failed_preparation_details'])),
    ...listOf(result['assignment_execution_results']).map(record),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}

function summary(result: JsonObject): string {
  return `**Dispatch Operation Summary**\n* **Status:** ${scalarText(result['status'])}\n* **Message:** ${scalarText(result['message'])}`;
}

function failedPreparation(details: readonly JsonObject[]): string {
  if (details.length === 0) return '';
  const lines = details.map(({ input, reason }) => `* ${moduleOf(input)}: ${scalarText(reason)}`);
  return `**Assignments that were not started**\n${lines.join('\n')}`;
}

function moduleOf(input: JsonValue | undefined): string {
  const id = isJsonObject(input) ? input['module_id_to_assign'] : undefined;
  return typeof id === 'string' ? `Module ${id}` : `Assignment ${scalarText(input)}`;
}

function record(result: JsonObject): string {
  const id = scalarText(result['module_id']);
  const error = result['error_details'];
  return [
    `--- Start of Record for Module ${id} ---`,
    `* **Associate:** ${scalarText(result['associate_id'])}`,
    `* **Outcome:** ${scalarText(result['execution_status'])}`,
    ...(error === undefined || error === null
      ? []
      : [`* **Error:** ${isStructured(error) ? `\n${renderMarkdown(error, undefined, 1)}` : scalarText(error)}`]),
    '',
    '**Deliverables**',
    textOr(result['deliverables'], 'None.'),
    '',
    '**Work Log**',
    workLog(result['new_messages_from_associate']),
    `--- End of Record for Module ${id} ---`,
  ].join('\n');
}

/** The messages of an associate: a digest as it is, or a list under role tags. */
function workLog(messages: JsonValue | undefined): string {
  const read = Array.isArray(messages) && messages.length > 0 ? readMessages(messages) : undefined;
  return read === undefined ? textOr(messages, 'No messages.') : messageTranscript(read);
}

/** Data as Markdown, or words for a part that is missing. */
function textOr(value: JsonValue | undefined, otherwise: string): string {
  const text = renderMarkdown(value);
  return text === emptyText ? otherwise : text;
}
