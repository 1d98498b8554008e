import { agentScope } from '../core/agent-scope.ts';
import { cutMiddle } from '../core/cut-middle.ts';
import type { Env } from '../core/env.ts';
import { describeThrown } from '../core/error.ts';
import { frameUntrusted } from '../core/frame-untrusted.ts';
import { isUntrusted } from '../core/fold/sources.ts';
import { isExpired, type InboxItem, poisonAfterFailures, readingOrder, type WaitingItem } from '../core/inbox.ts';
import type { CallId } from '../core/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue, type Writable } from '../core/json.ts';
import type { Content, ContentPart } from '../core/message.ts';
import type { CompiledProfile } from '../core/profile.ts';
import type { AgentState } from '../core/state.ts';
import { fallbackStrategy, globalStrategies, type Strategy } from '../core/strategy.ts';
import type { Transaction } from '../core/transaction.ts';
import type { TurnInput } from '../core/turn.ts';
import { truncate } from './truncate-input.ts';
import { answeredCall, openCallsOf } from './answered-call.ts';

/** Most items one turn reads, unless its calls have more results; the rest wait for the next, in order. */
const maxItemsPerTurn = 256;

/** So many places of a full turn go to the items that have waited longest: none waits for ever behind a flood of urgent ones (FAULTS E10). */
const placesForTheOldest = 16;

/** Most of changed arguments that is repeated to the model, in characters. */
const shownArgs = 4_000;

/** What reading the inbox came to. */
export interface ReadInbox {
  readonly inputs: readonly TurnInput[];
  /** Sequence number of the item that mattered most; the cause of the turn. */
  readonly cause: number | undefined;
}

/** Reads an agent's inbox in order: each item through its strategy's ingestor. Failed items stay, until they have failed too often. */
export function readInbox(tx: Transaction, env: Env, agent: AgentState, profile: CompiledProfile): ReadInbox {
  dropExpired(tx, agent);
  const open = new Set(openCallsOf(agent));
  const items = readable(agent, profile, open);
  const inputs: TurnInput[] = [];
  for (const waiting of items) {
    const callId = answeredCall(waiting.item);
    const input = ingest(tx, env, agent, profile, waiting, callId !== undefined && open.delete(callId));
    if (input !== undefined) inputs.push(input);
  }
  return { inputs: inputs.slice(), cause: items[0]?.seq };
}

/** Items that have been seen as often as they may are dropped before anything is read. */
function dropExpired(tx: Transaction, agent: AgentState): void {
  for (const { item } of agent.inbox.filter(isExpired))
    tx.emit({ type: 'inbox.drop', agentId: agent.meta.agentId, itemId: item.itemId, reason: 'expired' });
}

/** What is read now, in order: first the results of calls, which stand directly behind them whatever their priority (I1). */
function readable(agent: AgentState, profile: CompiledProfile, open: ReadonlySet<CallId>): readonly WaitingItem[] {
  const waiting = agent.inbox;
  const urgent = waiting.some(({ item }) => item.delivery === 'idle')
    ? waiting.filter(({ item }) => item.delivery !== 'idle')
    : waiting;
  // Who loops has something to do. An item that stays and was read before holds up nobody who waits for a quiet moment.
  const chosen = agent.loop || urgent.some(({ turnsSeen }) => turnsSeen === 0) ? urgent : waiting;
  const weighted = profile.strategies.size === 0 ? chosen : chosen.map((entry) => withPriority(entry, profile));
  const ordered = readingOrder(weighted);
  if (open.size === 0 || ordered.length < 2) return oneTurn(ordered);
  const isResult = ({ item }: WaitingItem): boolean => open.has(answeredCall(item) ?? ('' as CallId));
  // However many results there are, all of them are read: no provider takes a history in which one is missing.
  const results = ordered.filter(isResult);
  const others = ordered.filter((entry) => !isResult(entry));
  return [...results, ...oneTurn(others, Math.max(placesForTheOldest, maxItemsPerTurn - results.length))];
}

/** As many as one turn reads: the first ones, and of the rest those nobody has read that came first; in reading order. */
function oneTurn(ordered: readonly WaitingItem[], places = maxItemsPerTurn): readonly WaitingItem[] {
  if (ordered.length <= places) return ordered;
  const first = ordered.slice(0, places - placesForTheOldest);
  const rest = ordered.slice(first.length);
  const oldest = new Set(rest.toSorted((a, b) => a.turnsSeen - b.turnsSeen || a.seq - b.seq).slice(0, placesForTheOldest));
  return [...first, ...rest.filter((entry) => oldest.has(entry))];
}

/** A profile's strategy may give its source another priority. */
function withPriority(entry: WaitingItem, profile: CompiledProfile): WaitingItem {
  const priority = entry.item.priority ?? profile.strategies.get(entry.item.source)?.priority;
  return priority === undefined || priority === entry.item.priority ? entry : { ...entry, item: { ...entry.item, priority } };
}

interface Resolved {
  readonly strategy: Strategy;
  readonly from: TurnInput['strategy'];
}

/** Profile first, then the global table, then labelled Markdown (A1.3). */
function resolveStrategy(profile: CompiledProfile, source: string): Resolved {
  const own = profile.strategies.get(source);
  const global = globalStrategies.get(source);
  if (own !== undefined) return { strategy: own, from: 'profile' };
  return global === undefined ? { strategy: fallbackStrategy, from: 'fallback' } : { strategy: global, from: 'global' };
}

function ingest(
  tx: Transaction,
  env: Env,
  agent: AgentState,
  profile: CompiledProfile,
  waiting: WaitingItem,
  isResult: boolean,
): TurnInput | undefined {
  const { item } = waiting;
  const { strategy, from } = resolveStrategy(profile, item.source);
  if (from === 'fallback') warnUnknownSource(tx, agent, item.source);
  const ingestorName = item.ingestorId ?? strategy.ingestor;
  const params = item.ingestorParams === undefined ? strategy.params : { ...strategy.params, ...item.ingestorParams };
  const kept = item.consumption !== 'consume_on_read';
  const input: Writable<TurnInput> = {
    itemId: item.itemId,
    source: item.source,
    strategy: item.ingestorId === undefined ? from : 'item',
    ingestor: ingestorName,
    // A result keeps its place as one whatever its strategy says, and nothing else takes one (I1).
    mode: isResult ? 'append_as_new_message' : strategy.mode,
    role: isResult ? 'tool' : 'user',
    persistent: isResult || (strategy.persistent && !kept),
    content: '',
  };
  if (kept && !isResult) input.kept = true;
  if (params['no_handover'] === true) input.noHandover = true;
  if (isResult) addToolFields(env, input, item.payload);
  if (item.trust === 'untrusted' || strategy.untrusted === true) input.untrusted = true;
  try {
    const content = runIngestor(tx, env, agent, profile, {
      name: ingestorName,
      payload: item.payload,
      params,
      source: item.source,
    });
    const fitted = truncate(content, isResult ? 'tool_result' : 'user', profile.contextPolicy);
    input.content = withEdit(input, item, framed(input, item, fitted));
    return input;
  } catch (thrown) {
    return failedInput(tx, agent, waiting, input, describeThrown(thrown));
  }
}

function runIngestor(
  tx: Transaction,
  env: Env,
  agent: AgentState,
  profile: CompiledProfile,
  call: { readonly name: string; readonly payload: JsonValue; readonly params: JsonObject; readonly source: string },
): Content {
  const ingestor = env.ingestor(call.name);
  if (ingestor === undefined) throw new Error(`there is no ingestor '${call.name}'`);
  const content: unknown = ingestor.ingest(call.payload, call.params, {
    profile,
    scope: agentScope(env, tx.run, agent),
    profiles: env.profiles,
    source: call.source,
  });
  if (typeof content === 'string') return content.trim() === '' ? emptyText(call.source) : content;
  if (content instanceof Promise) {
    content.catch(() => undefined);
    throw new Error(`ingestor '${call.name}' returned a promise; ingestors are synchronous`);
  }
  if (!Array.isArray(content) || !content.every(isContentPart))
    throw new Error(
      `ingestor '${call.name}' returned ${Array.isArray(content) ? 'a list of something else' : typeof content}; it must return text or content parts`,
    );
  const parts = content.filter((part) => part.type !== 'text' || part.text.trim() !== '');
  return parts.length === 0 ? emptyText(call.source) : parts;
}

/** Providers refuse empty messages, so an event without words says that it has none. */
function emptyText(source: string): string {
  return source === 'TOOL_RESULT' ? '(no result)' : '(empty)';
}

/** Whatever ingestor put it into words, text from outside stands in a frame that says so. */
function framed(input: TurnInput, item: InboxItem, content: Content): Content {
  if (!isUntrusted(input, item)) return content;
  const name = isJsonObject(item.payload) ? item.payload['tool_name'] : undefined;
  return frameUntrusted(content, item.source === 'TOOL_RESULT' && typeof name === 'string' ? name : item.source);
}

/** The model, which knows only what it asked for, is told when a person had its call run with other arguments. */
function withEdit(input: TurnInput, { payload }: InboxItem, content: Content): Content {
  const args = input.role === 'tool' && isJsonObject(payload) ? payload['changed_args'] : undefined;
  if (args === undefined) return content;
  const shown = cutMiddle(JSON.stringify(args), shownArgs, (characters) => `… [${characters} characters] …`);
  const note = `[A person changed the arguments of this call before it ran. It ran with: ${shown}]\n\n`;
  return typeof content === 'string' ? note + content : [{ type: 'text', text: note }, ...content];
}

function isContentPart(part: unknown): part is ContentPart {
  if (!isJsonObject(part)) return false;
  return part['type'] === 'text'
    ? typeof part['text'] === 'string'
    : part['type'] === 'file' && typeof part['mediaType'] === 'string' && isJsonObject(part['data']);
}

function addToolFields(env: Env, input: Writable<TurnInput>, payload: JsonValue): void {
  if (!isJsonObject(payload)) return;
  input.callId = String(payload['tool_call_id']) as CallId;
  input.wireName = env.catalog.wireName(String(payload['tool_name']));
  if (payload['is_error'] === true) input.isError = true;
}

/**
 * What the model gets to see when an ingestor failed: a note in the item's place, while the item stays. After three
 * failures the item goes to the dead-letter shelf. A tool result is never held back: its raw text goes out instead.
 */
function failedInput(tx: Transaction, agent: AgentState, waiting: WaitingItem, base: TurnInput, error: string): TurnInput {
  const { item } = waiting;
  const agentId = agent.meta.agentId;
  tx.emit({
    type: 'inbox.fail',
    agentId,
    itemId: item.itemId,
    error: { code: 'INGESTOR_FAILED', message: `ingestor '${base.ingestor}' failed on ${item.source}: ${error}` },
  });
  if (base.role === 'tool') {
    const content = isJsonObject(item.payload) ? item.payload['content'] : item.payload;
    const raw = typeof content === 'string' ? content : JSON.stringify(content ?? null);
    return { ...base, content: withEdit(base, item, framed(base, item, raw.trim() === '' ? emptyText(item.source) : raw)) };
  }
  const poisoned = (agent.inbox.find((entry) => entry.item.itemId === item.itemId)?.failures ?? 0) >= poisonAfterFailures;
  const note = {
    ...base,
    mode: 'append_as_new_message' as const,
    persistent: false,
    content: failureNote(item.source, error, poisoned),
  };
  if (!poisoned) return { ...note, kept: true };
  tx.emit({ type: 'inbox.drop', agentId, itemId: item.itemId, reason: 'dead_letter' });
  tx.emit({
    type: 'note.add',
    level: 'error',
    code: 'ITEM_POISONED',
    message: `item ${item.itemId} (${item.source}) could not be read ${poisonAfterFailures} times and lies on the dead-letter shelf: ${error}`,
    agentId,
  });
  return note;
}

function failureNote(source: string, error: string, poisoned: boolean): string {
  const next = poisoned ? 'It has been set aside.' : 'It will be tried again.';
  return `<system_error context_source='internal_event_processor'>\nAn event of kind ${source} could not be put into words: ${error}\n${next} Tell the user about it if it matters, and go on with what you have.\n</system_error>`;
}

function warnUnknownSource(tx: Transaction, agent: AgentState, source: string): void {
  tx.emit({
    type: 'note.add',
    level: 'warning',
    code: 'INBOX_SOURCE_UNKNOWN',
    message: `no strategy for inbox source '${source}': shown as labelled data; declare it under inbox_handling_strategies`,
    agentId: agent.meta.agentId,
  });
}
