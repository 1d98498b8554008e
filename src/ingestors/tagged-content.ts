import type { Ingestor } from '../core/inbox/ingestor.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import { wrapInTags } from './text/wrapper-tags.ts';

/** The payload between `wrapper_tags` (A1.4): a text as it is, data as indented JSON. */
export const taggedContent: Ingestor = {
  name: 'tagged_content',
  ingest: (payload, params) => wrapInTags(textOf(payload), params),
};

function textOf(payload: JsonValue): string {
  if (typeof payload === 'string') return payload;
  if (isJsonObject(payload) && typeof payload['content'] === 'string' && Object.keys(payload).length === 1)
    return payload['content'];
  return JSON.stringify(payload ?? null, null, 2);
}
