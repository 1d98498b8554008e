import type { TurnContext } from '../../core/turn-context.ts';
import { agentScope } from '../../core/state/agent-scope.ts';
import { describeThrown } from '../../core/error.ts';
import { type InboxItem, isExpired, type WaitingItem } from '../../core/inbox/inbox.ts';
import type { CallId } from '../../core/ids.ts';
import { isJsonObject, type JsonObject, type Writable } from '../../core/json.ts';
import { isUntrusted } from '../../core/fold/sources.ts';
import { contentText, type Content, type ContentPart } from '../../core/prompt/message.ts';
import type { TurnPlan } from '../../core/profile/turn-plan.ts';
import { ingestorView } from '../../core/untrusted/ingestor-view.ts';
import { keepsFrames, textsIn } from '../../core/untrusted/keep-frames.ts';
import { stateQuotes } from '../../core/untrusted/quote-state.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { fallbackStrategy, globalStrategies, type Strategy } from '../../core/inbox/strategy.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import type { TurnInput } from '../../core/state/turn.ts';
import { emptyText, failedInput } from './failed-input.ts';
import { framedInput } from './frame-input.ts';
import { truncate } from './truncate-input.ts';
import { answeredCall } from './answer-open-calls.ts';
import { itemsToRead } from './items-to-read.ts';

/** Result of reading the inbox. */
export interface ReadInbox {
  readonly inputs: readonly TurnInput[];
  /** Sequence number of the item that mattered most; the cause of the turn. */
  readonly cause: number | undefined;
}

/**
 * Reads an agent's inbox in order: each item through its strategy's ingestor. `calls` are the calls that the turn answers. Failed items
 * stay, until they have failed too often.
 */
export function readInbox(context: TurnContext, plan: TurnPlan, calls: readonly CallId[]): ReadInbox {
  const { tx, agent, profile } = context;
  const only = agent.inbox.items.length === 1 ? agent.inbox.items[0] : undefined;
  // Mostly one item waits, a task or the result of the one call: nothing is to be dropped or put in order.
  if (only !== undefined && only.item.delivery !== 'idle' && only.item.maxTurns === undefined) {
    const callId = answeredCall(only.item);
    return { inputs: [ingest(context, plan, only, callId !== undefined && calls.includes(callId))], cause: only.seq };
  }
  dropExpired(tx, agent);
  const open = new Set(calls);
  const items = itemsToRead(agent, profile, open);
  const inputs = items.map((waiting) => {
    const callId = answeredCall(waiting.item);
    return ingest(context, plan, waiting, callId !== undefined && open.delete(callId));
  });
  return { inputs, cause: items[0]?.seq };
}

/** Items that have been seen as often as they may are dropped before anything is read. */
function dropExpired(tx: Transaction, agent: SubContext): void {
  for (const { item } of agent.inbox.items.filter(isExpired))
    tx.emit({ type: 'inbox.drop', agentId: agent.meta.agentId, itemId: item.itemId, reason: 'expired' });
}

function ingest(context: TurnContext, plan: TurnPlan, waiting: WaitingItem, isResult: boolean): TurnInput {
  const { tx, env, agent, profile } = context;
  const { item } = waiting;
  // Profile first, then the global table, then labelled Markdown (A1.3).
  const own = profile.strategies.get(item.source);
  const global = globalStrategies.get(item.source);
  const strategy: Strategy = own ?? global ?? fallbackStrategy;
  if (strategy === fallbackStrategy) warnUnknownSource(tx, agent, item.source);
  const ingestorName = item.ingestorId ?? strategy.ingestor;
  const params = item.ingestorParams === undefined ? strategy.params : { ...strategy.params, ...item.ingestorParams };
  const kept = item.consumption !== 'consume_on_read';
  const input: Writable<TurnInput> = {
    itemId: item.itemId,
    source: item.source,
    strategy: item.ingestorId !== undefined ? 'item' : own !== undefined ? 'profile' : global !== undefined ? 'global' : 'fallback',
    ingestor: ingestorName,
    // A result keeps its place as one whatever its strategy says, and nothing else takes one (I1).
    mode: isResult ? 'append_as_new_message' : strategy.mode,
    role: isResult ? 'tool' : 'user',
    persistent: isResult || (strategy.persistent && !kept),
    content: '',
  };
  if (kept && !isResult) input.kept = true;
  if (params['no_handover'] === true) input.noHandover = true;
  if (isResult && isJsonObject(item.payload)) {
    input.callId = String(item.payload['tool_call_id']) as CallId;
    input.wireName = env.catalog.wireName(String(item.payload['tool_name']));
    if (item.payload['is_error'] === true) input.isError = true;
  }
  if (item.trust === 'untrusted' || strategy.untrusted === true) input.untrusted = true;
  if (item.taint !== undefined) input.taint = item.taint;
  try {
    const isFramed = item.taint !== undefined && !isUntrusted(input, item);
    const { content, taint, isMixed } = runIngestor(context, { name: ingestorName, item, params, isResult, isFramed });
    if (taint.length > 0) input.taint = [...new Set([...(item.taint ?? []), ...taint])];
    if (isMixed) input.untrusted = true;
    const fitted = plan.cuts ? truncate(content, isResult ? 'tool_result' : 'user', profile.contextPolicy) : content;
    return framedInput(tx, env, input, item, fitted);
  } catch (thrown) {
    return failedInput(context, waiting, { base: input, error: describeThrown(thrown) });
  }
}

const none: readonly never[] = [];

/** What an ingestor made of an item. */
interface Ingested {
  readonly content: Content;
  /** Untrusted sources of what it read from state. */
  readonly taint: readonly string[];
  /** True when its own code read untrusted text, so that any of the content may hold some. */
  readonly isMixed: boolean;
}

/** An item to be put into words. */
interface IngestorCall {
  readonly name: string;
  readonly item: InboxItem;
  readonly params: JsonObject;
  readonly isResult: boolean;
  /** The untrusted text in the payload has frames. */
  readonly isFramed: boolean;
}

function runIngestor({ tx, env, agent, profile }: TurnContext, { name, item, params, isResult, isFramed }: IngestorCall): Ingested {
  const ingestor = env.ingestor(name);
  if (ingestor === undefined) throw new Error(`there is no ingestor '${name}'`);
  const { source, payload } = item;
  const view = ingestorView({
    profile,
    profiles: env.profiles,
    source,
    readScope: () => agentScope(env, tx.run, agent),
    quote: () =>
      isFramed
        ? stateQuotes(env, { run: tx.run, agent, more: { payload: item.taint ?? none } }, item.itemId, new Set(textsIn(payload)))
        : stateQuotes(env, { run: tx.run, agent }, item.itemId),
  });
  const content = checkContent(name, isResult, ingestor.ingest(payload, params, view));
  const { quotes, watch } = view;
  if (quotes === undefined) {
    // What it wrote itself of quoted texts must show them in their frames. What the team says to an agent is its task.
    const isQuoting = isFramed && (item.observerId ?? item.ruleId) !== undefined;
    return { content, taint: none, isMixed: isQuoting && !keepsFrames(payload, contentText(content)) };
  }
  const read = watch === undefined ? none : [...watch.labels];
  return { content, taint: [...quotes.labels(), ...read], isMixed: read.length > 0 };
}

function checkContent(name: string, isResult: boolean, content: unknown): Content {
  if (typeof content === 'string') return isResult || content.trim() !== '' ? content : emptyText;
  if (content instanceof Promise) {
    content.catch(() => undefined);
    throw new Error(`ingestor '${name}' returned a promise; ingestors are synchronous`);
  }
  if (!Array.isArray(content) || !content.every(hasPartShape))
    throw new Error(
      `ingestor '${name}' returned ${Array.isArray(content) ? 'a list of something else' : typeof content}; it must return text or content parts`,
    );
  const parts = content.filter((part) => part.type !== 'text' || part.text.trim() !== '');
  return parts.length > 0 ? parts : isResult ? '' : emptyText;
}

/** True when a value from an ingestor has the outer shape of a part; `ingestors/text/content-part.ts` checks data from outside strictly. */
function hasPartShape(part: unknown): part is ContentPart {
  if (!isJsonObject(part)) return false;
  return part['type'] === 'text'
    ? typeof part['text'] === 'string'
    : part['type'] === 'file' && typeof part['mediaType'] === 'string' && isJsonObject(part['data']);
}

function warnUnknownSource(tx: Transaction, agent: SubContext, source: string): void {
  tx.emit({
    type: 'note.add',
    level: 'warning',
    code: 'INBOX_SOURCE_UNKNOWN',
    message: `no strategy for inbox source '${source}': shown as labelled data; declare it under inbox_handling_strategies`,
    agentId: agent.meta.agentId,
  });
}
