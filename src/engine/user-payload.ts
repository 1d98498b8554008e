import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { CadreError, describeThrown } from '../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { toWire } from '../core/to-wire.ts';
import { toInsidePath } from '../tools/files/inside-path.ts';
import { describeOpenError, readWhole, useInside } from '../tools/files/read-inside.ts';
import { filePartOf, linkPart, mediaTypeOf } from './attached-file.ts';

// Most bytes of one attached file, and of all files of one message; providers take no more in a request either.
const maxFileBytes = 20_000_000;
const maxMessageBytes = 30_000_000;
const maxAttachments = 50;
// Four characters of base64 hold three bytes.
const bytesPerChar = 0.75;

const attachmentKeys: ReadonlySet<string> = new Set(['path', 'url', 'data', 'mediaType', 'media_type', 'filename']);

/** What the user said, as the payload of an item: text, content parts, or a whole payload. */
export function toUserPayload(input: unknown): JsonValue {
  if (input === undefined || input === null)
    throw new CadreError(
      'OPTION_INVALID',
      'launch: input is missing; give the text (or content parts, or a payload) the root agent is to read',
    );
  if (typeof input === 'string') {
    if (input.trim() === '') throw invalid('launch: input', 'is blank; give the text the root agent is to read');
    return { prompt: input };
  }
  if (typeof input === 'symbol' || typeof input === 'function')
    throw invalid('launch: input', `must be a text, content parts, or a payload, not a ${typeof input}`);
  const value = toWire(input);
  if (Array.isArray(value)) return { parts: checkedParts(value) };
  return isJsonObject(value) ? value : { prompt: String(value) };
}

function checkedParts(parts: readonly JsonValue[]): readonly JsonValue[] {
  if (parts.length === 0) throw invalid('launch: input', 'is an empty list; give content parts such as { type: "text", text }');
  const wrong = parts.findIndex((part) => !isJsonObject(part) || typeof part['type'] !== 'string');
  if (wrong >= 0)
    throw invalid(`launch: input[${wrong}]`, 'is no content part; one is { type: "text", text } or { type: "file", … }');
  return parts;
}

/**
 * Reads the `attachments` of a payload and puts them among its `parts`: files of the run's workspace by path, bytes in
 * base64 or as a data URL, links. Done before anything is written, so that a run never depends on a file that may be gone.
 *
 * @throws CadreError `OPTION_INVALID` for what is no attachment or cannot be read, `PATH_REFUSED` for paths outside
 */
export function withAttachments(payload: JsonValue, workspace: () => string): JsonValue | Promise<JsonValue> {
  return isJsonObject(payload) && payload['attachments'] !== undefined ? readAll(payload, workspace) : payload;
}

async function readAll(payload: JsonObject, workspace: () => string): Promise<JsonValue> {
  const { attachments, ...rest } = payload;
  if (!Array.isArray(attachments))
    throw invalid('attachments', 'must be a list of paths, or of { path }, { url } or { data, mediaType }');
  if (attachments.length > maxAttachments)
    throw invalid('attachments', `has ${attachments.length} files; at most ${maxAttachments} are taken`);
  const files: JsonObject[] = [];
  let bytes = 0;
  for (const [index, attachment] of (attachments as readonly JsonValue[]).entries()) {
    const file = await readAttachment(attachment, `attachments[${index}]`, workspace);
    bytes += JSON.stringify(file).length * bytesPerChar;
    if (bytes > maxMessageBytes) throw invalid('attachments', `are larger than ${maxMessageBytes} bytes together`);
    files.push(file);
  }
  if (files.length === 0) return rest;
  const { parts } = rest;
  return { ...rest, parts: [...(Array.isArray(parts) ? (parts as readonly JsonValue[]) : []), ...files] };
}

async function readAttachment(value: JsonValue, place: string, workspace: () => string): Promise<JsonObject> {
  const given = typeof value === 'string' ? { path: value } : value;
  if (!isJsonObject(given)) throw invalid(place, 'must be a path, or { path }, { url } or { data, mediaType }');
  const unknown = Object.keys(given).find((key) => !attachmentKeys.has(key));
  if (unknown !== undefined)
    throw invalid(place, `has no key '${unknown.slice(0, 60)}'; allowed: ${[...attachmentKeys].join(', ')}`);
  const { path: file, url, data } = given;
  const named = [file, url, data].filter((source) => source !== undefined);
  if (named.length !== 1 || typeof named[0] !== 'string' || named[0] === '')
    throw invalid(place, 'needs one of path, url and data, a text that is not empty');
  const media = given['mediaType'] ?? given['media_type'];
  const filename = typeof given['filename'] === 'string' ? given['filename'] : undefined;
  const wanted = { ...(typeof media === 'string' && { mediaType: media }), ...(filename !== undefined && { filename }) };
  if (typeof file === 'string') return await readFile(file, place, workspace, wanted);
  if (typeof url === 'string') {
    const data = /^data:([^;,]*)(?:;[^,]*)?;base64,(.*)$/s.exec(url);
    if (data !== null) return fromBase64(data[2] ?? '', place, { mediaType: data[1] ?? '', ...wanted });
    if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw invalid(place, 'has a url that is no http, https or data URL');
    return linkPart(url, wanted);
  }
  return fromBase64(String(data), place, wanted);
}

interface Wanted {
  readonly mediaType?: string;
  readonly filename?: string;
}

function fromBase64(text: string, place: string, wanted: Wanted): JsonObject {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text === '') throw invalid(place, 'has data that is no base64');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > maxFileBytes) throw invalid(place, tooLarge(bytes.length));
  return filePartOf(bytes, wanted.mediaType ?? mediaTypeOf(bytes, wanted.filename ?? ''), wanted.filename);
}

async function readFile(asked: string, place: string, workspace: () => string, wanted: Wanted): Promise<JsonObject> {
  const what = "the run's workspace";
  const folder = await realpath(workspace());
  // A whole path is as good as one below the workspace, when that is where it leads.
  const below = path.isAbsolute(asked) ? path.relative(folder, path.resolve(asked)) : asked;
  const file = toInsidePath(below, what);
  try {
    return await useInside({ root: folder, file, what }, async (opened) => {
      if (opened.size > maxFileBytes) throw invalid(place, tooLarge(opened.size));
      const bytes = await readWhole(opened);
      if (bytes === undefined) throw invalid(place, 'changed while it was being read');
      return filePartOf(bytes, wanted.mediaType ?? mediaTypeOf(bytes, file), wanted.filename ?? path.basename(file));
    });
  } catch (thrown) {
    if (thrown instanceof CadreError) throw thrown;
    throw invalid(place, `cannot be read: ${file} in ${what}: ${reasonOf(thrown)}`);
  }
}

function reasonOf(thrown: unknown): string {
  try {
    return describeOpenError(thrown);
  } catch {
    return describeThrown(thrown);
  }
}

function tooLarge(bytes: number): string {
  return `is larger than ${maxFileBytes} bytes (${bytes})`;
}

function invalid(place: string, what: string): CadreError {
  return new CadreError('OPTION_INVALID', `${place} ${what}`);
}
