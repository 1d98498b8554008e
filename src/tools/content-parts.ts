import { isUtf8 } from 'node:buffer';
import type { ContentPart, FileData } from '../core/prompt/message.ts';

/** Media type of a file that declares none. */
const unknownMedia = 'application/octet-stream';

/**
 * Converts a list of content returned by a tool (Cadre's parts, AI SDK tool outputs, MCP content) to message parts. Undefined when any
 * item is none of these: the list is then plain data.
 */
export function toContentParts(items: unknown): readonly ContentPart[] | undefined {
  if (!Array.isArray(items) || items.length === 0) return undefined;
  const parts: ContentPart[] = [];
  for (const item of items as readonly unknown[]) {
    const part = isRecord(item) ? toPart(item) : undefined;
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}

type Item = Readonly<Record<string, unknown>>;

function toPart(item: Item): ContentPart | undefined {
  switch (item['type']) {
    case 'text':
      return typeof item['text'] === 'string' ? { type: 'text', text: item['text'].toWellFormed() } : undefined;
    case 'file':
      return filePart(fileData(item['data']), mediaOf(item), item);
    case 'media':
    case 'image-data':
    case 'file-data':
    case 'image':
    case 'audio':
      return filePart(bytesData(item['data']), mediaOf(item), item);
    case 'image-url':
    case 'file-url':
      return filePart(urlData(item['url']), mediaOf(item, item['type'] === 'image-url' ? 'image/*' : unknownMedia), item);
    case 'resource':
      return isRecord(item['resource']) ? resourcePart(item['resource']) : undefined;
    case 'resource_link':
      return typeof item['uri'] === 'string'
        ? { type: 'text', text: `[resource ${String(item['name'] ?? '')}: ${item['uri']}]` }
        : undefined;
    default:
      return undefined;
  }
}

/** Converts an MCP resource: its text, or its bytes as a file. */
function resourcePart(resource: Item): ContentPart | undefined {
  if (typeof resource['text'] === 'string') return { type: 'text', text: resource['text'].toWellFormed() };
  return filePart(bytesData(resource['blob']), mediaOf(resource), resource);
}

/** Builds a file part. A text file becomes a text part, so that the rules for text (length, framing, invisible characters) apply to it. */
function filePart(data: FileData | undefined, mediaType: string, item: Item): ContentPart | undefined {
  if (data === undefined) return undefined;
  const filename = typeof item['filename'] === 'string' ? item['filename'] : undefined;
  const text = textIn(data, mediaType);
  if (text !== undefined)
    return { type: 'text', text: filename === undefined ? text : `[file ${filename.toWellFormed()}]\n${text}` };
  return { type: 'file', mediaType, data, ...(filename === undefined ? {} : { filename }) };
}

function textIn(data: FileData, mediaType: string): string | undefined {
  if (data.type === 'text') return data.text;
  if (data.type !== 'data' || !mediaType.startsWith('text/')) return undefined;
  const bytes = Buffer.from(data.data, 'base64');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

function mediaOf(item: Item, fallback = unknownMedia): string {
  const media = item['mediaType'] ?? item['mimeType'];
  return typeof media === 'string' && /^[\w.+-]+\/[\w.+*-]+$/.test(media) ? media : fallback;
}

function fileData(data: unknown): FileData | undefined {
  if (!isRecord(data)) return bytesData(data);
  switch (data['type']) {
    case 'data':
      return bytesData(data['data']);
    case 'url':
      return urlData(data['url']);
    case 'text':
      return typeof data['text'] === 'string' ? { type: 'text', text: data['text'].toWellFormed() } : undefined;
    default:
      return bytesData(data);
  }
}

/** Returns base64 text unchanged, bytes encoded as base64, and URLs as addresses. */
function bytesData(data: unknown): FileData | undefined {
  if (data instanceof URL) return urlData(data);
  if (typeof data === 'string') return /^(https?|data):/.test(data) ? urlData(data) : { type: 'data', data };
  if (data instanceof Uint8Array)
    return { type: 'data', data: Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64') };
  return data instanceof ArrayBuffer ? { type: 'data', data: Buffer.from(data).toString('base64') } : undefined;
}

function urlData(url: unknown): FileData | undefined {
  const text = url instanceof URL ? url.href : url;
  return typeof text === 'string' && URL.canParse(text) ? { type: 'url', url: text } : undefined;
}

function isRecord(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
