import { type SubContext, toLimitStage } from '../state/sub-context.ts';
import { isAsking } from '../state/is-asking.ts';
import { countedPrompt, viewTokens } from '../prompt/context-size.ts';
import { CadreError } from '../error.ts';
import type { EventOf } from '../events/event.ts';
import type { ItemId, TurnId } from '../ids.ts';
import type { InboxItem } from '../inbox/inbox.ts';
import { isJsonObject, type Writable } from '../json.ts';
import type { MessageOrigin, PromptMessage } from '../prompt/message.ts';
import { messagesOfInputs } from '../prompt/prompt.ts';
import type { RunContext } from '../state/run-context.ts';
import type { TurnState } from '../state/turn-state.ts';
import { messageTokens } from '../prompt/token-estimate.ts';
import { boundOf } from '../tool/tool-bound.ts';
import type { ReplyToolCall } from '../state/turn.ts';
import { type AgentFolds, agentOf } from './folds.ts';
import { wholeHistory } from './context.ts';
import { releasePast } from './release.ts';
import { countOfModule, reserve, spend } from './budget.ts';
import { chargeAttempts, countRest, countUnanswered } from './charge.ts';
import { assistantMessage, callPart, wireIdsOf, type AssistantMessage } from './reply-message.ts';
import { removeAt } from './remove-at.ts';
import { markInputs, quoteInTurn, sourcesInView } from './sources.ts';
import { countReply, dropBrokenSteps, hasPersonMessage, resetRepeats } from './streaks.ts';

/** Returns the turn of an id. Throws STORE_CORRUPT for a turn that the journal never started. */
export function turnOf(run: RunContext, turnId: TurnId): TurnState {
  return run.turns.get(turnId) ?? failUnknownTurn(run, turnId);
}

/** Throws STORE_CORRUPT for a turn that the journal never started. */
export function failUnknownTurn(run: RunContext, turnId: TurnId): never {
  throw new CadreError(
    'STORE_CORRUPT',
    `run ${run.meta.runId}: event ${run.seq + 1} names turn ${turnId}, which was never started`,
  );
}

/** Records a change of state with its turn, or with the next turn of its agent. */
export function noteChange(run: RunContext, event: EventOf<'state.update' | 'state.patch'>): void {
  if (event.turnId !== undefined) (turnOf(run, event.turnId).stateChanges ??= []).push(event);
  else if (event.agentId !== undefined) agentOf(run, event.agentId).turn.changesBefore.push(event);
}

/** Folds of a turn, except those of its tool calls. */
export const turnFolds: AgentFolds<'turn.start' | 'model.reserve' | 'model.end' | 'turn.decide' | 'turn.end'> = {
  'turn.start': startTurn,
  'model.reserve': chargeAttempts,
  'model.end': endModelCall,
  'turn.decide': (run, agent, event) => {
    const { action, turnId } = event;
    const turn = run.turns.get(turnId) ?? failUnknownTurn(run, turnId);
    turn.decide = event;
    agent.turn.nextToolChoice = action.toolChoice;
    if (action.taint !== undefined) quoteInTurn(run, agent, turn, action.taint);
    if (agent.turn.outputRepairs > 0 || action.code === 'OUTPUT_INVALID') agent.turn.outputRepairs = outputRepairs(agent, action);
    agent.turn.loop = loopingActions.has(action.type);
    if (action.type === 'retry_turn') dropReply(agent, turnId);
    if (action.call === undefined) return;
    pushCall(agent, turnId, action.call);
    run.counters.calls += 1;
  },
  'turn.end': endTurn,
};

function endTurn(run: RunContext, agent: SubContext, event: EventOf<'turn.end'>): void {
  const turn = run.turns.get(event.turnId) ?? failUnknownTurn(run, event.turnId);
  if (turn.start.prompt !== undefined && turn.modelEnd === undefined) {
    run.activity -= 1;
    agent.counters.tokensUsed += countUnanswered(run, agent, turn.turnId, event.estimate);
  }
  turn.end = event;
  if (event.status === 'interrupted') forgetReading(agent, turn);
  agent.turn.forbiddenTools = none;
  agent.turn.toolBound = undefined;
  agent.turn.currentId = undefined;
  agent.turn.lastId = event.turnId;
  if (agent.calls.open.size > 0) agent.calls.open.clear();
  if (agent.status !== 'ended') agent.status = 'ready';
}

/** Counts repairs of an answer until it is valid or given up; calls in between do not reset the count. */
function outputRepairs({ turn: { outputRepairs } }: SubContext, { type, code }: EventOf<'turn.decide'>['action']): number {
  if (code === 'OUTPUT_INVALID' && type === 'loop_with_inbox_item') return outputRepairs + 1;
  return type === 'end_agent_turn' ? 0 : outputRepairs;
}

/** Uncounts an interrupted turn for the items that stay: only turns shown to a model to the end count. */
function forgetReading(agent: SubContext, turn: TurnState): void {
  const kept = new Set(turn.start.inputs.flatMap((input) => (input.kept === true ? [input.itemId] : [])));
  if (kept.size === 0) return;
  for (const waiting of agent.inbox.items) if (kept.has(waiting.item.itemId)) waiting.turnsSeen -= 1;
}

const none: readonly never[] = [];

const loopingActions: ReadonlySet<string> = new Set(['loop_with_inbox_item', 'retry_turn', 'set_tool_choice']);

/** Adds a rule's call to history as if the model had made it, so that its result follows a call. */
function pushCall(agent: SubContext, turnId: TurnId, call: ReplyToolCall): void {
  const part = callPart(call);
  const last = agent.history.messages.at(-1);
  const origin = agent.history.origins.at(-1);
  if (last?.role === 'assistant' && origin?.turnId === turnId) {
    // One message with this turn's reply: the results of both follow it.
    dropLast(agent);
    remember(
      agent,
      { role: 'assistant', content: [...last.content, part] },
      { ...origin, callIds: [...origin.callIds, call.callId] },
    );
    return;
  }
  remember(agent, { role: 'assistant', content: [part] }, { turnId, itemIds: [], callIds: [call.callId], event: 0 });
}

/** Adds a message to an agent's history, and its size to the running total; its origin, an object made for it, gets its event. */
function remember({ history, context }: SubContext, message: PromptMessage, origin: Writable<MessageOrigin>): void {
  const before = history.origins.at(-1)?.event ?? 0;
  origin.event = message.role === 'tool' ? before : before + 1;
  context.tokenTotals.push((context.tokenTotals.at(-1) ?? context.tokensReleased) + messageTokens(message));
  history.messages.push(message);
  history.origins.push(origin);
}

function dropLast(agent: SubContext): void {
  agent.history.messages.pop();
  agent.history.origins.pop();
  agent.context.tokenTotals.pop();
}

/** Removes the reply of a turn that is retried from history; the journal keeps it. */
function dropReply(agent: SubContext, turnId: TurnId): void {
  const origin = agent.history.origins.at(-1);
  if (origin?.turnId !== turnId || origin.callIds.length > 0 || agent.history.messages.at(-1)?.role !== 'assistant') return;
  dropLast(agent);
}

function startTurn(run: RunContext, agent: SubContext, event: EventOf<'turn.start'>): void {
  const { items, itemSeqs } = consume(agent, event);
  const { prompt } = event;
  const isSpokenTo = hasPersonMessage(items);
  agent.streaks.turnsAlone = (agent.turn.question !== undefined || isSpokenTo ? 0 : agent.streaks.turnsAlone) + 1;
  if (agent.turn.question !== undefined) {
    if (isAsking(agent)) run.pending -= 1;
    agent.turn.question = undefined;
  }
  if (isSpokenTo) resetRepeats(agent);
  const passing = markInputs(run, agent, { start: event, items });
  // The view from the prompt, for journals older than events about views.
  if (prompt !== undefined && prompt.from > agent.context.view.from) agent.context.view = { ...wholeHistory, from: prompt.from };
  run.turns.set(event.turnId, {
    turnId: event.turnId,
    agentId: event.agentId,
    start: event,
    items,
    itemSeqs,
    sources: sourcesInView(agent, passing),
    interruptedBy: undefined,
    modelEnd: undefined,
    charged: undefined,
    decide: undefined,
    calls: none as never[],
    stateChanges: agent.turn.changesBefore.length === 0 ? undefined : agent.turn.changesBefore.splice(0),
    escalations: agent.turn.escalationsBefore,
    end: undefined,
  });
  agent.turn.escalationsBefore = none;
  run.counters.turns += 1;
  if (agent.work.moduleScope !== undefined) countOfModule(run, agent, 'turns');
  if (event.reserve !== undefined) reserve(run, agent, event.reserve);
  if (prompt !== undefined) run.activity += 1;
  if (event.limit !== undefined) {
    agent.limits.stage = toLimitStage(event.limit.stage);
    agent.limits.reason = event.limit.reason;
  }
  agent.turn.toolBound = event.observers.length === 0 ? undefined : boundOf(event.observers);
  agent.turn.loop = false;
  agent.turn.count += 1;
  agent.counters.turnCount += 1;
  agent.turn.currentId = event.turnId;
  agent.status = 'in_turn';
  agent.inbox.awaitingOn = undefined;
  agent.turn.action = null;
  const wireIds = agent.history.wireIds.size === 0 ? undefined : wireIdsOf(agent);
  for (const { message, origin } of messagesOfInputs(event.inputs, event.turnId, wireIds)) remember(agent, message, origin);
  if (prompt?.tokens !== undefined)
    agent.context.fixedTokens = Math.max(
      // A stream cuts texts, which makes its prompt shorter than its messages.
      prompt.stream === undefined ? 0 : Number.NEGATIVE_INFINITY,
      prompt.tokens - viewTokens(agent, prompt.from) - agent.context.view.headTokens,
    );
  if (run.keeps === 'recent') releasePast(run, agent, prompt?.from ?? 0);
}

/** Removes the items a turn read from the inbox (I2); those that stay are counted as seen. */
function consume(
  agent: SubContext,
  event: EventOf<'turn.start'>,
): { readonly items: readonly (InboxItem | undefined)[]; readonly itemSeqs: readonly number[] } {
  const { inputs } = event;
  const waiting = agent.inbox.items;
  const only = waiting.length === 1 && inputs.length === 1 ? waiting[0] : undefined;
  if (only !== undefined && inputs[0]?.itemId === only.item.itemId && inputs[0].kept !== true) {
    waiting.length = 0;
    return { items: [only.item], itemSeqs: [only.seq] };
  }
  const places = inputs.length > 8 ? new Map(inputs.map((input, index) => [input.itemId, index])) : undefined;
  const items: (InboxItem | undefined)[] = inputs.map(() => undefined);
  const itemSeqs = inputs.map(() => 0);
  const leaving: number[] = [];
  let missing = inputs.length;
  let place = 0;
  let step = 1;
  // In a long inbox most of what is read comes first; results of calls came last, and the rest is looked for from there.
  for (let looked = 0; looked < waiting.length && missing > 0; looked += 1) {
    const entry = waiting[place];
    const itemId = entry?.item.itemId;
    const index = places === undefined ? indexOfItem(inputs, itemId) : (places.get(itemId as ItemId) ?? -1);
    const input = inputs[index];
    if (entry !== undefined && input !== undefined) {
      if (items[index] === undefined) missing -= 1;
      items[index] = entry.item;
      itemSeqs[index] = entry.seq;
      if (input.kept === true) entry.turnsSeen += 1;
      else leaving.push(place);
    } else if (step > 0) {
      step = -1;
      place = waiting.length;
    }
    place += step;
  }
  if (leaving.length === waiting.length) waiting.length = 0;
  else removeAt(waiting, leaving);
  return { items, itemSeqs };
}

function indexOfItem(inputs: readonly { readonly itemId: ItemId }[], itemId: ItemId | undefined): number {
  for (let index = 0; index < inputs.length; index += 1) if (inputs[index]?.itemId === itemId) return index;
  return -1;
}

function endModelCall(run: RunContext, agent: SubContext, event: EventOf<'model.end'>): void {
  const { reply, attempts } = event;
  const turn = run.turns.get(event.turnId) ?? failUnknownTurn(run, event.turnId);
  turn.modelEnd = event;
  run.activity -= 1;
  const rest = countRest(run, agent, event.turnId, event);
  agent.counters.tokensUsed += spend(run, agent, { turn, event, rest });
  agent.turn.nextToolChoice = undefined;
  if (event.taint !== undefined) quoteInTurn(run, agent, turn, event.taint);
  // The counts of several attempts are summed, so only that of a single one is the size of the prompt.
  if (attempts.length - (event.charged ?? 0) === 1)
    agent.context.counted = countedPrompt(turn.start.prompt, rest.usage.inputTokens) ?? agent.context.counted;
  // The provider rejected the calls that the reply consists of.
  const isBroken = attempts.at(-1)?.error?.code === 'MODEL_CALL_BROKEN' && reply !== undefined && reply.toolCalls.length > 0;
  agent.turn.brokenReplies = isBroken ? agent.turn.brokenReplies + 1 : 0;
  if (reply === undefined) {
    if (event.error?.code !== 'MODEL_INTERRUPTED') agent.counters.modelErrorStreak += 1;
    return;
  }
  agent.counters.modelErrorStreak = 0;
  agent.context.madeRoom = false;
  countReply(agent, reply);
  if (agent.streaks.escalations.length > 0) dropBrokenSteps(agent);
  const message = assistantMessage(reply);
  if (message === undefined) return;
  const { toolCalls } = reply;
  const first = toolCalls[0];
  run.counters.calls += toolCalls.length;
  for (const { wireId } of toolCalls) if (wireId !== undefined) agent.history.wireIds.add(wireId);
  const callIds = first === undefined ? none : toolCalls.length === 1 ? [first.callId] : toolCalls.map(({ callId }) => callId);
  remember(agent, message, { turnId: event.turnId, itemIds: none, callIds, event: 0 });
  agent.turn.action = first === undefined ? null : currentAction(first, toolCalls, message);
}

/** Returns `state.current_action` of conditions: the first call of the reply, and the names of all. */
function currentAction(
  first: ReplyToolCall,
  toolCalls: readonly ReplyToolCall[],
  message: AssistantMessage,
): SubContext['turn']['action'] {
  // Calls come last in a message.
  const part = message.content[message.content.length - toolCalls.length];
  const input = part?.type === 'tool-call' ? part.input : undefined;
  return {
    tool_name: first.name,
    tool_call_id: first.callId,
    parameters: input !== undefined && isJsonObject(input) ? input : {},
    tool_names: toolCalls.length === 1 ? [first.name] : toolCalls.map(({ name }) => name),
  };
}
