import { describeThrown } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { FilePart, ProviderOptions } from '../../core/prompt/message.ts';

/** Untrusted part of a model's stream; `type` determines the possible fields. */
export interface StreamPart {
  readonly type: string;
  readonly id?: unknown;
  readonly delta?: unknown;
  readonly toolCallId?: unknown;
  /** For calls that a replay repeats: the reason they did not run. */
  readonly problem?: unknown;
  /** For calls of scripted models: `toolCallId` is a counter within the reply, not given by the script. */
  readonly isIdOurs?: unknown;
  readonly toolName?: unknown;
  readonly input?: unknown;
  readonly providerExecuted?: unknown;
  readonly providerMetadata?: unknown;
  readonly mediaType?: unknown;
  readonly data?: unknown;
  readonly warnings?: unknown;
  readonly modelId?: unknown;
  readonly finishReason?: unknown;
  readonly usage?: unknown;
  readonly error?: unknown;
  /** For `raw`: the chunk as the provider sent it. */
  readonly rawValue?: unknown;
}

/** Reads a text field; anything else is empty. */
export function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Reads provider metadata as options to send back to that provider; undefined when there are none. */
export function readProviderOptions(value: unknown): ProviderOptions | undefined {
  if (!isJsonObject(value)) return undefined;
  const options: Record<string, JsonObject> = {};
  for (const [provider, values] of Object.entries(value)) {
    if (isJsonObject(values) && Object.keys(values).length > 0) options[provider] = values;
  }
  return Object.keys(options).length === 0 ? undefined : options;
}

/** Reads a file of any spec version: bare data in v2 and v3, `{ type, data | url }` in v4; undefined without usable data. */
export function readFile(part: StreamPart): FilePart | undefined {
  const mediaType = readText(part.mediaType);
  const source: unknown = part.data;
  const tagged = typeof source === 'object' && source !== null && 'type' in source;
  const content: unknown = !tagged ? source : 'data' in source ? source.data : 'url' in source ? source.url : undefined;
  if (content instanceof URL) return { type: 'file', mediaType, data: { type: 'url', url: content.href } };
  if (content instanceof Uint8Array) {
    return { type: 'file', mediaType, data: { type: 'data', data: Buffer.from(content).toString('base64') } };
  }
  if (typeof content !== 'string') return undefined;
  const isUrl = tagged && source.type === 'url';
  return { type: 'file', mediaType, data: isUrl ? { type: 'url', url: content } : { type: 'data', data: content } };
}

/** Formats a provider's warning of any spec version as one line of text. */
export function describeWarning(warning: unknown): string {
  if (!isJsonObject(warning)) return describeThrown(warning);
  const { feature, setting, details, message } = warning;
  const subject = [feature, setting].find((value) => typeof value === 'string');
  const text = [message, details].find((value) => typeof value === 'string') ?? 'no details';
  return subject === undefined ? `the provider warns: ${text}` : `the provider does not support "${subject}": ${text}`;
}
