import type { AgentTools } from '../../core/env.ts';
import type { Writable } from '../../core/json.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import type { TurnPlan } from '../../core/profile/turn-plan.ts';
import { estimatePrompt } from '../../core/prompt/context-size.ts';
import { outputSection, outputSectionId } from '../../core/prompt/output-format.ts';
import { type TextProtocol, joinPieces } from '../../core/prompt/text-protocol.ts';
import { estimateTokens, messageTokens } from '../../core/prompt/token-estimate.ts';
import { toolSection, toolSectionId } from '../../core/prompt/tool-section.ts';
import type { ObserverRecord, TurnInput, TurnPrompt, EventStream } from '../../core/state/turn.ts';
import { boundOf } from '../../core/tool/tool-bound.ts';
import type { TurnContext } from '../../core/turn-context.ts';
import { frameAtPlace } from '../../core/untrusted/frame-untrusted.ts';
import { guideSection, guideSectionId } from '../planner/plan-script.ts';
import { beginWithUser, fitView } from './context-view.ts';
import { buildSystemPrompt, type SystemPrompt, type TextSection } from './build-system-prompt.ts';
import { eventPieces, fullFrom, type ShownStream } from '../../core/prompt/history-stream.ts';
import type { PromptMessage } from '../../core/prompt/message.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { SubContext } from '../../core/state/sub-context.ts';

/** Parts of a turn that its prompt is written from. */
export interface PromptInputs {
  readonly observers: readonly ObserverRecord[];
  readonly inputs: readonly TurnInput[];
  /** The config of its model, if it can be called. */
  readonly config: LlmConfig | undefined;
}

/** Writes the prompt of a turn: tools, system text, and the part of the history that fits. */
export function writePrompt(context: TurnContext, plan: TurnPlan, parts: PromptInputs): TurnPrompt {
  const offer = offerTools(context, parts);
  const sections = plan.sections || offer.protocol !== undefined ? sectionsOf(context, offer) : noSections;
  const system = buildSystemPrompt(context, offer.tools, sections, plan);
  const view = fitHistory(context, plan, parts, { offer, system });
  return toTurnPrompt(context, { offer, system }, view);
}

/** Tools of a turn, and how its model may call them. */
interface Offer {
  readonly tools: AgentTools;
  /** auto, none, required, or a tool's name. */
  readonly choice: string;
  /** Undefined when the provider has native tool calls, or no tool is offered. */
  readonly protocol: TextProtocol | undefined;
}

function offerTools({ env, agent, profile }: TurnContext, { observers, config }: PromptInputs): Offer {
  const bound = observers.length === 0 ? undefined : boundOf(observers);
  const tools = env.toolsOf(profile, agent, bound);
  const isLast = agent.limits.stage === 'last_turn';
  const choice = isLast ? 'none' : (bound?.choice ?? agent.turn.nextToolChoice ?? profile.toolChoice);
  const protocol = tools.offered.length === 0 ? undefined : config?.toolProtocol;
  return { tools, choice, protocol: protocol === 'native' ? undefined : protocol };
}

const noSections: readonly TextSection[] = [];

/** Returns the sections that a system prompt has besides those its profile declares. */
function sectionsOf(context: TurnContext, { tools, choice, protocol }: Offer): readonly TextSection[] {
  const { env, run, agent, profile } = context;
  const { output } = profile;
  const guide = guideSection(context);
  if (output === undefined && protocol === undefined && guide === undefined) return noSections;
  const isMode = choice === 'auto' || choice === 'none' || choice === 'required';
  const shown = isMode ? choice : env.catalog.wireName(choice);
  const frame = frameAtPlace(run, agent, env.hash, toolSectionId);
  const called = protocol === undefined ? '' : toolSection(protocol, tools, shown, frame);
  return [
    ...(output === undefined ? [] : [{ id: outputSectionId, text: outputSection(output) }]),
    ...(guide === undefined ? [] : [{ id: guideSectionId, ...guide }]),
    ...(called === '' ? [] : [{ id: toolSectionId, text: called }]),
  ];
}

/** The parts of a prompt before its history. */
interface PromptStart {
  readonly offer: Offer;
  readonly system: SystemPrompt;
}

/** Part of the history that a prompt shows. */
interface FittedHistory {
  readonly stream: EventStream | undefined;
  /** Messages that this turn's inputs become. */
  readonly coming: number;
  readonly tokens: number;
}

/** Moves the start of the view until the prompt fits the model's context. */
function fitHistory(
  context: TurnContext,
  plan: TurnPlan,
  { inputs, config }: PromptInputs,
  { offer, system }: PromptStart,
): FittedHistory {
  const { agent, profile } = context;
  // A text protocol has the tools in the system text.
  const fixed =
    offer.protocol === undefined ? system.tokens + (toolSizes.get(offer.tools) ?? toolTokens(offer.tools)) : system.tokens;
  const coming = countMessages(inputs);
  const stream = plan.stream ? streamOf(agent, profile, inputs) : undefined;
  let beside = stream === undefined ? fixed : fixed - savedBy(agent, stream, offer.protocol);
  // The last turn of an agent whose context is full must still fit.
  const most = agent.limits.stage === 'last_turn' ? config?.contextWindow : undefined;
  if (plan.bounds || most !== undefined) {
    fitView(context, { fixed: beside, inputs, messages: coming, ...(most === undefined ? {} : { most }) });
    if (stream !== undefined) beside = fixed - savedBy(agent, stream, offer.protocol);
  }
  beginWithUser(context);
  return { stream, coming, tokens: Math.max(0, estimatePrompt(agent, beside, inputs)) };
}

function toTurnPrompt(
  { tx, agent }: TurnContext,
  { offer, system }: PromptStart,
  { stream, coming, tokens }: FittedHistory,
): TurnPrompt {
  const { view } = agent.context;
  const { messages, released } = agent.history;
  const prompt: Writable<TurnPrompt> = {
    system: system.log,
    tools: tx.content(offer.tools.offeredJson),
    from: view.from,
    to: released + messages.length + coming,
    tokens,
  };
  if (view.head !== undefined) {
    prompt.head = view.head;
    if (view.headSeq !== undefined) prompt.headSeq = view.headSeq;
    if (view.earlier !== undefined) prompt.earlier = view.earlier;
  }
  if (offer.tools.taint.length + system.taint.length > 0) prompt.taint = [...new Set([...offer.tools.taint, ...system.taint])];
  if (stream !== undefined) prompt.stream = stream;
  if (offer.choice !== 'auto') prompt.toolChoice = offer.choice;
  if (offer.protocol !== undefined) prompt.protocol = offer.protocol;
  return prompt;
}

// Pure cache: keyed by a set of tools, which never changes.
const toolSizes = new WeakMap<AgentTools, number>();

/** Estimates the tokens of the offered tools, once. */
function toolTokens(tools: AgentTools): number {
  const size = estimateTokens(tools.offeredJson);
  toolSizes.set(tools, size);
  return size;
}

/** Counts the messages that inputs become: persistent ones do, and neighbouring tool results share one. */
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

/** Returns an agent's history as a stream of events for the next turn; results belong to the event of their calls. */
function streamOf(agent: SubContext, { contextPolicy }: CompiledProfile, inputs: readonly TurnInput[]): EventStream | undefined {
  const { rendering } = contextPolicy;
  if (rendering === undefined) return undefined;
  const coming = inputs.filter(({ persistent, role }) => persistent && role === 'user').length;
  const last = (agent.history.origins.at(-1)?.event ?? 0) + coming;
  return { full: fullFrom(last, rendering.full), lines: rendering.lines };
}

interface Saving extends Pick<EventStream, 'full' | 'lines'> {
  readonly from: number;
  readonly protocol: TextProtocol | undefined;
  /** The first message that has not been looked at. */
  readonly next: number;
  readonly tokens: number;
}

// Pure cache: keyed by an agent, and compared with all that the sum depends on; messages only grow.
const savings = new WeakMap<SubContext, Saving>();

/**
 * Returns the estimated tokens that a stream saves over the messages in view by cutting older events. Each message is examined one
 * time, when it is cut: the edge never moves back.
 */
function savedBy(agent: SubContext, stream: EventStream, protocol: TextProtocol | undefined): number {
  const {
    context: { view },
    history: { messages, origins, released },
  } = agent;
  const known = savings.get(agent);
  const isAlike = known?.from === view.from && known.lines === stream.lines && known.protocol === protocol;
  // A profile that was edited may show more events in full: what was cut before is not cut now.
  const goesOn = isAlike && known.full <= stream.full;
  let next = goesOn ? known.next : view.from;
  let tokens = goesOn ? known.tokens : 0;
  for (; next < released + messages.length; next++) {
    const message = messages[next - released];
    const origin = origins[next - released];
    if (message === undefined || (origin?.event ?? 0) >= stream.full) break;
    tokens += savedOn(message, origin, { ...stream, protocol });
  }
  savings.set(agent, { from: view.from, full: stream.full, lines: stream.lines, protocol, next, tokens });
  return tokens;
}

function savedOn(
  message: PromptMessage,
  origin: SubContext['history']['origins'][number] | undefined,
  stream: ShownStream,
): number {
  const cut: PromptMessage = { role: 'user', content: joinPieces(eventPieces(message, origin, stream)) };
  return Math.max(0, messageTokens(message) - messageTokens(cut));
}
