import type { Ingestor } from '../core/inbox/ingestor.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { messageLines, readMessages } from './text/message-log.ts';
import { withoutTag } from './text/wrapper-tags.ts';

const tag = 'principal_activity_log';

/**
 * The latest messages of the principal, clipped (A1.4): `max_messages` 10, `max_content_chars` 200, `max_args_chars` 70.
 * Takes a list of messages or `{ messages }`.
 */
export const principalHistorySummary: Ingestor = {
  name: 'principal_history_summary',
  ingest: (payload, params) => {
    const messages = readMessages(messagesOf(payload)) ?? [];
    const max = count(params, 'max_messages', 10);
    const shown = messages.slice(Math.max(0, messages.length - max));
    const omitted = messages.length - shown.length;
    const limits = { content: count(params, 'max_content_chars', 200), args: count(params, 'max_args_chars', 70) };
    const lines = shown.flatMap((message) => messageLines(message, limits)).map((line) => withoutTag(line, tag));
    const body = [
      ...(omitted > 0 ? [`… (omitting ${omitted} older messages)`] : []),
      ...(messages.length === 0 ? ['(no activity yet)'] : lines),
    ];
    const title = typeof params['title'] === 'string' && params['title'] !== '' ? `${params['title']}\n` : '';
    return `${title}<${tag}>\n${body.join('\n')}\n</${tag}>`;
  },
};

function messagesOf(payload: JsonValue): JsonValue | undefined {
  return isJsonObject(payload) ? payload['messages'] : payload;
}

function count(params: JsonObject, key: string, fallback: number): number {
  const value = params[key];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.floor(value) : fallback;
}
