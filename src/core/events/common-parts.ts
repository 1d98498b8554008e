import type { ErrorCode, ErrorRecord } from '../error.ts';
import { type AgentId, type CallId, type ContentHash, idPattern, type ItemId, type RunId, type TurnId } from '../ids.ts';
import type { InboxItem } from '../inbox/inbox.ts';
import type { ModelAttempt, Usage } from '../model/model.ts';
import type { Use } from '../model/usage.ts';
import type { Limits } from '../profile/profile.ts';
import type { Content, FileData, FilePart, ProviderOptions, TextPart } from '../prompt/message.ts';
import { either, list, mapOf, optional, record, variants } from '../schema/records.ts';
import { as, count, json, map, matching, number, oneOf, text, time } from '../schema/values.ts';

/*
 * Parts that several events share. The second argument of `record` has the short keys of the stored form, which are part of the file
 * layout: without a migration, a short key never changes its meaning.
 */

/** An id that a store may see, and that a table can be asked for. */
export const id = matching(idPattern, 'an id: 1 to 100 letters, digits, "_", "." or "-"', (value) => value !== '__proto__');
export const runId = as<RunId>(id);
export const agentId = as<AgentId>(id);
export const turnId = as<TurnId>(id);
export const callId = as<CallId>(id);
export const itemId = as<ItemId>(id);
export const contentHash = matching<ContentHash>(/^[\w-]{22}$/, 'a content hash: 22 letters, digits, "_" or "-"');

export const errorCode = as<ErrorCode>(text);
export const errorRecord = record<ErrorRecord>({ code: errorCode, message: text }, { code: 'c', message: 'm' });

export const providerOptions = as<ProviderOptions>(mapOf(map));
const fileData = variants('type', {
  data: record<Extract<FileData, { type: 'data' }>>({ type: oneOf('data'), data: text }),
  url: record<Extract<FileData, { type: 'url' }>>({ type: oneOf('url'), url: text }),
  text: record<Extract<FileData, { type: 'text' }>>({ type: oneOf('text'), text }),
});
export const filePart = record<FilePart>({
  type: oneOf('file'),
  mediaType: text,
  data: fileData,
  filename: optional(text),
  providerOptions: optional(providerOptions),
});
const textPart = record<TextPart>({ type: oneOf('text'), text, providerOptions: optional(providerOptions) });
export const content = as<Content>(either(text, list(variants('type', { text: textPart, file: filePart }))));

export const usage = record<Usage>(
  {
    inputTokens: optional(number),
    outputTokens: optional(number),
    cacheReadTokens: optional(number),
    cacheWriteTokens: optional(number),
    reasoningTokens: optional(number),
  },
  { inputTokens: 'i', outputTokens: 'o', cacheReadTokens: 'c', cacheWriteTokens: 'w', reasoningTokens: 'r' },
);

/** Tokens and cost of something. */
export const use = record<Use>({ usage, cost: optional(number) }, { usage: 'g', cost: 'o' });

export const attempt = record<ModelAttempt>(
  {
    config: text,
    model: text,
    startedAt: time,
    ms: number,
    firstTokenMs: optional(number),
    error: optional(errorRecord),
    partialText: optional(text),
    waitMs: optional(number),
    queuedMs: optional(number),
    usage: optional(usage),
    cost: optional(number),
  },
  {
    config: 'c',
    model: 'm',
    startedAt: 's',
    ms: 'd',
    firstTokenMs: 'f',
    error: 'e',
    partialText: 'p',
    waitMs: 'w',
    queuedMs: 'q',
    usage: 'g',
    cost: 'o',
  },
);

export const limits = record<Partial<Limits>>({
  maxTurns: optional(number),
  maxToolCalls: optional(number),
  maxTokens: optional(number),
  maxCostUsd: optional(number),
  maxWallMs: optional(number),
  maxDepth: optional(number),
  maxChildren: optional(number),
  maxLive: optional(number),
  maxTotal: optional(number),
  softAt: optional(number),
});

export const inboxItem = record<InboxItem>(
  {
    itemId,
    source: text,
    payload: json,
    consumption: oneOf('consume_on_read', 'persistent_until_consumed'),
    delivery: oneOf('now', 'next', 'idle'),
    priority: optional(number),
    maxTurns: optional(number),
    ingestorId: optional(text),
    ingestorParams: optional(map),
    observerId: optional(text),
    ruleId: optional(text),
    trust: optional(oneOf('untrusted')),
    from: optional(agentId),
    quotes: optional(list(agentId)),
    taint: optional(list(text)),
    cleaned: optional(count),
    repeats: optional(itemId),
    edits: optional(itemId),
    by: optional(text),
  },
  {
    itemId: 'i',
    source: 's',
    payload: 'p',
    consumption: 'c',
    delivery: 'd',
    priority: 'r',
    maxTurns: 'm',
    ingestorId: 'n',
    ingestorParams: 'q',
    observerId: 'o',
    ruleId: 'u',
    from: 'f',
    repeats: 'w',
    trust: 'z',
    quotes: 'v',
  },
);

/** Attempts of one model call. */
export const attempts = list(attempt);
