import { type Capability, capabilityParts } from '../../core/state/capability.ts';
import type { ErrorRecord } from '../../core/error.ts';
import type { AgentAwait } from '../../core/events/event.ts';
import { idPattern } from '../../core/ids.ts';
import type { InboxItem } from '../../core/inbox/inbox.ts';
import type { FilePart, TextPart } from '../../core/prompt/message.ts';
import type { ModelAttempt, Usage } from '../../core/model/model.ts';
import type { Limits } from '../../core/profile/profile.ts';
import type { ProfileChange } from '../../core/events/profile-edit.ts';
import type { AgentEnding } from '../../core/events/tool-events.ts';
import type { PromptFacts } from '../../core/prompt/prompt-sources.ts';
import type {
  ToolBound,
  EventStream,
  ReplyToolCall,
  RuleRecord,
  TurnInput,
  TurnPrompt,
  PromptHead,
  ObserverRecord,
} from '../../core/state/turn.ts';
import type { Expiry, WaitFor } from '../../core/tool/wait-for.ts';
import type { ModelEnd, TurnReserve } from '../../core/events/turn-events.ts';
import {
  check,
  count,
  either,
  flag,
  json,
  list,
  map,
  mapOf,
  matching,
  number,
  oneOf,
  optional,
  record,
  text,
  time,
  variants,
} from './check.ts';

/** An id that a store may see, and that a table can be asked for. */
export const id = check(
  'an id: 1 to 100 letters, digits, "_", "." or "-"',
  (value) => typeof value === 'string' && idPattern.test(value) && value !== '__proto__',
);
export const ids = list(id);
export const contentHash = matching(/^[\w-]{22}$/, 'a content hash: 22 letters, digits, "_" or "-"');
export const callStatus = oneOf('ok', 'error', 'denied', 'cancelled', 'timeout', 'unknown');
export const errorRecord = record<ErrorRecord>({ code: text, message: text });

const fileData = variants('type', {
  data: record<{ type: string; data: string }>({ type: text, data: text }),
  url: record<{ type: string; url: string }>({ type: text, url: text }),
  text: record<{ type: string; text: string }>({ type: text, text }),
});
const providerOptions = mapOf(map);
export const filePart = record<FilePart>({
  type: oneOf('file'),
  mediaType: text,
  data: fileData,
  filename: optional(text),
  providerOptions: optional(providerOptions),
});
const textPart = record<TextPart>({ type: oneOf('text'), text, providerOptions: optional(providerOptions) });
export const content = either(text, list(variants('type', { text: textPart, file: filePart })));

export const inboxItem = record<InboxItem>({
  itemId: id,
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
  from: optional(id),
  quotes: optional(ids),
  taint: optional(list(text)),
  cleaned: optional(count),
  repeats: optional(id),
});

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

export const turnInput = record<TurnInput>({
  itemId: id,
  source: text,
  strategy: oneOf('profile', 'global', 'fallback', 'item'),
  ingestor: text,
  mode: oneOf('append_as_new_message', 'prepend_to_role'),
  role: oneOf('user', 'tool'),
  persistent: flag,
  content,
  callId: optional(id),
  wireName: optional(text),
  isError: optional(flag),
  noHandover: optional(flag),
  untrusted: optional(flag),
  taint: optional(list(text)),
  cleaned: optional(count),
  kept: optional(flag),
});

export const observerRecord = record<ObserverRecord>({
  id: text,
  phase: oneOf('pre', 'post'),
  fired: flag,
  value: optional(json),
  tools: optional(record<ToolBound>({ choice: optional(text), only: optional(list(text)), except: optional(list(text)) })),
  error: optional(errorRecord),
});

export const ruleRecord = record<RuleRecord>({
  id: text,
  matched: flag,
  values: optional(map),
  error: optional(errorRecord),
});

export const turnPrompt = record<TurnPrompt>({
  system: contentHash,
  tools: contentHash,
  from: count,
  to: count,
  head: optional(contentHash),
  headSeq: optional(count),
  earlier: optional(list(record<PromptHead>({ head: contentHash, headSeq: optional(count) }))),
  stream: optional(record<EventStream>({ full: count, lines: count })),
  tokens: optional(number),
  taint: optional(list(text)),
  toolChoice: optional(text),
  protocol: optional(oneOf('json_actions', 'xml', 'loose_json')),
});

export const reserve = record<TurnReserve>({ tokens: number, cost: optional(number), output: optional(number) });

export const usage = record<Usage>({
  inputTokens: optional(number),
  outputTokens: optional(number),
  cacheReadTokens: optional(number),
  cacheWriteTokens: optional(number),
  reasoningTokens: optional(number),
});

export const attempt = record<ModelAttempt>({
  config: text,
  model: text,
  startedAt: time,
  ms: number,
  firstTokenMs: optional(number),
  error: optional(errorRecord),
  partialText: optional(text),
  waitMs: optional(number),
  queuedMs: optional(number),
});

export const replyToolCall = record<ReplyToolCall>({
  callId: id,
  providerCallId: text,
  wireId: optional(text),
  name: text,
  wireName: text,
  input: text,
  providerOptions: optional(providerOptions),
  problem: optional(text),
});

export const reply = record<NonNullable<ModelEnd['reply']>>({
  text,
  shown: optional(text),
  reasoning: text,
  reasoningParts: optional(
    list(record<{ readonly text: string; readonly providerOptions: Readonly<Record<string, object>> }>({ text, providerOptions })),
  ),
  files: optional(list(filePart)),
  toolCalls: list(replyToolCall),
  finishReason: oneOf('stop', 'tool-calls', 'length', 'content-filter', 'other'),
  modelId: optional(text),
  said: optional(text),
});

/** State an approval is bound to. */
export const capability = record<Capability>({
  fingerprint: contentHash,
  tool: contentHash,
  settings: contentHash,
  gate: contentHash,
  args: contentHash,
  profile: contentHash,
});
const expiry = record<Expiry>({ afterMs: number, verdict: oneOf('deny', 'allow') });
const kind = text;
export const waitFor = variants('kind', {
  agents: record<Extract<WaitFor, { kind: 'agents' }>>({ kind, agentIds: ids, orWait: optional(oneOf(true)) }),
  question: record<Extract<WaitFor, { kind: 'question' }>>({
    kind,
    prompt: text,
    schema: optional(map),
    expires: optional(expiry),
  }),
  approval: record<Extract<WaitFor, { kind: 'approval' }>>({
    kind,
    gateId: text,
    message: optional(text),
    expires: optional(expiry),
    capability: optional(capability),
    prompt: optional(record<PromptFacts>({ sources: list(text), untrusted: list(text), tainted: flag })),
    sandbox: optional(oneOf('on', 'off')),
    changed: optional(list(oneOf(...capabilityParts))),
  }),
});

export const agentEnding = record<AgentEnding>({
  outcome: text,
  output: optional(text),
  deliverables: optional(map),
  error: optional(errorRecord),
});

/** The checkpoint an agent stopped at, and what a person was asked there. */
export const checkpoint = record<NonNullable<AgentAwait['checkpoint']>>({ id: text, prompt: text });

/** One change of a run's profiles. */
export const profileChange = record<ProfileChange>({
  action: oneOf('created', 'updated', 'disabled', 'renamed'),
  profile: text,
  to: optional(text),
});
