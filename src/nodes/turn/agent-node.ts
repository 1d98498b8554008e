import { TurnContext } from '../../core/turn-context.ts';
import { estimatePrompt } from '../../core/prompt/context-size.ts';
import type { AgentTools, Env } from '../../core/env.ts';
import { type Roomy, unplaced } from '../../core/events/event.ts';
import type { TurnId } from '../../core/ids.ts';
import { isExpired } from '../../core/inbox/inbox.ts';
import type { Writable } from '../../core/json.ts';
import type { ModelOutcome } from '../../core/model/model.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import type { TurnStart } from '../../core/events/turn-events.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { TextProtocol } from '../../core/prompt/text-protocol.ts';
import { estimateTokens } from '../../core/prompt/token-estimate.ts';
import { boundOf } from '../../core/tool/tool-bound.ts';
import { outputSection, outputSectionId } from '../../core/prompt/output-format.ts';
import { frameAtPlace, type FrameText } from '../../core/untrusted/frame-at-place.ts';
import { toolSection, toolSectionId } from '../../core/prompt/tool-section.ts';
import type { TurnPrompt } from '../../core/state/turn.ts';
import { callModel, type AgentPorts, type TurnTicket } from './call-model.ts';
import { escalate } from './escalate.ts';
import { compactIfDue } from '../prompt/compaction.ts';
import { historyEnd } from '../prompt/context-edge.ts';
import { lookAtContext } from '../prompt/context-stage.ts';
import { fitView } from '../prompt/context-view.ts';
import { interruptTurn } from './interrupted-turn.ts';
import { makeRoom } from '../prompt/make-room.ts';
import type { Action, Node } from './node.ts';
import { pauseAtCheckpoint } from './pause-at-checkpoint.ts';
import { decideNext, decideOnError } from './post-decide.ts';
import { recordReply } from './post-reply.ts';
import { answerDanglingCalls } from '../inbox/prep-dangling.ts';
import { readInbox } from '../inbox/prep-inputs.ts';
import { guideSection, guideSectionId } from '../planner/guide-section.ts';
import { buildSystemPrompt, type TextSection } from '../prompt/prep-system-prompt.ts';
import { profileOf } from './profile-of.ts';
import { configOf } from '../limits/reserve.ts';
import { savedBy, streamOf } from '../prompt/stream-of.ts';
import { beginAtTask, showPeerHistory } from '../prompt/show-peer-history.ts';
import { boundTurn, lookAtLimits, noteUnknownCost } from '../limits/turn-limits.ts';

/**
 * The generic agent (A1.1): every agent of every profile runs on this node, one turn per pass.
 *
 * prep: (compaction first, when it is due) dangling calls → pre-turn observers → stagnation → checkpoints → limits → inbox → system prompt → tools →
 * what of its history is in view → `turn.start`.
 * exec: one model call through the gateway.
 * post: `model.end` → post-turn observers → flow decider → `turn.decide`; the returned action names what follows.
 */
export function createAgentNode(env: Env): Node<TurnTicket, ModelOutcome, AgentPorts> {
  return {
    name: 'agent',
    prep: (tx, agent) => prepareTurn(new TurnContext(tx, env, agent)),
    // What cannot even be asked (a config that lost its key) is a rejected call, like everything that goes wrong from here on.
    exec: (ticket, ports) => Promise.try(callModel, env, ticket, ports),
    post: (tx, agent, ticket, outcome) => finishThinking(new TurnContext(tx, env, agent), ticket, outcome),
  };
}

function prepareTurn(context: TurnContext): TurnTicket | undefined {
  const { tx, env, agent } = context;
  const profile = profileOf(env, agent);
  if (compactIfDue(context)) return undefined;
  const agentId = agent.meta.agentId;
  tx.setCause(agent.inbox.items[0]?.seq ?? agent.meta.seq);
  answerDanglingCalls(tx, agent);
  const observers = env.observe(tx, agent, profile, 'pre');
  if (!escalate(context)) return undefined;
  if (!pauseAtCheckpoint(context, profile)) return undefined;
  if (!lookAtLimits(context)) return undefined;
  beginAtTask(context);
  showPeerHistory(context, agent.inbox.items[0]?.seq ?? lastDecision(tx.run, agent)?.seq);
  const size = lookAtContext(context);
  askToGoOn(tx, agent);
  const { inputs, cause } = readInbox(context);
  const held = boundOf(observers);
  const tools = env.toolsOf(profile, agent, held);
  const turnId = `${agentId}.t${agent.turn.count + 1}` as TurnId;
  const isLast = agent.limits.stage === 'last_turn';
  const choice = isLast ? 'none' : (held?.choice ?? agent.turn.nextToolChoice ?? profile.toolChoice);
  const protocol = tools.offered.length === 0 ? undefined : textProtocolOf(context);
  const system = buildSystemPrompt(
    context,
    tools,
    sectionsOf(env, profile, tools, {
      protocol,
      choice,
      guide: guideSection(env, tx.run, agent, profile),
      frame: frameAtPlace(tx.run, agent, env.hash, toolSectionId),
    }),
  );
  // A text protocol has the tools in the system text.
  const fixed = system.tokens + (protocol === undefined ? toolTokens(tools) : 0);
  const coming = countMessages(inputs);
  // The last turn of an agent whose context is full must still fit.
  const stream = streamOf(agent, profile, inputs);
  const beside = (): number => fixed - (stream === undefined ? 0 : savedBy(agent, stream, protocol));
  fitView(context, {
    fixed: beside(),
    inputs,
    messages: coming,
    ...(isLast && size !== undefined ? { most: size } : {}),
  });
  const {
    context: { view },
  } = agent;
  const prompt: Writable<TurnPrompt> = {
    system: system.log,
    tools: tx.content(tools.offeredJson),
    from: view.from,
    to: historyEnd(agent) + coming,
    tokens: Math.max(0, estimatePrompt(agent, beside(), inputs)),
  };
  if (view.head !== undefined) {
    prompt.head = view.head;
    if (view.headSeq !== undefined) prompt.headSeq = view.headSeq;
    if (view.earlier !== undefined) prompt.earlier = view.earlier;
  }
  if (tools.taint.length + system.taint.length > 0) prompt.taint = [...new Set([...tools.taint, ...system.taint])];
  if (stream !== undefined) prompt.stream = stream;
  if (choice !== 'auto') prompt.toolChoice = choice;
  if (protocol !== undefined) prompt.protocol = protocol;
  const start: Roomy<TurnStart> = {
    type: 'turn.start',
    agentId,
    turnId,
    turnType: 'agent',
    flowId: agent.turn.flowId,
    sourceTurnIds: sourceTurnIds(tx.run, agent),
    inputs,
    observers,
    prompt,
    runId: unplaced.runId,
    seq: unplaced.seq,
    at: unplaced.at,
    cause: unplaced.cause,
  };
  if (agent.counters.turnCount === 0 && agent.meta.callId !== undefined) start.sourceToolCallId = agent.meta.callId;
  const bound = boundTurn(context, { prompt, inputs });
  if (bound === undefined) return undefined;
  if (bound.limit !== undefined) start.limit = bound.limit;
  if (bound.reserve !== undefined) start.reserve = bound.reserve;
  tx.emit(start, cause ?? lastDecision(tx.run, agent)?.seq ?? agent.meta.seq);
  tx.effects.push({ kind: 'model', agentId, turnId, cause: tx.run.seq });
  return { turnId };
}

// Pure cache: keyed by a set of tools, which never changes.
const toolSizes = new WeakMap<AgentTools, number>();

const noSections: readonly TextSection[] = [];

/** What stands in a system prompt besides what its profile declares. */
function sectionsOf(
  env: Env,
  { output }: CompiledProfile,
  tools: AgentTools,
  {
    protocol,
    choice,
    guide,
    frame,
  }: {
    readonly protocol: TextProtocol | undefined;
    readonly choice: string;
    readonly guide: string;
    readonly frame: FrameText;
  },
): readonly TextSection[] {
  if (output === undefined && protocol === undefined && guide === '') return noSections;
  const isMode = choice === 'auto' || choice === 'none' || choice === 'required';
  const shown = isMode ? choice : env.catalog.wireName(choice);
  const called = protocol === undefined ? '' : toolSection(protocol, tools, shown, frame);
  return [
    ...(output === undefined ? [] : [{ id: outputSectionId, text: outputSection(output) }]),
    ...(guide === '' ? [] : [{ id: guideSectionId, text: guide }]),
    ...(called === '' ? [] : [{ id: toolSectionId, text: called }]),
  ];
}

/** The text protocol an agent calls its tools in; undefined when its provider has its own way. */
function textProtocolOf(context: Pick<TurnContext, 'env' | 'profile' | 'run' | 'agent'>): TextProtocol | undefined {
  const protocol = configOf(context)?.toolProtocol;
  return protocol === 'native' ? undefined : protocol;
}

/** What the offered tools come to; known once per profile. */
function toolTokens(tools: AgentTools): number {
  let size = toolSizes.get(tools);
  if (size === undefined) {
    size = estimateTokens(tools.offeredJson);
    toolSizes.set(tools, size);
  }
  return size;
}

/** A loop without anything new to read would send a prompt that ends with the model's own words, which many providers refuse. */
function askToGoOn(tx: Transaction, agent: SubContext): void {
  // What has been seen as often as it may be is about to be dropped: it is nothing to read.
  const isRead = agent.inbox.items.some((waiting) => waiting.item.delivery !== 'idle' && !isExpired(waiting));
  if (!agent.turn.loop || isRead || agent.history.messages.at(-1)?.role !== 'assistant') return;
  tx.post(
    agent.meta.agentId,
    { source: 'SELF_REFLECTION_PROMPT', payload: { content: 'Go on.' }, observerId: 'loop' },
    lastDecision(tx.run, agent)?.seq,
  );
}

function lastDecision(run: RunContext, agent: SubContext): { readonly seq: number } | undefined {
  return agent.turn.lastId === undefined ? undefined : run.turns.get(agent.turn.lastId)?.decide;
}

/** The baton: the turn before, and the turns in which other agents posted what is read now. */
function sourceTurnIds(run: RunContext, agent: SubContext): readonly TurnId[] {
  const ids: TurnId[] = agent.turn.lastId === undefined ? [] : [agent.turn.lastId];
  for (const { item, seq } of agent.inbox.items) {
    const sender = item.from === undefined ? undefined : run.agents.get(item.from);
    const posted = sender === undefined ? undefined : turnAt(run, sender, seq);
    if (posted !== undefined && !ids.includes(posted)) ids.push(posted);
  }
  return ids;
}

/** The turn an agent was in when something happened, or its last one before. */
function turnAt(run: RunContext, agent: SubContext, seq: number): TurnId | undefined {
  const current = agent.turn.currentId === undefined ? undefined : run.turns.get(agent.turn.currentId);
  return current !== undefined && current.start.seq < seq ? current.turnId : agent.turn.lastId;
}

/** Persistent inputs become messages; neighbouring tool results share one. */
function countMessages(inputs: readonly { readonly persistent: boolean; readonly role: string }[]): number {
  let count = 0;
  let inTools = false;
  for (const input of inputs) {
    if (!input.persistent) {
      inTools = false;
      continue;
    }
    if (input.role !== 'tool' || !inTools) count++;
    inTools = input.role === 'tool';
  }
  return count;
}

/** A filtered reply is no answer (FAULTS M13): what there was of it stays in the record. */
function refusedAsError(outcome: ModelOutcome): ModelOutcome {
  if (outcome.kind === 'error' || outcome.reply.finishReason !== 'content-filter') return outcome;
  const error = { code: 'MODEL_REFUSED' as const, message: "the provider's content filter stopped the reply" };
  const last = outcome.attempts.at(-1);
  const attempts =
    last === undefined ? [] : [...outcome.attempts.slice(0, -1), { ...last, error, partialText: outcome.reply.text }];
  return { kind: 'error', error, usage: outcome.usage, attempts };
}

/** Records what the model said and decides what follows from it. */
function finishThinking(context: TurnContext, ticket: TurnTicket, received: ModelOutcome): Action {
  const { tx, env, agent } = context;
  const profile = profileOf(env, agent);
  const turn = tx.run.turns.get(ticket.turnId);
  if (turn?.interruptedBy !== undefined) {
    interruptTurn(context, turn, received);
    return 'interrupted';
  }
  const outcome = refusedAsError(received);
  const isCostNew = !tx.run.usage.costUnknown;
  recordReply(context, ticket.turnId, outcome, profile);
  if (isCostNew && tx.run.usage.costUnknown) noteUnknownCost(context);
  if (outcome.kind === 'error' && outcome.error.code === 'MODEL_CONTEXT_TOO_LONG' && turn !== undefined) {
    if (makeRoom(context, turn, outcome.error)) return 'interrupted';
  }
  if (outcome.kind === 'error') return decideOnError(context, ticket.turnId);
  const observers = env.observe(tx, agent, profile, 'post');
  return decideNext(context, ticket.turnId, observers);
}
