import { setTurnView } from '../core/agent-scope.ts';
import { estimatePrompt } from '../core/context-size.ts';
import type { Clock } from '../core/clock.ts';
import type { AgentTools, Env } from '../core/env.ts';
import { type Roomy, unplaced } from '../core/event.ts';
import type { ContentHash, TurnId } from '../core/ids.ts';
import type { Writable } from '../core/json.ts';
import type { LlmConfig } from '../core/llm-config.ts';
import type { ModelDelta, ModelGateway, ModelOutcome, ModelRequest, ToolChoice } from '../core/model.ts';
import type { CompiledProfile } from '../core/profile.ts';
import { assemblePrompt } from '../core/prompt.ts';
import type { AgentState, RunState } from '../core/state.ts';
import type { Transaction } from '../core/transaction.ts';
import type { TurnStart } from '../core/turn-events.ts';
import { estimateTokens } from '../core/token-estimate.ts';
import type { TurnPrompt } from '../core/turn.ts';
import { callFunction, defaultFunctionTimeoutMs, type NodeFunction } from './function-node.ts';
import { interruptTurn } from './interrupted-turn.ts';
import type { Action, ExecPorts, Node } from './node.ts';
import { decideNext, decideOnError } from './post-decide.ts';
import { recordReply } from './post-reply.ts';
import { answerDanglingCalls } from './prep-dangling.ts';
import { readInbox } from './prep-inputs.ts';
import { buildSystemPrompt, systemTextOf } from './prep-system-prompt.ts';
import { boundTurn, lookAtLimits, noteUnknownCost } from './turn-limits.ts';

/** One activation of an agent: the turn that is under way. */
export interface TurnTicket {
  readonly turnId: TurnId;
}

/** What the model call of a turn needs from outside. */
export interface AgentPorts extends ExecPorts {
  readonly gateway: ModelGateway;
  readonly content: (hash: ContentHash) => string | undefined;
  readonly onDelta?: (delta: ModelDelta) => void;
  /** Functions that stand in a model's place, by name. */
  readonly functions?: ReadonlyMap<string, NodeFunction>;
  readonly clock: Clock;
  /** How long a cancelled function gets to stop, in milliseconds. */
  readonly graceMs: number;
}

/**
 * The generic agent (A1.1): every agent of every profile runs on this node, one turn per pass.
 *
 * prep: dangling calls → pre-turn observers → limits → inbox → system prompt → tools → `turn.start`.
 * exec: one model call through the gateway.
 * post: `model.end` → post-turn observers → flow decider → `turn.decide`; the returned action names what follows.
 */
export function createAgentNode(env: Env): Node<TurnTicket, ModelOutcome, AgentPorts> {
  return {
    name: 'agent',
    prep: (tx, agent) => prepareTurn(tx, env, agent),
    // What cannot even be asked (a config that lost its key) is a rejected call, like everything that goes wrong from here on.
    exec: (ticket, ports) => Promise.try(callModel, env, ticket, ports),
    post: (tx, agent, ticket, outcome) => finishThinking(tx, env, agent, ticket, outcome),
  };
}

/** The profile an agent runs by; a run never starts an agent whose profile is missing. */
export function profileOf(env: Env, agent: AgentState): CompiledProfile {
  const profile = env.profiles.get(agent.meta.profile);
  if (profile === undefined) throw new Error(`agent ${agent.meta.agentId} has no profile '${agent.meta.profile}'`);
  return profile;
}

function prepareTurn(tx: Transaction, env: Env, agent: AgentState): TurnTicket | undefined {
  const profile = profileOf(env, agent);
  const agentId = agent.meta.agentId;
  tx.setCause(agent.inbox[0]?.seq ?? agent.meta.seq);
  setTurnView(agent, {});
  answerDanglingCalls(tx, agent);
  const observers = env.observe(tx, agent, profile, 'pre');
  if (!lookAtLimits(tx, env, agent, profile)) return undefined;
  askToGoOn(tx, agent);
  const { inputs, cause } = readInbox(tx, env, agent, profile);
  const tools = env.toolsOf(profile, agent);
  const system = buildSystemPrompt(tx, env, agent, profile, tools);
  const turnId = `${agentId}.t${agent.turnCount + 1}` as TurnId;
  const choice = agent.limitStage === 2 ? 'none' : (agent.nextToolChoice ?? profile.toolChoice);
  const from = visibleFrom(agent, profile);
  const prompt: Writable<TurnPrompt> = {
    system: system.log,
    tools: tx.content(tools.offeredJson),
    from,
    to: agent.released + agent.messages.length + countMessages(inputs),
    tokens: estimatePrompt(agent, { system: system.tokens, tools: toolTokens(tools), from, inputs }),
  };
  if (choice !== 'auto') prompt.toolChoice = choice;
  const start: Roomy<TurnStart> = {
    type: 'turn.start',
    agentId,
    turnId,
    turnType: 'agent',
    flowId: agent.flowId,
    sourceTurnIds: sourceTurnIds(tx.run, agent),
    inputs,
    observers,
    prompt,
    runId: unplaced.runId,
    seq: unplaced.seq,
    at: unplaced.at,
    cause: unplaced.cause,
  };
  if (agent.turnCount === 0 && agent.meta.callId !== undefined) start.sourceToolCallId = agent.meta.callId;
  const bound = boundTurn(tx, env, agent, profile, { prompt, inputs });
  if (bound === undefined) return undefined;
  if (bound.limit !== undefined) start.limit = bound.limit;
  if (bound.reserve !== undefined) start.reserve = bound.reserve;
  tx.emit(start, cause ?? lastDecision(tx.run, agent)?.seq ?? agent.meta.seq);
  tx.effects.push({ kind: 'model', agentId, turnId, cause: tx.run.seq });
  return { turnId };
}

const toolSizes = new WeakMap<AgentTools, number>();

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
function askToGoOn(tx: Transaction, agent: AgentState): void {
  if (!agent.loop || agent.inbox.some(({ item }) => item.delivery !== 'idle') || agent.messages.at(-1)?.role !== 'assistant')
    return;
  tx.post(
    agent.meta.agentId,
    { source: 'SELF_REFLECTION_PROMPT', payload: { content: 'Go on.' }, observerId: 'loop' },
    lastDecision(tx.run, agent)?.seq,
  );
}

function lastDecision(run: RunState, agent: AgentState): { readonly seq: number } | undefined {
  return agent.lastTurnId === undefined ? undefined : run.turns.get(agent.lastTurnId)?.decide;
}

/** The baton: the turn before, and the turns in which other agents posted what is read now. */
function sourceTurnIds(run: RunState, agent: AgentState): readonly TurnId[] {
  const ids: TurnId[] = agent.lastTurnId === undefined ? [] : [agent.lastTurnId];
  for (const { item, seq } of agent.inbox) {
    const sender = item.from === undefined ? undefined : run.agents.get(item.from);
    const posted = sender === undefined ? undefined : turnAt(run, sender, seq);
    if (posted !== undefined && !ids.includes(posted)) ids.push(posted);
  }
  return ids;
}

/** The turn an agent was in when something happened, or its last one before. */
function turnAt(run: RunState, agent: AgentState, seq: number): TurnId | undefined {
  const current = agent.currentTurnId === undefined ? undefined : run.turns.get(agent.currentTurnId);
  return current !== undefined && current.start.seq < seq ? current.turnId : agent.lastTurnId;
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

/** The first stored message in view: the window's edge, moved back so that no call is parted from its results. */
function visibleFrom(agent: AgentState, profile: CompiledProfile): number {
  const { window } = profile.contextPolicy;
  if (window <= 0 || agent.messages.length <= window) return agent.released;
  let from = agent.messages.length - window;
  while (from > 0 && agent.messages[from]?.role !== 'user') from--;
  return agent.released + from;
}

/** Makes the model call of a turn from what the journal says of it, so that a resumed run asks exactly the same. */
function callModel(env: Env, ticket: TurnTicket, ports: AgentPorts): Promise<ModelOutcome> {
  const { run, agent, signal, gateway, onDelta } = ports;
  const start = run.turns.get(ticket.turnId)?.start;
  const prompt = start?.prompt;
  if (start === undefined || prompt === undefined) throw new Error(`turn ${ticket.turnId} has no prompt`);
  const profile = profileOf(env, agent);
  const tools: AgentTools = env.toolsOf(profile, agent);
  const systemText = latestSystemText(agent, prompt.system, ports.content);
  const messages = assemblePrompt(systemText, agent, prompt, start.inputs);
  const fn = profile.functionNode === undefined ? undefined : ports.functions?.get(profile.functionNode);
  if (fn !== undefined) {
    return callFunction(fn, {
      name: profile.functionNode ?? '',
      run,
      agent,
      messages,
      tools: tools.offered,
      wireName: env.catalog.wireName,
      signal,
      clock: ports.clock,
      timeoutMs: profile.functionTimeoutMs ?? defaultFunctionTimeoutMs,
      graceMs: ports.graceMs,
    });
  }
  const config: LlmConfig = env.llmConfig(profile, run);
  const request: Writable<ModelRequest> = {
    config,
    messages,
    tools: tools.offered,
    toolChoice: toToolChoice(prompt.toolChoice, env),
    signal,
  };
  if (start.reserve?.output !== undefined) request.maxOutputTokens = start.reserve.output;
  if (onDelta !== undefined) request.onDelta = onDelta;
  return gateway.call(request);
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

const systemTexts = new WeakMap<AgentState, { readonly log: string; readonly text: string }>();

/** The system text behind a construction log; the newest one of each agent is kept, since it seldom changes. */
function latestSystemText(agent: AgentState, log: ContentHash, content: AgentPorts['content']): string {
  const known = systemTexts.get(agent);
  if (known?.log === log) return known.text;
  const text = systemTextOf(content(log) ?? '[]', content);
  systemTexts.set(agent, { log, text });
  return text;
}

/** A tool choice as the gateway wants it: one of the modes, or the wire name of a tool. */
function toToolChoice(choice: string | undefined, env: Env): ToolChoice {
  if (choice === undefined || choice === '' || choice === 'auto') return { type: 'auto' };
  if (choice === 'none' || choice === 'required') return { type: choice };
  return { type: 'tool', toolName: env.catalog.wireName(choice) };
}

/** Records what the model said and decides what follows from it. */
function finishThinking(tx: Transaction, env: Env, agent: AgentState, ticket: TurnTicket, received: ModelOutcome): Action {
  const profile = profileOf(env, agent);
  const turn = tx.run.turns.get(ticket.turnId);
  if (turn?.interruptedBy !== undefined) {
    interruptTurn(tx, env, agent, turn, received);
    return 'interrupted';
  }
  const outcome = refusedAsError(received);
  const isCostNew = !tx.run.usage.costUnknown;
  recordReply(tx, env, agent, ticket.turnId, outcome);
  if (isCostNew && tx.run.usage.costUnknown) noteUnknownCost(tx, env, agent);
  if (outcome.kind === 'error') return decideOnError(tx, env, agent, profile, ticket.turnId);
  const observers = env.observe(tx, agent, profile, 'post');
  return decideNext(tx, env, agent, profile, ticket.turnId, observers);
}
