import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { toWire } from '../../core/tool/to-wire.ts';
import { isEngineJournal } from '../../files/guard/engine-places.ts';
import { compileUnreadable } from '../../files/guard/unreadable.ts';
import { refusePath, toInsidePath } from '../../files/inside-path.ts';
import { describeOpenError, readWhole, useInside } from '../../files/read-inside.ts';
import { filePartOf, mediaTypeOf } from './attached-file.ts';
import {
  fileOfBase64,
  fileOfUrl,
  invalidInput,
  maxFileBytes,
  maxMessageBytes,
  readInputParts,
  tooLargeFile,
  type WantedFile,
} from './input-parts.ts';

const maxAttachments = 50;
// Four characters of base64 hold three bytes.
const bytesPerChar = 0.75;

const attachmentKeys: ReadonlySet<string> = new Set(['path', 'url', 'data', 'mediaType', 'media_type', 'filename']);

/** Converts user input to the payload of an item. Accepts text, content parts, a message of the AI SDK, or a whole payload. */
export function toUserPayload(input: unknown): JsonValue {
  if (input === undefined || input === null)
    throw new CadreError(
      'OPTION_INVALID',
      'launch: input is missing; give the text (or content parts, or a payload) the root agent is to read',
    );
  if (typeof input === 'string') {
    if (input.trim() === '') throw invalidInput('launch: input', 'is blank; give the text the root agent is to read');
    return { prompt: input };
  }
  if (typeof input === 'symbol' || typeof input === 'function')
    throw invalidInput('launch: input', `must be a text, content parts, or a payload, not a ${typeof input}`);
  const payload = withInputParts(input, 'launch: input');
  return isJsonObject(payload) ? payload : { prompt: String(payload) };
}

/**
 * Returns a user payload with content parts in the form that messages hold. Accepts a list of parts, `{ parts }`, or a message `{ role:
 * 'user', content }`; copies anything else as JSON.
 *
 * @throws CadreError `OPTION_INVALID` for parts that cannot be understood, and for an empty payload
 */
export function withInputParts(input: unknown, place: string): JsonValue {
  if (Array.isArray(input)) return { parts: readInputParts(input, place) };
  if (typeof input === 'string' && input.trim() === '') throw invalidInput(place, 'is blank');
  if (typeof input !== 'object' || input === null) return toWire(input);
  const given = fieldsOf(input);
  const { role, content, parts, prompt } = given;
  if (role === 'user' && (typeof content === 'string' || Array.isArray(content)))
    return withInputParts(typeof content === 'string' ? { prompt: content } : content, `${place}.content`);
  if (Array.isArray(parts)) {
    const { parts: _parts, ...rest } = given;
    const more = toWire(rest);
    return { ...(isJsonObject(more) ? more : {}), parts: readInputParts(parts, `${place}.parts`) };
  }
  const hasFiles = Array.isArray(given['attachments']) && given['attachments'].length > 0;
  if (!hasFiles && typeof prompt === 'string' && prompt.trim() === '') throw invalidInput(`${place}.prompt`, 'is blank');
  if (Object.keys(given).length === 0) throw invalidInput(place, 'is an object without anything in it');
  return toWire(input);
}

/** Returns the readable fields of an object. */
function fieldsOf(value: object): Readonly<Record<string, unknown>> {
  try {
    return { ...value };
  } catch {
    // Some field throws on access: use what `toWire` can copy.
    const copy = toWire(value);
    return isJsonObject(copy) ? copy : {};
  }
}

/**
 * Reads the `attachments` of a payload and puts them among its `parts`: files of the run's workspace by path, bytes in base64 or as a data
 * URL, links. Done before anything is written, so that a run never depends on a file that may be gone.
 *
 * @throws CadreError `OPTION_INVALID` for attachments that are invalid or unreadable, `PATH_REFUSED` for paths outside
 */
export function withAttachments(payload: JsonValue, workspace: () => string): JsonValue | Promise<JsonValue> {
  return isJsonObject(payload) && payload['attachments'] !== undefined ? readAll(payload, workspace) : payload;
}

async function readAll(payload: JsonObject, workspace: () => string): Promise<JsonValue> {
  const { attachments, ...rest } = payload;
  if (!Array.isArray(attachments))
    throw invalidInput('attachments', 'must be a list of paths, or of { path }, { url } or { data, mediaType }');
  if (attachments.length > maxAttachments)
    throw invalidInput('attachments', `has ${attachments.length} files; at most ${maxAttachments} are taken`);
  const files: JsonObject[] = [];
  let bytes = 0;
  for (const [index, attachment] of (attachments as readonly JsonValue[]).entries()) {
    const file = await readAttachment(attachment, `attachments[${index}]`, workspace);
    bytes += JSON.stringify(file).length * bytesPerChar;
    if (bytes > maxMessageBytes) throw invalidInput('attachments', `are larger than ${maxMessageBytes} bytes together`);
    files.push(file);
  }
  if (files.length === 0) return rest;
  const { parts } = rest;
  return { ...rest, parts: [...(Array.isArray(parts) ? (parts as readonly JsonValue[]) : []), ...files] };
}

async function readAttachment(value: JsonValue, place: string, workspace: () => string): Promise<JsonObject> {
  const given = typeof value === 'string' ? { path: value } : value;
  if (!isJsonObject(given)) throw invalidInput(place, 'must be a path, or { path }, { url } or { data, mediaType }');
  const unknown = Object.keys(given).find((key) => !attachmentKeys.has(key));
  if (unknown !== undefined)
    throw invalidInput(place, `has no key '${unknown.slice(0, 60)}'; allowed: ${[...attachmentKeys].join(', ')}`);
  const { path: file, url, data } = given;
  const named = [file, url, data].filter((source) => source !== undefined);
  if (named.length !== 1 || typeof named[0] !== 'string' || named[0] === '')
    throw invalidInput(place, 'needs one of path, url and data, a text that is not empty');
  const media = given['mediaType'] ?? given['media_type'];
  const filename = typeof given['filename'] === 'string' ? given['filename'] : undefined;
  const wanted = { ...(typeof media === 'string' && { mediaType: media }), ...(filename !== undefined && { filename }) };
  if (typeof file === 'string') return await readFile(file, place, workspace, wanted);
  if (typeof url === 'string') return fileOfUrl(url, place, wanted);
  return fileOfBase64(String(data), place, wanted);
}

async function readFile(asked: string, place: string, workspace: () => string, wanted: WantedFile): Promise<JsonObject> {
  const what = "the run's workspace";
  const folder = await realpath(workspace());
  // An absolute path is accepted when it leads into the workspace.
  const below = path.isAbsolute(asked) ? path.relative(folder, path.resolve(asked)) : asked;
  const file = toInsidePath(below, what);
  // A person who may only talk to a run does not read more of its workspace than its agents do.
  if (compileUnreadable({ others: [] })(file) || isEngineJournal(path.join(folder, file)))
    throw refusePath(asked, 'it holds secrets, or a journal', what);
  try {
    return await useInside({ root: folder, file, what }, async (opened) => {
      if (opened.size > maxFileBytes) throw invalidInput(place, tooLargeFile(opened.size));
      const bytes = await readWhole(opened);
      if (bytes === undefined) throw invalidInput(place, 'changed while it was being read');
      return filePartOf(bytes, wanted.mediaType ?? mediaTypeOf(bytes, file), wanted.filename ?? path.basename(file));
    });
  } catch (thrown) {
    if (thrown instanceof CadreError) throw thrown;
    throw invalidInput(place, `cannot be read: ${file} in ${what}: ${reasonOf(thrown)}`);
  }
}

function reasonOf(thrown: unknown): string {
  try {
    return describeOpenError(thrown);
  } catch {
    return describeThrown(thrown);
  }
}
