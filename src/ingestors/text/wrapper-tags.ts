import type { JsonObject } from '../../core/json.ts';

/** Wraps a text in the `wrapper_tags` of the parameters, each on a separate line; returns it unchanged without them. */
export function wrapInTags(text: string, params: JsonObject): string {
  const tags = params['wrapper_tags'];
  if (tags === undefined || tags === null) return text;
  const [open, close] = Array.isArray(tags) ? (tags as readonly unknown[]) : [];
  if (typeof open !== 'string' || typeof close !== 'string')
    throw new Error('wrapper_tags must be a list of two texts, the opening and the closing tag');
  return `${open}\n${text}\n${close}`;
}

/** Escapes a text so that it cannot close the tag around it. */
export function withoutTag(text: string, tag: string): string {
  return text.replace(new RegExp(`<(?=[\\s/]*${tag})`, 'gi'), '&lt;');
}
