import type { Ingestor } from '../core/inbox/ingestor.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { ContentPart } from '../core/prompt/message.ts';
import { isContentPart } from './text/content-part.ts';
import { renderMarkdown } from './text/markdown.ts';

/** Renders the user's message (A1.4): a text, `{ prompt }`, `{ parts }` with files, or both. */
export const userPrompt: Ingestor = {
  name: 'user_prompt',
  ingest: (payload) => {
    if (typeof payload === 'string') return payload;
    if (!isJsonObject(payload)) return renderMarkdown(payload);
    const parts = partsOf(payload);
    const { prompt } = payload;
    if (parts === undefined) return typeof prompt === 'string' ? prompt : renderMarkdown(prompt ?? payload);
    return typeof prompt === 'string' && prompt !== '' ? [{ type: 'text', text: prompt }, ...parts] : parts;
  },
};

function partsOf(payload: JsonObject): readonly ContentPart[] | undefined {
  const { parts } = payload;
  if (parts === undefined) return undefined;
  if (!Array.isArray(parts) || parts.length === 0) throw new Error('parts must be a list of text and file parts that is not empty');
  return (parts as readonly JsonValue[]).map((part, index) => {
    if (isContentPart(part)) return part;
    throw new Error(
      `parts[${index}] must be { type: 'text', text } or { type: 'file', mediaType, data: { type: 'data' | 'url' | 'text', … } }`,
    );
  });
}
