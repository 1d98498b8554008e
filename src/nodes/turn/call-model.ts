import { callerOf } from '../../core/state/agent-path.ts';
import { promptTokens } from '../../core/prompt/context-size.ts';
import type { Clock } from '../../core/clock.ts';
import type { AgentTools, Env } from '../../core/env.ts';
import type { ContentHash, TurnId } from '../../core/ids.ts';
import type { Writable } from '../../core/json.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { ModelDelta, ModelGateway, ModelOutcome, ModelRequest, OutageNews, ToolChoice } from '../../core/model/model.ts';
import { headsOf, assemblePrompt, type PromptParts } from '../../core/prompt/prompt.ts';
import type { PromptMessage } from '../../core/prompt/message.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { TurnStart } from '../../core/events/turn-events.ts';
import type { TurnPrompt } from '../../core/state/turn.ts';
import { callFunction, defaultFunctionTimeoutMs, type NodeFunction } from './function-node.ts';
import type { ExecPorts } from './node.ts';
import { askPlanner } from '../planner/ask-planner.ts';
import { systemTextOf, requiredText } from '../prompt/build-system-prompt.ts';
import { planOf } from '../../core/profile/turn-plan.ts';
import { profileOf } from '../../core/turn-context.ts';

/** One activation of an agent: the turn that is under way. */
export interface TurnTicket {
  readonly turnId: TurnId;
}

/** Dependencies of a turn's model call. */
export interface AgentPorts extends ExecPorts {
  readonly gateway: ModelGateway;
  readonly content: (hash: ContentHash) => string | undefined;
  readonly onDelta?: (delta: ModelDelta) => void;
  readonly onOutage?: (news: OutageNews) => void;
  readonly mayTry?: ModelRequest['mayTry'];
  /** Functions used instead of a model, by name. */
  readonly functions?: ReadonlyMap<string, NodeFunction>;
  readonly clock: Clock;
  /** Milliseconds that a cancelled function gets to stop. */
  readonly graceMs: number;
}

/** Makes the model call of a turn from what the journal says of it, so that a resumed run asks exactly the same. */
export function callModel(env: Env, ticket: TurnTicket, ports: AgentPorts): Promise<ModelOutcome> {
  const { run, agent } = ports;
  const start = run.turns.get(ticket.turnId)?.start;
  const prompt = start?.prompt;
  if (start === undefined || prompt === undefined) throw new Error(`turn ${ticket.turnId} has no prompt`);
  const profile = profileOf(env, agent);
  const tools: AgentTools = env.toolsOf(profile, agent);
  const systemText = latestSystemText(agent, prompt.system, ports.content);
  const heads = prompt.head === undefined ? noHeads : headTextsOf(agent, prompt, prompt.head, ports.content);
  const messages = promptOf(agent, { systemText, history: agent.history, range: prompt, inputs: start.inputs, heads });
  const asked: Asked = { start, prompt, profile, tools, messages };
  return planOf(profile).withoutModel ? askOther(env, ports, asked) : askModel(env, ports, asked);
}

const noHeads: readonly string[] = [];

/** Asks the function or the planner of a profile; the model, when a planner leaves a turn to it or the function is not given. */
function askOther(env: Env, ports: AgentPorts, asked: Asked): Promise<ModelOutcome> {
  const { run, agent, signal, clock, graceMs } = ports;
  const { start, profile, tools, messages } = asked;
  const { functionNode: name = '', functionTimeoutMs: timeoutMs = defaultFunctionTimeoutMs, planner } = profile;
  const fn = profile.functionNode === undefined ? undefined : ports.functions?.get(name);
  if (fn !== undefined)
    return callFunction(fn, { name, env, run, agent, messages, tools: tools.offered, signal, clock, timeoutMs, graceMs });
  const ask = (): Promise<ModelOutcome> => askModel(env, ports, asked);
  if (planner === undefined) return ask();
  const hasTool = (tool: string): boolean => tools.tools.has(tool);
  return askPlanner({ planner, run, agent, turnId: start.turnId, hasTool, env }, ask);
}

/** Inputs of a model call. */
interface Asked {
  readonly start: TurnStart;
  readonly prompt: TurnPrompt;
  readonly profile: CompiledProfile;
  readonly tools: AgentTools;
  readonly messages: readonly PromptMessage[];
}

function askModel(env: Env, ports: AgentPorts, asked: Asked): Promise<ModelOutcome> {
  const { run, agent, signal, gateway, onDelta, onOutage, mayTry } = ports;
  const { start, prompt, profile, tools, messages } = asked;
  const config: LlmConfig = env.llmConfig(profile, run, agent);
  const request: Writable<ModelRequest> = {
    config,
    messages,
    tools: tools.offered,
    toolChoice: prompt.toolChoice === undefined ? { type: 'auto' } : toToolChoice(prompt.toolChoice, env),
    signal,
    caller: callerOf(run, agent),
  };
  if (prompt.protocol !== undefined) request.textProtocol = prompt.protocol;
  if (profile.output !== undefined) request.outputSchema = profile.output.schema;
  const { reserve } = run.chargedCalls.get(start.turnId) ?? start;
  if (reserve === undefined) request.isUnreserved = true;
  if (reserve?.output !== undefined) request.maxOutputTokens = reserve.output;
  if (agent.turn.brokenReplies > 0) request.brokenCalls = agent.turn.brokenReplies;
  const promptSize = promptTokens(agent, prompt);
  if (promptSize !== undefined) request.promptTokens = promptSize;
  if (onDelta !== undefined) request.onDelta = onDelta;
  if (onOutage !== undefined) request.onOutage = onOutage;
  if (mayTry !== undefined) request.mayTry = mayTry;
  return gateway.call(request);
}

// Pure cache: keyed by an agent, and compared with the hash of the text.
const systemTexts = new WeakMap<SubContext, { readonly log: string; readonly text: string }>();

/** The system text behind a construction log; the newest one of each agent is kept, since it seldom changes. */
function latestSystemText(agent: SubContext, log: ContentHash, content: AgentPorts['content']): string {
  const known = systemTexts.get(agent);
  if (known?.log === log) return known.text;
  const text = systemTextOf(requiredText(content, log, 'how a system prompt was made'), content);
  systemTexts.set(agent, { log, text });
  return text;
}

// Pure cache: keyed by an agent, and compared with the hash of the newest text.
const headTexts = new WeakMap<SubContext, { readonly newest: ContentHash; readonly texts: readonly string[] }>();

/** The texts that stand for messages that are left out, in order; the newest ones of each agent are kept. */
function headTextsOf(
  agent: SubContext,
  prompt: TurnPrompt,
  newest: ContentHash,
  content: AgentPorts['content'],
): readonly string[] {
  const known = headTexts.get(agent);
  if (known?.newest === newest) return known.texts;
  const texts = headsOf(prompt).map(({ head }) => requiredText(content, head, 'what stands for messages that are left out'));
  headTexts.set(agent, { newest, texts });
  return texts;
}

/** A tool choice as the gateway wants it: one of the modes, or the wire name of a tool. */
function toToolChoice(choice: string, env: Env): ToolChoice {
  if (choice === '' || choice === 'auto') return { type: 'auto' };
  if (choice === 'none' || choice === 'required') return { type: choice };
  return { type: 'tool', toolName: env.catalog.wireName(choice) };
}

/** Longest history that is copied for each call, in messages: what a model keeps of a call then stays as it was. */
const copiedLength = 512;

interface GrownPrompt {
  readonly history: readonly PromptMessage[];
  readonly systemText: string;
  readonly messages: PromptMessage[];
}

// Pure cache: keyed by an agent, and compared with its history and its system text.
const grown = new WeakMap<SubContext, GrownPrompt>();

/**
 * Returns the prompt of a call, as `assemblePrompt` builds it. An agent whose calls show a long history from its beginning gets one
 * list that grows with the history, since a copy per call would cost more with every turn (I13).
 */
export function promptOf(agent: SubContext, parts: PromptParts): readonly PromptMessage[] {
  return growsWithHistory(parts) ? grow(agent, parts) : assemblePrompt(parts);
}

function growsWithHistory({ systemText, history, range, inputs, heads }: PromptParts): boolean {
  const { length } = history.messages;
  if (length <= copiedLength || history.released > 0 || range.from !== 0 || range.to !== length) return false;
  if (systemText === '' || range.stream !== undefined || (heads !== undefined && heads.length > 0)) return false;
  for (const { persistent } of inputs) if (!persistent) return false;
  return true;
}

function grow(agent: SubContext, parts: PromptParts): readonly PromptMessage[] {
  const { systemText } = parts;
  const history = parts.history.messages;
  const known = grown.get(agent);
  if (known?.history !== history || known.systemText !== systemText || !isStart(known.messages, history)) {
    const messages = assemblePrompt(parts);
    grown.set(agent, { history, systemText, messages });
    return messages;
  }
  const { messages } = known;
  for (let index = messages.length - 1; index < history.length; index++) {
    const message = history[index];
    if (message !== undefined) messages.push(message);
  }
  return messages;
}

/** True when a prompt still is a system text and the start of a history: a model could have changed the list it was given. */
function isStart(messages: readonly PromptMessage[], history: readonly PromptMessage[]): boolean {
  const last = messages.length - 1;
  return last > 0 && last <= history.length && messages[1] === history[0] && messages[last] === history[last - 1];
}
