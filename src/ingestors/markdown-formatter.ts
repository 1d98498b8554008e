import type { Ingestor } from '../core/inbox/ingestor.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { isStructured, renderMarkdown, scalarText, titleOf } from './text/markdown.ts';

const defaultTitle = '### Contextual Information';

/** A title and one `*   **Key**: value` line per field (A1.4), with `key_renames` and `exclude_keys`. An empty title is left out. */
export const markdownFormatter: Ingestor = {
  name: 'markdown_formatter',
  ingest: (payload, params) => {
    const title = typeof params['title'] === 'string' ? params['title'] : defaultTitle;
    const body = isJsonObject(payload) ? fieldLines(payload, params) : renderMarkdown(payload);
    return title === '' ? body : `${title}\n${body}`;
  },
};

function fieldLines(payload: JsonObject, params: JsonObject): string {
  const renames = isJsonObject(params['key_renames']) ? params['key_renames'] : {};
  const excluded = Array.isArray(params['exclude_keys']) ? params['exclude_keys'] : [];
  const keys = Object.keys(payload).filter((key) => !excluded.includes(key) && payload[key] !== undefined);
  if (keys.length === 0) return scalarText(null);
  return keys.map((key) => fieldLine(renamed(renames, key), payload[key])).join('\n');
}

function renamed(renames: JsonObject, key: string): string {
  const name = Object.hasOwn(renames, key) ? renames[key] : undefined;
  return typeof name === 'string' ? name : titleOf(key);
}

function fieldLine(title: string, value: JsonValue | undefined): string {
  const label = `*   **${title}**:`;
  return isStructured(value) ? `${label}\n${renderMarkdown(value, undefined, 1)}` : `${label} ${scalarText(value)}`;
}
