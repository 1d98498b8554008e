import { cleanContent, cleanText, cleanValue, type Cleaned } from '../core/untrusted/clean-outside.ts';
import type { FittedResult, ResultOptions } from '../core/env.ts';
import { isJsonObject, type JsonObject, type Writable } from '../core/json.ts';
import { contentText, type Content, type ContentPart, type FilePart } from '../core/prompt/message.ts';
import type { Recipe } from '../core/patches/state-draft.ts';
import { isToolReturn, type ToolReturn } from '../core/tool/tool-return.ts';
import { toWire } from '../core/tool/to-wire.ts';
import { toContentParts } from './content-parts.ts';
import { cutText } from './cut-text.ts';
import { stableJson } from './stable-json.ts';

/** Text the model reads when a tool returned nothing. */
const noResultText = '(no result)';
/** Most characters of file data (base64) in one result; further files are named, not sent. */
const maxFileChars = 20_000_000;
/** Most parts of one result; further parts are counted, not sent. */
const maxParts = 200;

/** Options for fitting a returned value, including how secrets are redacted. */
export interface FittingOptions extends ResultOptions {
  readonly redact?: <Value>(value: Value) => Value;
}

interface Returned {
  readonly content: Content;
  readonly isError: boolean;
  readonly items: FittedResult['items'];
  readonly values?: JsonObject;
  readonly update?: Recipe;
}

/**
 * Fits a tool's return value for the model (FAULTS X3, X4): text as it is, content with files as parts, nothing as "(no result)",
 * everything else as indented JSON. Text over `maxChars` keeps its head and tail around a marker; `full` has the whole text, to be stored
 * at `address`. Before anything is cut, external content loses its invisible characters, and then all content its secrets.
 */
export function toResult(returned: unknown, maxChars: number, options: FittingOptions = {}): FittedResult {
  if (typeof returned === 'string') return toTextResult(returned.toWellFormed(), maxChars, options);
  const { address, isOutside, redact = asItIs } = options;
  const { update, ...read } = readReturned(returned);
  const { value, removed } = isOutside === true ? cleanReturned(read) : { value: read, removed: 0 };
  const { content, ...fields } = redact(value);
  const rest = { ...fields, ...(removed === 0 ? {} : { cleaned: removed }), ...(update === undefined ? {} : { update }) };
  const whole = contentText(content);
  const parts = typeof content === 'string' ? content : withoutCrowd(content);
  if (whole.length <= maxChars) return { content: withoutHugeFiles(parts), ...rest };
  const ref = address?.(whole);
  const fitted = typeof parts === 'string' ? cutText(parts, maxChars, ref) : withoutHugeFiles(cutParts(parts, maxChars, ref));
  return { content: fitted, ...rest, full: whole };
}

/** Fits a returned text, as most results are. */
function toTextResult(text: string, maxChars: number, { address, isOutside, redact = asItIs }: FittingOptions): FittedResult {
  const cleaned = isOutside === true ? cleanText(text) : undefined;
  const clean = cleaned?.value ?? text;
  const whole = redact(clean);
  const isLong = whole.length > maxChars;
  const result: Writable<FittedResult> = {
    content: isLong ? cutText(whole, maxChars, address?.(whole)) : whole,
    isError: false,
    items: noItems,
  };
  if (cleaned !== undefined && cleaned.removed > 0) result.cleaned = cleaned.removed;
  else if (cleaned !== undefined && !isLong && whole === clean) result.isClean = true;
  if (isLong) result.full = whole;
  return result;
}

const noItems: FittedResult['items'] = [];

function asItIs<Value>(value: Value): Value {
  return value;
}

function readReturned(returned: unknown): Returned {
  if (returned === undefined || returned === null) return plain(noResultText);
  if (typeof returned !== 'object') return plain(stableOrText(returned));
  try {
    // Only values marked by code have effects: an object with the same keys may be external data.
    if (isToolReturn(returned)) return marked(returned);
    return plainParts(returned) ?? plain(stableOrText(returned));
  } catch {
    // The object's fields cannot be read; `toWire` describes it.
    return plain(stableOrText(returned));
  }
}

function cleanReturned({ content, ...rest }: Returned): Cleaned<Returned> {
  const words = cleanContent(content);
  const effects = rest.items.length === 0 && rest.values === undefined ? { value: rest, removed: 0 } : cleanValue(rest);
  return { value: { ...effects.value, content: words.value }, removed: words.removed + effects.removed };
}

function plain(content: Content): Returned {
  return { content, isError: false, items: [] };
}

/** Returns content parts as they are, or unwraps the AI SDK's `{ type: 'content', value }`. */
function plainParts(returned: object): Returned | undefined {
  const { type, value } = returned as Readonly<Record<string, unknown>>;
  const wrapped = type === 'content' && Object.keys(returned).length === 2;
  const parts = toContentParts(wrapped ? value : returned);
  return parts === undefined ? undefined : plain(parts);
}

function marked({ content, isError, items, values, update }: ToolReturn): Returned {
  const set = toWire(values ?? null);
  return {
    content: toContent(content) ?? stableOrText(content),
    isError: isError === true,
    items: toItems(items),
    ...(isJsonObject(set) ? { values: set } : {}),
    ...(update === undefined ? {} : { update }),
  };
}

function toContent(value: unknown): Content | undefined {
  if (typeof value === 'string') return value.toWellFormed();
  return Array.isArray(value) && value.length === 0 ? noResultText : toContentParts(value);
}

/** Returns the items to post; `toolReturn` has checked them. */
function toItems(items: ToolReturn['items'] = []): FittedResult['items'] {
  return items.map(({ source, payload, to }) => ({ source, payload: toWire(payload), ...(to === undefined ? {} : { to }) }));
}

function stableOrText(value: unknown): string {
  const wire = toWire(value);
  return typeof wire === 'string' ? wire : stableJson(wire);
}

/**
 * Joins neighbouring texts of a result with very many parts and drops parts beyond the maximum: each part costs space that the character
 * limit does not count.
 */
function withoutCrowd(parts: readonly ContentPart[]): readonly ContentPart[] {
  if (parts.length <= maxParts) return parts;
  const joined: ContentPart[] = [];
  let texts: string[] = [];
  const endText = (): void => {
    if (texts.length > 0) joined.push({ type: 'text', text: texts.join('') });
    texts = [];
  };
  for (const part of parts) {
    if (part.type === 'text') texts.push(part.text);
    else {
      endText();
      joined.push(part);
    }
  }
  endText();
  if (joined.length <= maxParts) return joined;
  const more: ContentPart = { type: 'text', text: `[${joined.length - maxParts} more parts were left out]` };
  return [...joined.slice(0, maxParts), more];
}

/** Gives each text a share of the limit, so that a long first part does not crowd out the others. */
function cutParts(parts: readonly ContentPart[], maxChars: number, ref: string | undefined): readonly ContentPart[] {
  let room = maxChars;
  let left = parts.filter((part) => part.type === 'text').length;
  return parts.map((part) => {
    if (part.type !== 'text') return part;
    const text = cutText(part.text, Math.floor(room / left), ref);
    room -= text.length;
    left -= 1;
    return { ...part, text };
  });
}

function withoutHugeFiles(content: Content): Content {
  if (typeof content === 'string') return content;
  let room = maxFileChars;
  return content.map((part): ContentPart => {
    if (part.type !== 'file') return part;
    room -= fileChars(part);
    return room >= 0
      ? part
      : { type: 'text', text: `[a file of type ${part.mediaType} was left out: the files of this result are too large]` };
  });
}

function fileChars(part: FilePart): number {
  const { data } = part;
  switch (data.type) {
    case 'data':
      return data.data.length;
    case 'url':
      return data.url.length;
    case 'text':
      return data.text.length;
  }
}
