import type { Ingestor } from '../core/inbox/ingestor.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { renderMarkdown } from './text/markdown.ts';
import { wrapInTags } from './text/wrapper-tags.ts';

/**
 * The text definition named by `content_key`, filled in; or the payload's own `content` (A1.4). Inline content is taken
 * as it is: its expressions were filled in where it was made, and what came out of them is not read as a template again.
 */
export const templatedContent: Ingestor = {
  name: 'templated_content',
  ingest: (payload, params, view) => {
    const key = contentKey(payload, params);
    if (key === undefined) return wrapInTags(inlineContent(payload), params);
    const template = view.profile.textDefinitions.get(key);
    const text = template === undefined ? `[Error: Template '${key}' not found]` : view.render(template, payload);
    return wrapInTags(text, params);
  },
};

function contentKey(payload: JsonValue, params: JsonObject): string | undefined {
  const own = isJsonObject(payload) ? payload['content_key'] : undefined;
  const key = own ?? (isJsonObject(payload) && payload['content'] !== undefined ? undefined : params['content_key']);
  return typeof key === 'string' ? key : undefined;
}

function inlineContent(payload: JsonValue): string {
  if (typeof payload === 'string') return payload;
  const content = isJsonObject(payload) ? payload['content'] : undefined;
  return typeof content === 'string' ? content : renderMarkdown(content ?? payload);
}
