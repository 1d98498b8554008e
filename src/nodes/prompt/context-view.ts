import type { TurnContext } from '../../core/turn-context.ts';
import { correctedTokens, estimatePrompt, viewTokens } from '../../core/prompt/context-size.ts';
import type { ContextTrim, TrimReason } from '../../core/events/context-events.ts';
import { cutMiddle } from '../../core/cut-middle.ts';
import type { Writable } from '../../core/json.ts';
import { contentText } from '../../core/prompt/message.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { estimateTokens } from '../../core/prompt/token-estimate.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import type { TurnInput } from '../../core/state/turn.ts';

/** Parts of the next prompt besides the messages in history. */
export interface Pending {
  /** Estimated tokens of system text and tools, minus those cut from the messages in view. */
  readonly fixed: number;
  readonly inputs: readonly TurnInput[];
  /** Messages the inputs become. */
  readonly messages: number;
  /** Most tokens the prompt of a last turn may have. */
  readonly most?: number;
}

/** From this size on, the edge of a window moves in steps of a quarter, so that prompts keep their beginning in between. */
const steppingWindow = 8;

/** Longest quotation of what was asked in messages that are left out, in characters. */
const quotedChars = 4_000;

/**
 * Moves the edge of what an agent's prompts show, when the window, `max_tokens`, or the model's context demand it; `beginWithUser` follows.
 *
 * 1. A view begins with the user: with a message of theirs, a summary, or a note that quotes what was last asked or says that
 *    it was not kept.
 * 2. A call and its result are never parted, whatever the bounds say: the messages of the last call always stay.
 * 3. The edge never moves back, and moves seldom, so that a provider's prompt cache keeps working.
 */
export function fitView(context: TurnContext, pending: Pending): void {
  const { window, maxTokens = Number.POSITIVE_INFINITY } = context.profile.contextPolicy;
  if (window > 0) fitWindow(context, window, pending.messages);
  const most = Math.min(maxTokens, pending.most ?? Number.POSITIVE_INFINITY);
  if (most !== Number.POSITIVE_INFINITY) fitTokens(context, most, most === maxTokens ? 'max_tokens' : 'stop', pending);
}

/** Ensures that a conversation does not begin with the model's words: its first input may have been for one turn only, or unreadable. */
export function beginWithUser({ tx, agent }: TurnContext): void {
  const {
    context: { view },
    history: { messages, released },
  } = agent;
  const first = messages[view.from - released];
  if (view.head !== undefined || first === undefined || first.role === 'user') return;
  tx.emit(
    {
      type: 'context.trim',
      agentId: agent.meta.agentId,
      to: view.from,
      reason: 'nothing_kept',
      head: tx.content(nothingKept),
      headTokens: estimateTokens(nothingKept),
    },
    agent.inbox.items[0]?.seq ?? tx.run.seq,
  );
}

const nothingKept = '[What this conversation began with was shown once and is not kept.]';

function fitWindow(context: TurnContext, window: number, coming: number): void {
  const { agent } = context;
  const total = historyEnd(agent) + coming;
  if (total - agent.context.view.from <= window) return;
  const slack = window < steppingWindow ? 0 : window >> 2;
  const edge = edgeAt(agent, total - window + slack);
  trimTo(context, userEdgeNear(agent, edge, slack), 'window');
}

function fitTokens(context: TurnContext, most: number, reason: TrimReason, { fixed, inputs }: Pending): void {
  const { agent } = context;
  const estimated = estimatePrompt(agent, fixed, inputs);
  const tokens = correctedTokens(agent, agent.context.view.from, estimated);
  if (tokens <= most) return;
  // A quarter more than is needed, so that not every turn must do it again.
  const excess = estimated - (estimated * most * 0.75) / tokens;
  trimTo(context, edgeAt(agent, positionOfTokens(agent, viewTokens(agent, agent.context.view.from) - excess)), reason);
}

/** Leaves the messages before an edge out of an agent's prompts; false when that would change nothing. */
export function trimTo(context: TurnContext, to: number, reason: TrimReason, cause?: number): boolean {
  const { tx, agent } = context;
  if (to <= agent.context.view.from) return false;
  const trim: Writable<ContextTrim> = { type: 'context.trim', agentId: agent.meta.agentId, to, reason };
  const head = headFor(tx, agent, to);
  if (head !== undefined) {
    trim.head = head.hash;
    trim.headTokens = head.tokens;
  }
  tx.emit(trim, cause ?? agent.inbox.items[0]?.seq ?? tx.run.seq);
  return true;
}

interface Head {
  readonly hash: NonNullable<ContextTrim['head']>;
  readonly tokens: number;
}

/** A summary stays; a view that would begin with the model gets a note in front. */
function headFor(tx: Transaction, agent: SubContext, to: number): Head | undefined {
  const {
    context: { view },
    history: { messages, released },
  } = agent;
  const before = view.head === undefined ? undefined : { hash: view.head, tokens: view.headTokens };
  if (view.isSummary) return before;
  if (messages[to - released]?.role === 'user') return undefined;
  const asked = lastAsked(agent, to);
  // Nothing was asked since the note before: it still says it all.
  if (asked === undefined && before !== undefined) return before;
  const text = noteText(asked);
  return { hash: tx.content(text), tokens: estimateTokens(text) };
}

/** The last words of the user among the messages that are about to be left out. */
function lastAsked({ history: { messages, released }, context: { view } }: SubContext, to: number): string | undefined {
  for (let index = to - released - 1; index >= Math.max(0, view.from - released); index--) {
    const message = messages[index];
    if (message?.role === 'user') return contentText(message.content);
  }
  return undefined;
}

function noteText(asked: string | undefined): string {
  if (asked === undefined) return '[Earlier messages of this conversation are left out here.]';
  const quoted = cutMiddle(asked, quotedChars, (characters) => `\n… [${characters} characters left out] …\n`);
  return `[Earlier messages of this conversation are left out here. What was last asked in them:]\n\n${quoted}`;
}

/*
 * Where a view of an agent's history may begin: at a message of the user, or at one of the model, whose calls and their
 * results then stand in view together. Never at a result. Positions count from the start of the history.
 */

/** The position behind an agent's last message. */
export function historyEnd(agent: SubContext): number {
  return agent.history.released + agent.history.messages.length;
}

/** The nearest place at or after a position where a view may begin; the last one there is when there is none. */
export function edgeAt(agent: SubContext, position: number): number {
  const {
    history: { messages, released },
  } = agent;
  const isEdge = (index: number): boolean => messages[index] !== undefined && messages[index].role !== 'tool';
  let index = Math.max(0, position - released);
  while (index < messages.length && !isEdge(index)) index++;
  if (index >= messages.length) {
    index = messages.length - 1;
    while (index > 0 && !isEdge(index)) index--;
  }
  return released + Math.max(0, index);
}

/** The nearest message of the user at or after an edge, when there is one within so many messages. */
function userEdgeNear(agent: SubContext, edge: number, within: number): number {
  const {
    history: { messages, released },
  } = agent;
  const last = Math.min(messages.length - 1, edge - released + within);
  for (let index = edge - released; index <= last; index++) if (messages[index]?.role === 'user') return released + index;
  return edge;
}

/** Returns the first position from which the messages in view take at most `most` tokens. */
export function positionOfTokens(agent: SubContext, most: number): number {
  let low = agent.context.view.from;
  let high = historyEnd(agent);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (viewTokens(agent, middle) <= most) high = middle;
    else low = middle + 1;
  }
  return low;
}
