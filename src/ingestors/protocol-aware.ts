import type { Ingestor } from '../core/inbox/ingestor.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { emptyText, orderedKeys, propertyOf, renderMarkdown, scalarText } from './text/markdown.ts';
import { messageTranscript, readMessages } from './text/message-log.ts';

/**
 * A briefing `{ data, schema_for_rendering }` (A1.4): a heading, then every field in the schema's order under its
 * `x-handover-title`. Lists of messages are shown as a conversation.
 */
export const protocolAware: Ingestor = {
  name: 'protocol_aware',
  ingest: (payload) => {
    const { data, schema } = briefingOf(payload);
    const title = isJsonObject(schema) ? schema['x-handover-title'] : undefined;
    const heading = `## ${typeof title === 'string' && title !== '' ? title : 'Agent Briefing'}`;
    if (!isJsonObject(data)) return `${heading}\n${scalarText(data)}`;
    const fields = orderedKeys(data, schema).map((key) => field(data, key, schema));
    return `${heading}\n${fields.length === 0 ? emptyText : fields.join('\n')}`;
  },
};

/** A payload without `data` is itself the data: briefings may be posted from outside. */
function briefingOf(payload: JsonValue): { readonly data: JsonValue | undefined; readonly schema: JsonValue | undefined } {
  if (isJsonObject(payload) && Object.hasOwn(payload, 'data'))
    return { data: payload['data'], schema: payload['schema_for_rendering'] };
  return { data: payload, schema: undefined };
}

function field(data: JsonObject, key: string, schema: JsonValue | undefined): string {
  const value = data[key];
  const messages = Array.isArray(value) && value.length > 0 ? readMessages(value) : undefined;
  if (messages === undefined) return renderMarkdown({ [key]: value }, schema);
  return `* **${propertyOf(schema, key).title}:**\n${messageTranscript(messages)}`;
}
