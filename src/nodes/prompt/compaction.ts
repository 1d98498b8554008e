import { TurnContext, profileOf } from '../../core/turn-context.ts';
import { usesModel, type CompiledProfile } from '../../core/profile/profile.ts';
import { contextTokens, viewTokens } from '../../core/prompt/context-size.ts';
import type { CompactionEnd, CompactionReason, CompactionStart } from '../../core/events/context-events.ts';
import { isForRoom } from '../../core/state/agent-context.ts';
import type { Env } from '../../core/env.ts';
import type { ErrorRecord } from '../../core/error.ts';
import type { EventOf } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { Writable } from '../../core/json.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { ModelOutcome } from '../../core/model/model.ts';
import { type PromptMessage, contentText } from '../../core/prompt/message.ts';
import type { CompactionPolicy } from '../../core/profile/context-policy.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { estimateTokens } from '../../core/prompt/token-estimate.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import { trimTo, edgeAt, historyEnd, positionOfTokens } from './context-view.ts';
import { wholeUse } from '../../core/fold/charge.ts';
import { endAgent } from '../turn/end-agent.ts';
import { configOf, judgeTurn } from '../limits/reserve.ts';
import { chargeLate } from '../limits/unanswered.ts';
import { summaryInstructions } from './summary-request.ts';
import { cutLines, escapedEvents, eventType, isRequest } from '../../core/prompt/history-stream.ts';

/** A compaction must replace at least this share of the threshold, or it would be made again every few turns. */
const leastGain = 0.1;

/** Minimum tokens to summarise: anything shorter is no longer than its summary. */
const leastSummarised = 200;

/** Most summaries in a stream; the next one takes them all in. */
const mostSummaries = 8;

/** Maximum share of the threshold for messages kept verbatim. */
const mostKept = 0.5;

/**
 * Starts a summary of old messages before an agent's next turn, when its prompt has grown past the threshold; true when a
 * summary has begun and the turn must wait.
 *
 * Owns: when a compaction begins and how it ends. Does not own: the call (`summary-request.ts`).
 * 1. Between its two events an agent takes no turn; what arrives meanwhile is read by the turn after (I6).
 * 2. However it ends, the view then begins later than before, or the agent has ended: nothing is tried twice.
 * 3. Messages stay where they are: a summary precedes a view and edits nothing (I11).
 */
export function compactIfDue(context: TurnContext): boolean {
  const { tx, agent, profile } = context;
  const { compaction } = profile.contextPolicy;
  if (compaction === undefined || !usesModel(profile) || agent.limits.stage === 'last_turn') return false;
  const due = fullContext(context, compaction) ?? enoughDone(tx.run, agent, compaction);
  return due !== undefined && startCompaction(context, due);
}

type DueCompaction = Pick<CompactionStart, 'to' | 'tokens' | 'reason'>;

/** Returns the compaction that is due because the prompt has grown past the threshold. */
function fullContext(context: TurnContext, compaction: CompactionPolicy): DueCompaction | undefined {
  const { agent } = context;
  const threshold = thresholdOf(context);
  if (threshold === undefined) return undefined;
  const tokens = contextTokens(agent);
  if (tokens < threshold) return undefined;
  const kept = Math.min(compaction.keepTokens ?? Number.POSITIVE_INFINITY, threshold * mostKept);
  const to = edgeAt(agent, Math.max(historyEnd(agent) - compaction.keep, positionOfTokens(agent, kept)));
  if (viewTokens(agent, agent.context.view.from, to) < threshold * leastGain) return undefined;
  return { to, tokens, reason: 'threshold' };
}

/** Returns the compaction that is due at any size: a task has ended and another begins, or the view has `at_actions` actions. */
function enoughDone(
  run: RunContext,
  agent: SubContext,
  { atActions, atTaskEnd, keep }: CompactionPolicy,
): DueCompaction | undefined {
  const from = Math.max(agent.context.view.from, agent.context.view.tried ?? 0);
  const due = (to: number, reason: CompactionReason): DueCompaction | undefined =>
    to > from && viewTokens(agent, from, to) >= leastSummarised ? { to, tokens: contextTokens(agent), reason } : undefined;
  // Keep the agent's last words: the new request may be about them.
  if (atTaskEnd === true && isTaskOver(run, agent)) return due(edgeAt(agent, historyEnd(agent) - 1), 'task_end');
  if (atActions === undefined) return undefined;
  const actions = agent.history.messages.slice(from - agent.history.released).filter(isAction).length;
  return actions < atActions ? undefined : due(edgeAt(agent, historyEnd(agent) - keep), 'actions');
}

function isAction(message: PromptMessage): boolean {
  return message.role === 'assistant' && message.content.some(({ type }) => type === 'tool-call');
}

/** True when an agent that ended its turns or waited for the user has something to read: it begins another task. */
function isTaskOver(run: RunContext, agent: SubContext): boolean {
  if (agent.counters.turnCount === 0) return historyEnd(agent) > 0;
  const decided = agent.turn.lastId === undefined ? undefined : run.turns.get(agent.turn.lastId)?.decide?.action.type;
  return (decided === 'end_agent_turn' || decided === 'await_user_input') && agent.inbox.items.length > 0;
}

function thresholdOf(context: TurnContext): number | undefined {
  const { profile } = context;
  const { compaction } = profile.contextPolicy;
  if (compaction === undefined) return undefined;
  if (compaction.atTokens !== undefined) return compaction.atTokens;
  const size = Math.min(
    configOf(context)?.contextWindow ?? Number.POSITIVE_INFINITY,
    profile.contextPolicy.maxTokens ?? Number.POSITIVE_INFINITY,
  );
  return size === Number.POSITIVE_INFINITY ? undefined : size * compaction.at;
}

/** Begins a compaction of everything in view before `to`; false when the remaining budgets do not allow it. */
export function startCompaction(context: TurnContext, due: DueCompaction, cause?: number): boolean {
  const { tx, env, agent, profile } = context;
  const { agentId } = agent.meta;
  const { compaction } = profile.contextPolicy;
  const llmConfig = tx.run.meta.llmConfig ?? compaction?.llmConfig ?? profile.llmConfigRef;
  const instructions = compaction?.instructions ?? summaryInstructions;
  const prompt = viewTokens(agent, agent.context.view.from, due.to) + agent.context.view.headTokens + estimateTokens(instructions);
  const { outcome, reserve } = judgeTurn(context, { prompt, config: usableConfig(env, llmConfig) });
  if (outcome !== 'fits') return false;
  const start: Writable<CompactionStart> = {
    type: 'compaction.start',
    agentId,
    compactionId: `${agentId}.k${agent.context.compactions + 1}`,
    from: agent.context.view.from,
    ...due,
    llmConfig,
    instructions: tx.content(instructions),
  };
  const { head, isSummary, earlier = [] } = agent.context.view;
  // In a stream each summary replaces its events, until there are too many summaries.
  const isSeparate = profile.contextPolicy.rendering !== undefined && isSummary && earlier.length + 1 < mostSummaries;
  if (head !== undefined && isSeparate && !isForRoom(due.reason)) start.separate = true;
  else if (head !== undefined) {
    start.previous = head;
    if (earlier.length > 0) start.earlier = earlier.map((each) => each.head);
  }
  if (reserve !== undefined) start.reserve = reserve;
  const { seq, compactionId } = tx.emit(start, cause ?? agent.inbox.items[0]?.seq ?? tx.run.seq);
  tx.effects.push({ kind: 'compaction', agentId, compactionId, cause: seq });
  return true;
}

function usableConfig(env: Env, name: string): LlmConfig | undefined {
  try {
    return env.llmConfigOf(name);
  } catch {
    // A config without its key: the call fails, and the compaction records its error.
    return undefined;
  }
}

/** Applies the outcome of a compaction; adds only a note when the compaction is not running any more. */
export function applySummary(
  tx: Transaction,
  env: Env,
  came: { readonly agentId: AgentId; readonly compactionId: string; readonly outcome: ModelOutcome },
): void {
  const { agentId, compactionId, outcome } = came;
  const agent = tx.run.agents.get(agentId);
  if (agent?.context.compacting?.compactionId === compactionId) {
    endCompaction(new TurnContext(tx, env, agent), agent.context.compacting, outcome);
    return;
  }
  chargeLate(tx, agentId, compactionId, outcome);
  const message = `the summary ${compactionId} came after its agent had ended and was dropped`;
  tx.emit({ type: 'note.add', level: 'info', code: 'MODEL_ABORTED', message, agentId }, tx.run.seq);
}

/** Records a summariser's outcome: its summary precedes the view from now on, or the policy decides on a failure. */
function endCompaction(context: TurnContext, start: EventOf<'compaction.start'>, outcome: ModelOutcome): void {
  const { tx, env, agent } = context;
  const replaced = viewTokens(agent, start.from, start.to) + (start.separate === true ? 0 : agent.context.view.headTokens);
  const { text, error } = judged(outcome, {
    replaced,
    toMessage: (summary) => placedSummary(agent, start, summary, profileOf(env, agent)),
  });
  const { usage, cost, attempts, charged } = wholeUse(tx.run, start.compactionId, outcome);
  const end: Writable<CompactionEnd> = {
    type: 'compaction.end',
    agentId: agent.meta.agentId,
    compactionId: start.compactionId,
    from: start.from,
    to: start.to,
    usage,
    attempts,
  };
  if (cost !== undefined) end.cost = cost;
  if (charged !== undefined) end.charged = charged;
  if (error === undefined) {
    end.head = tx.content(text);
    end.headTokens = estimateTokens(text);
  } else {
    end.error = error;
  }
  const { seq } = tx.emit(end, start.seq);
  if (error === undefined || !isForRoom(start.reason)) return;
  if (profileOf(env, agent).contextPolicy.compaction?.onFailure === 'stop') {
    const message = `the context is full and could not be summarised: ${error.message}`;
    endAgent(context, { outcome: 'limit', error: { code: 'LIMIT_REACHED', message } }, seq);
  } else {
    trimTo(context, start.to, 'compaction_failed', seq);
  }
}

/** Returns the summary as prompts will show it, or the reason for having none. */
function judged(
  outcome: ModelOutcome,
  { replaced, toMessage }: { readonly replaced: number; readonly toMessage: (summary: string) => string },
): { readonly text: string; readonly error?: ErrorRecord } {
  if (outcome.kind === 'error') return { text: '', error: outcome.error };
  const { text, finishReason } = outcome.reply;
  const failed = (message: string): { readonly text: string; readonly error: ErrorRecord } => ({
    text: '',
    error: { code: 'COMPACTION_FAILED', message },
  });
  if (text.trim() === '') return failed('the summary is empty');
  if (finishReason === 'length' || finishReason === 'content-filter') return failed(`the summary is not whole (${finishReason})`);
  const summary = toMessage(text.trim());
  const tokens = estimateTokens(summary);
  if (tokens >= replaced)
    return failed(`the summary is no shorter (about ${tokens} tokens) than what it was to replace (about ${replaced})`);
  return { text: summary };
}

/** Most requests that are quoted beside a summary, and most lines of each. */
const quotedRequests = 3;
const quotedLines = 20;

/** Returns a summary as it precedes a view: for a number of messages, or replacing its events. */
function placedSummary(agent: SubContext, start: CompactionStart, summary: string, { contextPolicy }: CompiledProfile): string {
  if (contextPolicy.rendering === undefined)
    return `[The first ${start.to} messages of this conversation are left out here. This summary stands in their place:]\n\n${summary}`;
  const {
    history: { origins, released },
  } = agent;
  const first = start.separate === true ? (origins[start.from - released]?.event ?? 1) : 1;
  const last = origins[start.to - 1 - released]?.event ?? first;
  const asked = requestsIn(agent, start).map((request) => `${request}\n`);
  return `## Events ${first} to ${last} TYPE: SUMMARY\n${asked.join('')}CONTENT:\n${escapedEvents(summary)}`;
}

/** Returns the last requests among the summarised messages, verbatim. */
function requestsIn({ history: { messages, origins, released } }: SubContext, { from, to }: CompactionStart): readonly string[] {
  const found: string[] = [];
  for (let index = to - 1 - released; index >= Math.max(0, from - released) && found.length < quotedRequests; index--) {
    const message = messages[index];
    const origin = origins[index];
    if (message?.role !== 'user' || origin === undefined || !isRequest(origin)) continue;
    // Readers of records find the summariser's words behind the first line that says CONTENT alone.
    const text = escapedEvents(cutLines(contentText(message.content), quotedLines)).replace(/^CONTENT:$/gm, '\\CONTENT:');
    found.unshift(`${eventType(origin)} (event ${origin.event ?? 1}):\n${text}`);
  }
  return found;
}
