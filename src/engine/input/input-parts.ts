import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import { toWire } from '../../core/tool/to-wire.ts';
import { filePartOf, linkPart, mediaTypeOf } from './attached-file.ts';

/** Most bytes in one file of a message, and in all of them; providers accept no more in a request either. */
export const maxFileBytes = 20_000_000;
export const maxMessageBytes = 30_000_000;

type Raw = Readonly<Record<string, unknown>>;

/** Media type and name that the sender gives a file. */
export interface WantedFile {
  readonly mediaType?: string;
  readonly filename?: string;
}

/**
 * Parses content parts given from outside: Cadre's, those of the AI SDK (specifications 2 to 4 and its UI messages: files as base64, data
 * URL, URL or bytes, images under `image`) and OpenAI's (`input_text`, `image_url`). Returns copies, in the form that messages hold.
 *
 * @param place the list, for people: `launch: input`
 * @throws CadreError `OPTION_INVALID` naming the part that is invalid or empty
 */
export function readInputParts(parts: readonly unknown[], place: string): readonly JsonObject[] {
  if (parts.length === 0) throw invalidInput(place, 'is an empty list; give content parts such as { type: "text", text }');
  let bytes = 0;
  const read = parts.map((part, index) => {
    const one = readPart(part, `${place}[${index}]`);
    if (one['type'] === 'file') bytes += JSON.stringify(one['data']).length * bytesPerChar;
    if (bytes > maxMessageBytes) throw invalidInput(place, `has files of more than ${maxMessageBytes} bytes together`);
    return one;
  });
  const isBlank = (part: JsonObject): boolean => part['type'] === 'text' && String(part['text']).trim() === '';
  if (read.every(isBlank)) throw invalidInput(place, 'is blank; give a text or a file the agent is to read');
  return read;
}

/** Returns a file part from base64 text. */
export function fileOfBase64(text: string, place: string, wanted: WantedFile): JsonObject {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text === '') throw invalidInput(place, 'has data that is no base64');
  return fileOfBytes(Buffer.from(text, 'base64'), place, wanted);
}

/** Returns a file part for a URL, or for the content of a data URL. */
export function fileOfUrl(url: string, place: string, wanted: WantedFile): JsonObject {
  const data = /^data:([^;,]*)((?:;[^;,]*)*),(.*)$/s.exec(url);
  if (data !== null) {
    const [, media = '', options = '', body = ''] = data;
    const known = media === '' ? wanted : { mediaType: media, ...wanted };
    if (options.endsWith(';base64')) return fileOfBase64(body, place, known);
    return fileOfBytes(Buffer.from(decoded(body, place)), place, { mediaType: 'text/plain', ...known });
  }
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw invalidInput(place, 'has a url that is no http, https or data URL');
  return linkPart(url, wanted);
}

export function tooLargeFile(bytes: number): string {
  return `is larger than ${maxFileBytes} bytes (${bytes})`;
}

export function invalidInput(place: string, what: string): CadreError {
  return new CadreError('OPTION_INVALID', `${place} ${what}`);
}

// Four characters of base64 hold three bytes.
const bytesPerChar = 0.75;

function readPart(part: unknown, place: string): JsonObject {
  if (!isRecord(part)) throw noPart(place);
  const { type, text } = part;
  switch (type) {
    case 'text':
    case 'input_text':
      if (typeof text !== 'string') throw invalidInput(place, 'is a text part without a text: { type: "text", text }');
      return { type: 'text', text: text.toWellFormed(), ...optionsOf(part) };
    case 'file':
      return fileOf(part['data'] ?? part['url'], place, part);
    case 'image':
      return fileOf(part['image'] ?? part['data'] ?? part['url'], place, { mediaType: 'image/*', ...part });
    case 'image_url':
    case 'input_image': {
      const address = part['image_url'];
      return fileOf(isRecord(address) ? address['url'] : address, place, { mediaType: 'image/*' });
    }
    default:
      throw noPart(place);
  }
}

function noPart(place: string): CadreError {
  return invalidInput(
    place,
    'is no content part; one is { type: "text", text } or { type: "file", mediaType, data }, with base64, bytes, a data URL or a URL',
  );
}

function fileOf(data: unknown, place: string, part: Raw): JsonObject {
  const wanted = wantedOf(part);
  const { mediaType, ...unsaid } = wanted;
  // `image/*` says no more than the bytes do.
  const loose = mediaType === undefined || mediaType.endsWith('/*') ? unsaid : wanted;
  return { ...readData(data, place, wanted, loose), ...optionsOf(part) };
}

function readData(data: unknown, place: string, wanted: WantedFile, loose: WantedFile): JsonObject {
  if (data instanceof URL) return readData(data.href, place, wanted, loose);
  if (typeof data === 'string')
    return /^(?:https?|data):/i.test(data) ? fileOfUrl(data, place, loose) : fileOfBase64(data, place, loose);
  if (data instanceof ArrayBuffer) return fileOfBytes(new Uint8Array(data), place, loose);
  if (data instanceof Uint8Array) return fileOfBytes(data, place, loose);
  if (isRecord(data)) {
    const { type, text, url } = data;
    const inner = data['data'];
    if (type === 'data') return readData(inner, place, wanted, loose);
    if (type === 'url' && (typeof url === 'string' || url instanceof URL)) return fileOfUrl(String(url), place, loose);
    if (type === 'text' && typeof text === 'string')
      return fileOfBytes(Buffer.from(text.toWellFormed()), place, { mediaType: 'text/plain', ...loose });
    // Bytes serialised through JSON.
    if (type === 'Buffer' && Array.isArray(inner)) return fileOfBytes(Uint8Array.from(inner as readonly number[]), place, loose);
  }
  throw invalidInput(
    place,
    'is a file without data that can be read: give base64, bytes, a data URL, a URL, or { type: "data" | "url" | "text", … }',
  );
}

function fileOfBytes(bytes: Uint8Array, place: string, { mediaType, filename }: WantedFile): JsonObject {
  if (bytes.length === 0) throw invalidInput(place, 'is an empty file');
  if (bytes.length > maxFileBytes) throw invalidInput(place, tooLargeFile(bytes.length));
  return filePartOf(bytes, mediaType ?? mediaTypeOf(bytes, filename ?? ''), filename);
}

function wantedOf(part: Raw): WantedFile {
  const media = part['mediaType'] ?? part['mimeType'] ?? part['media_type'];
  const { filename } = part;
  const isMedia = typeof media === 'string' && /^[\w.+-]+\/[\w.+*-]+$/.test(media);
  return { ...(isMedia ? { mediaType: media } : {}), ...(typeof filename === 'string' && filename !== '' ? { filename } : {}) };
}

/** Returns a part's instructions to its provider, in the form of the AI SDK. */
function optionsOf(part: Raw): JsonObject {
  const options = toWire(part['providerOptions'] ?? null);
  return isJsonObject(options) ? { providerOptions: options } : {};
}

function decoded(text: string, place: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidInput(place, 'has a data URL that cannot be decoded');
  }
}

function isRecord(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
