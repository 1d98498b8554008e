import type { ContentPart, FileData, FilePart, PromptMessage, PromptPart } from '../../core/prompt/message.ts';
import type { AiSdkModel } from './ai-sdk-model.ts';
import { hasForeignId, withLegalId, type CallIdRule } from './call-ids.ts';
import type { FileSupport } from './file-support.ts';
import { fitMessage, needsFitting, withFollowers } from './fit-files.ts';

type Version = AiSdkModel['specificationVersion'];

/** Requirements of a model: spec version, kinds of files, ids of calls; and what was converted for them before. */
export interface PromptTarget {
  readonly version: Version;
  readonly support: FileSupport;
  readonly ids: CallIdRule;
  readonly conversions: Conversions;
}

/** Start of a history that needs no conversion: `anchor` is `distance` messages after its first one. */
interface CleanStretch {
  anchor: PromptMessage;
  distance: number;
}

/** Conversion results for models with the same requirements. A stored message never changes. */
interface Conversions {
  readonly converted: WeakMap<PromptMessage, ConvertedMessage>;
  /** Keyed by the first message of a history. */
  readonly clean: WeakMap<PromptMessage, CleanStretch>;
}

interface ConvertedMessage {
  readonly message: unknown;
  /** Parts that must follow the message and any tool messages after it. */
  readonly followers: readonly ContentPart[];
}

// Pure cache: keyed by a model's requirements and by messages, which never change.
const targets = new WeakMap<FileSupport, Map<string, PromptTarget>>();

/**
 * Converts messages to a model's spec version, and their files and call ids to forms the model accepts. Most messages need no
 * conversion (only files and foreign ids do); without any, returns the very same array.
 *
 * Histories only grow at their end (shortening adds no files), so the checked start of a history is skipped the next time: a call
 * costs the same after 10 messages and after 10 000.
 */
export function toPrompt(messages: readonly PromptMessage[], target: PromptTarget): readonly unknown[] {
  const { clean } = target.conversions;
  const start = messages[0]?.role === 'system' ? 1 : 0;
  const first = messages[start];
  if (first === undefined) return messages;
  const known = clean.get(first);
  let position = start;
  if (known !== undefined && messages[start + known.distance] === known.anchor) position += known.distance + 1;
  let anchor = -1;
  for (; position < messages.length; position += 1) {
    const message = messages[position];
    if (message === undefined) continue;
    if (needsConversion(message, target)) return convertAll(messages, target);
    // Messages after the newest reply may belong to this prompt only.
    if (message.role === 'assistant') anchor = position;
  }
  const message = messages[anchor];
  if (message === undefined) return messages;
  if (known === undefined) {
    clean.set(first, { anchor: message, distance: anchor - start });
  } else {
    known.anchor = message;
    known.distance = anchor - start;
  }
  return messages;
}

/** Returns the target of a model's requirements. Targets with the same requirements share their conversions. */
export function promptTarget(version: Version, support: FileSupport, ids: CallIdRule): PromptTarget {
  const key = `${version} ${ids.name}`;
  let ofSupport = targets.get(support);
  if (ofSupport === undefined) {
    ofSupport = new Map();
    targets.set(support, ofSupport);
  }
  let known = ofSupport.get(key);
  if (known === undefined) {
    known = { version, support, ids, conversions: { converted: new WeakMap(), clean: new WeakMap() } };
    ofSupport.set(key, known);
  }
  return known;
}

/** Converts the messages that need it. Files that follow tool results come after the last result of their reply. */
function convertAll(messages: readonly PromptMessage[], target: PromptTarget): readonly unknown[] {
  const all: unknown[] = [];
  let followers: ContentPart[] = [];
  for (const message of messages) {
    if (followers.length > 0 && message.role !== 'tool') {
      const joined = withFollowers(message, followers);
      followers = [];
      all.push(convertFresh(joined, target).message);
      if (message.role === 'user') continue;
    }
    if (!needsConversion(message, target)) {
      all.push(message);
      continue;
    }
    const converted = convertOnce(message, target);
    all.push(converted.message);
    followers.push(...converted.followers);
  }
  if (followers.length > 0) all.push(convertFresh(withFollowers(undefined, followers), target).message);
  return all;
}

function needsConversion(message: PromptMessage, { version, support, ids }: PromptTarget): boolean {
  if (message.role === 'system') return false;
  const { content } = message;
  for (let index = 0; index < content.length; index += 1) {
    const part = content[index];
    const isCall = part?.type === 'tool-call' || part?.type === 'tool-result';
    if (isCall && ids.pattern !== undefined && hasForeignId(part, ids)) return true;
    const isFile = part?.type === 'file' || (part?.type === 'tool-result' && part.output.type === 'content');
    // Nearly all messages end here.
    if (isFile) return hasForeignFile(message, version) || needsFitting(message, support);
  }
  return false;
}

function hasForeignFile(message: Exclude<PromptMessage, { readonly role: 'system' }>, version: Version): boolean {
  for (const part of message.content) {
    if (part.type === 'file' && isForeign(part, version)) return true;
    if (part.type === 'tool-result' && part.output.type === 'content') {
      for (const item of part.output.value) if (item.type === 'file' && isForeign(item, version)) return true;
    }
  }
  return false;
}

/**
 * True when a spec version represents a file differently: messages use spec v4's form, except that URLs are texts here and URL
 * objects there.
 */
function isForeign(file: FilePart, version: Version): boolean {
  return version !== 'v4' || file.data.type === 'url';
}

function convertOnce(message: PromptMessage, target: PromptTarget): ConvertedMessage {
  const { converted: cache } = target.conversions;
  const known = cache.get(message);
  if (known !== undefined) return known;
  const converted = convertFresh(message, target);
  cache.set(message, converted);
  return converted;
}

function convertFresh(message: PromptMessage, target: PromptTarget): ConvertedMessage {
  const fitted = fitMessage(message, target.support);
  const parts: readonly PromptPart[] = fitted.message.role === 'system' ? [] : fitted.message.content;
  const content = parts.map((part) => convertPart(part, target));
  return { message: { ...fitted.message, content }, followers: fitted.followers };
}

function convertPart(part: PromptPart, { version, ids }: PromptTarget): unknown {
  switch (part.type) {
    case 'file':
      return version === 'v4' ? { ...part, data: toTaggedData(part.data) } : toOlderFile(part);
    case 'tool-result':
      if (part.output.type !== 'content') return withLegalId(part, ids);
      return {
        ...withLegalId(part, ids),
        output: { type: 'content', value: part.output.value.map((item) => convertResultPart(item, version)) },
      };
    case 'text':
    case 'reasoning':
      return part;
    case 'tool-call':
      return withLegalId(part, ids);
  }
}

function toTaggedData(data: FileData): unknown {
  return data.type === 'url' && URL.canParse(data.url) ? { type: 'url', url: new URL(data.url), originalUrl: data.url } : data;
}

/** Converts a file to spec v2 and v3: base64 text or a URL object, and a text part for a text document. */
function toOlderFile(part: FilePart): unknown {
  const { data } = part;
  switch (data.type) {
    case 'data':
      return { ...part, data: data.data };
    case 'url':
      return { ...part, data: URL.canParse(data.url) ? new URL(data.url) : data.url };
    case 'text':
      return { type: 'text', text: data.text };
  }
}

function convertResultPart(part: ContentPart, version: Version): unknown {
  if (part.type === 'text') return version === 'v2' ? { type: 'text', text: part.text } : part;
  const { data, mediaType, filename } = part;
  if (version === 'v4') return { ...part, data: toTaggedData(data) };
  if (data.type === 'text') return { type: 'text', text: data.text };
  if (version === 'v2') {
    // Spec v2 has no links in tool results, so a text gives the file's location.
    return data.type === 'data'
      ? { type: 'media', data: data.data, mediaType }
      : { type: 'text', text: `[${mediaType}] ${data.url}` };
  }
  const isImage = mediaType.startsWith('image/');
  return data.type === 'data'
    ? {
        type: isImage ? 'image-data' : 'file-data',
        data: data.data,
        mediaType,
        ...(!isImage && filename !== undefined && { filename }),
      }
    : { type: isImage ? 'image-url' : 'file-url', url: data.url };
}
