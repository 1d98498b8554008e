import { isDeepStrictEqual } from 'node:util';
import type { ContentPart } from '../../core/prompt/message.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { toolReturn, type ToolReturn } from '../../core/tool/tool-return.ts';
import { toWire } from '../../core/tool/to-wire.ts';
import { toContentParts } from '../../tools/content-parts.ts';
import { stableJson } from '../../tools/stable-json.ts';
import { readJson } from '../../core/read-json.ts';

/** Converts a server's answer to a tool result: every kind of content reaches the model, as it is or as JSON. */
export function readCallResult(result: JsonObject): ToolReturn {
  const listed = Array.isArray(result['content']) ? (result['content'] as readonly JsonValue[]) : [];
  const parts = listed.flatMap((item) => readContent(item));
  const structured = result['structuredContent'] ?? result['toolResult'];
  if (structured !== undefined && !parts.some((part) => isSameContent(part, structured)))
    parts.push({ type: 'text', text: stableJson(toWire(structured)) });
  const [only] = parts;
  const content = parts.length === 1 && only?.type === 'text' ? only.text : parts;
  return toolReturn({ content, isError: result['isError'] === true });
}

/** The types of content that the protocol has; all others are shown as JSON. */
const contentTypes: ReadonlySet<string> = new Set(['text', 'image', 'audio', 'resource']);

function readContent(item: JsonValue): readonly ContentPart[] {
  if (isJsonObject(item)) {
    if (item['type'] === 'resource_link') return [{ type: 'text', text: describeLink(item) }];
    const whole = inOneLine(item);
    const problem = dataProblem(whole);
    if (problem !== undefined) return [...origin(item), { type: 'text', text: problem }];
    const converted = contentTypes.has(String(item['type'])) ? toContentParts([whole]) : undefined;
    if (converted !== undefined) return [...origin(item), ...converted];
  }
  return [{ type: 'text', text: stableJson(toWire(item)) }];
}

/** Returns an item without line breaks in its base64: some encoders add them, and providers refuse them. */
function inOneLine(item: JsonObject): JsonObject {
  const { data, resource } = item;
  const joined = (text: string): string => text.replaceAll(/[\r\n]/g, '');
  if ((item['type'] === 'image' || item['type'] === 'audio') && typeof data === 'string') return { ...item, data: joined(data) };
  if (item['type'] !== 'resource' || !isJsonObject(resource) || typeof resource['blob'] !== 'string') return item;
  return { ...item, resource: { ...resource, blob: joined(resource['blob']) } };
}

/** Returns why bytes of a server are not passed on: a provider would refuse the prompt, or fetch an address that the server chose. */
function dataProblem(item: JsonObject): string | undefined {
  const { type, resource } = item;
  const isBlob = type === 'resource' && isJsonObject(resource) && typeof resource['text'] !== 'string';
  if (type !== 'image' && type !== 'audio' && !isBlob) return undefined;
  const data = isBlob ? resource['blob'] : item['data'];
  if (typeof data === 'string' && isBase64(data)) return undefined;
  return `[${isBlob ? 'resource' : type} left out: its ${isBlob ? 'blob' : 'data'} is not base64]`;
}

/** Without one expression over all of it, which could be too long for the stack. */
function isBase64(data: string): boolean {
  const body = data.replace(/={1,2}$/, '');
  const isWhole = body.length === data.length ? body.length % 4 !== 1 : data.length % 4 === 0;
  return body !== '' && isWhole && !/[^A-Za-z0-9+/]/.test(body);
}

/** Returns the source of an embedded resource, which its text does not contain. */
function origin(item: JsonObject): readonly ContentPart[] {
  const { resource } = item;
  const uri = item['type'] === 'resource' && isJsonObject(resource) ? resource['uri'] : undefined;
  return typeof uri === 'string' ? [{ type: 'text', text: `[resource ${uri}]\n` }] : [];
}

function describeLink(link: JsonObject): string {
  const known = ['title', 'name', 'mimeType', 'size', 'description'].flatMap((key) => {
    const value = link[key];
    return typeof value === 'string' || typeof value === 'number' ? [`${key}: ${value}`] : [];
  });
  return `[resource ${String(link['uri'])}${known.length === 0 ? '' : `; ${known.join('; ')}`}]`;
}

/**
 * True when a text repeats the structured content: servers do so for older clients, or wrap the text as structured content; it is shown
 * once.
 */
function isSameContent(part: ContentPart, structured: JsonValue): boolean {
  if (part.type === 'text' && isJsonObject(structured)) {
    const values = Object.values(structured);
    if (values.length === 1 && values[0] === part.text) return true;
  }
  if (part.type !== 'text' || !/^\s*[{["\d-tfn]/.test(part.text)) return false;
  try {
    return isDeepStrictEqual(readJson(part.text), structured);
  } catch {
    return false;
  }
}
