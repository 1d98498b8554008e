import { isJsonObject, type JsonValue } from '../../core/json.ts';
import type { ContentPart } from '../../core/prompt/message.ts';

/** True when a value is a text or file part of a message. */
export function isContentPart(value: JsonValue): value is JsonValue & ContentPart {
  if (!isJsonObject(value)) return false;
  if (value['type'] === 'text') return typeof value['text'] === 'string';
  const { data } = value;
  if (value['type'] !== 'file' || typeof value['mediaType'] !== 'string' || !isJsonObject(data)) return false;
  const kind = data['type'];
  return (kind === 'data' || kind === 'url' || kind === 'text') && typeof data[kind] === 'string';
}
