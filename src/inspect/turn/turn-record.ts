import type { ErrorRecord } from '../../core/error.ts';
import type { EventOf } from '../../core/events/event.ts';
import type { AgentId, CallId, ContentHash, RunId, TurnId } from '../../core/ids.ts';
import { isJsonObject } from '../../core/json.ts';
import type { FilePart } from '../../core/prompt/message.ts';
import type { FinishReason, ModelAttempt, Usage } from '../../core/model/model.ts';
import type { PromptSources } from '../../core/prompt/prompt-sources.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import type { ReplyToolCall, TurnType } from '../../core/state/turn.ts';
import { headsOf } from '../../core/prompt/prompt.ts';
import { lazy } from '../lazy.ts';
import { promptSpans, type PromptSpan } from './prompt-spans.ts';
import { readList, type ReadContent } from '../read-content.ts';
import { callUse } from './call-use.ts';
import { turnCost } from './turn-cost.ts';
import { toSystemPrompt, type SystemPromptView } from './system-prompt.ts';
import { toolInteractions, type ToolInteraction } from './tool-interactions.ts';
import { stateChanges, type StateChangeView } from '../../core/patches/state-changes.ts';
import { historyOfTurn } from './turn-history.ts';
import { turnInputs, type TurnInputView } from './turn-inputs.ts';
import { turnDecision, turnObservers, type DecisionView, type ObserverResultView } from './turn-judgements.ts';
import type { ProfileFacts } from './profile-facts.ts';

/** Status of a turn. */
export type TurnStatus = 'running' | EventOf<'turn.end'>['status'];

/** The agent that took a turn. */
export interface AgentInfo {
  readonly agentId: AgentId;
  readonly profile: string;
  readonly profileType: string;
  readonly roleName: string | undefined;
  readonly moduleId: string | undefined;
  readonly parentAgentId: AgentId | undefined;
  readonly depth: number;
}

/** The prompt the model saw: `text` is the concatenation of the spans' texts, byte for byte (I10). */
export interface PromptView {
  readonly spans: readonly PromptSpan[];
  readonly text: string;
}

/** The model's reply; empty, without a finish reason, when there is none. */
export interface ReplyView {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ReplyToolCall[];
  readonly files: readonly FilePart[];
  readonly finishReason: FinishReason | undefined;
  readonly modelId: string | undefined;
  /** The model's original text, when tool calls were parsed from it. */
  readonly said: string | undefined;
}

/** A step of stagnation escalation taken before a turn began. */
export type EscalationView = Omit<EventOf<'stagnation.act'>, 'type' | 'runId' | 'agentId' | 'at' | 'cause'>;

/**
 * Everything recorded about one turn, as plain data. `prompt`, `systemPrompt` and `tools` are built on first access, so
 * that listing turns does not read their history. Times are milliseconds since 1970.
 */
export interface TurnRecord {
  readonly runId: RunId;
  readonly turnId: TurnId;
  readonly agentId: AgentId;
  readonly agentInfo: AgentInfo;
  readonly profile: string;
  readonly turnType: TurnType;
  readonly status: TurnStatus;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly flowId: string;
  /** The turns that led to it. */
  readonly sourceTurnIds: readonly TurnId[];
  /** The call that caused it: the one that started its agent, or the first whose result it read. */
  readonly sourceToolCallId: CallId | undefined;
  /** The limit this turn was near (1) or at (2). */
  readonly limit: EventOf<'turn.start'>['limit'];
  /** Stagnation escalations before it began. */
  readonly escalations: readonly EscalationView[];
  /** Budget reserved for its model call. */
  readonly reserve: EventOf<'turn.start'>['reserve'];
  readonly inputs: readonly TurnInputView[];
  readonly observers: readonly ObserverResultView[];
  readonly systemPrompt: SystemPromptView;
  /** Names of the offered tools, as the model saw them. */
  readonly tools: readonly string[];
  readonly toolChoice: string | undefined;
  /** Sources of the prompt's content, as gates saw them. */
  readonly sources: PromptSources;
  readonly prompt: PromptView;
  readonly attempts: readonly ModelAttempt[];
  readonly reply: ReplyView;
  readonly toolInteractions: readonly ToolInteraction[];
  readonly decision: DecisionView;
  readonly usage: Usage;
  /** US dollars of its model call; null when unknown, absent when it made none. */
  readonly cost: number | null | undefined;
  /** Milliseconds to the first token of the attempt that answered. */
  readonly firstTokenMs: number | undefined;
  readonly stateChanges: readonly StateChangeView[];
  readonly error: ErrorRecord | undefined;
}

/** Builds the record of one turn; parts that grow with history are built on demand. */
export function toTurnRecord(
  run: RunContext,
  turn: TurnState,
  content: ReadContent,
  profiles?: ReadonlyMap<string, ProfileFacts>,
  hash?: (text: string) => ContentHash,
): TurnRecord {
  const profile = profiles?.get(run.agents.get(turn.agentId)?.meta.profile ?? '');
  return turnRecordOf(run, turn, { shown: shownParts(run, turn, { content, profile, hash }), profile });
}

/** Parts of a turn shown to its model. They are fixed when the turn begins, so a rebuilt record can reuse them. */
export interface ShownParts {
  readonly systemPrompt: () => SystemPromptView;
  readonly tools: () => readonly string[];
  readonly prompt: () => PromptView;
}

/** Creates the parts of a record that grow with history, each built on first access. */
export function shownParts(
  run: RunContext,
  turn: TurnState,
  from: {
    readonly content: ReadContent;
    readonly profile: ProfileFacts | undefined;
    readonly hash?: ((text: string) => ContentHash) | undefined;
  },
): ShownParts {
  const { prompt } = turn.start;
  const { content, profile, hash } = from;
  const systemPrompt = lazy(() => (prompt === undefined ? { segments: [] } : toSystemPrompt(prompt.system, content, profile)));
  return {
    systemPrompt,
    tools: lazy(() => (prompt === undefined ? [] : toolNames(content, prompt.tools))),
    prompt: lazy(() => toPrompt(run, turn, systemPrompt(), content, hash)),
  };
}

/** Builds the record of one turn from the parts shown to its model. */
export function turnRecordOf(
  run: RunContext,
  turn: TurnState,
  { shown, profile }: { readonly shown: ShownParts; readonly profile: ProfileFacts | undefined },
): TurnRecord {
  const { start, modelEnd, end } = turn;
  const call = callUse(turn);
  const agentInfo = toAgentInfo(run, turn.agentId);
  return {
    runId: run.meta.runId,
    turnId: turn.turnId,
    agentId: turn.agentId,
    agentInfo,
    profile: agentInfo.profile,
    turnType: start.turnType,
    status: end?.status ?? 'running',
    startedAt: start.at,
    endedAt: end?.at,
    flowId: start.flowId,
    sourceTurnIds: start.sourceTurnIds,
    sourceToolCallId: start.sourceToolCallId ?? start.inputs.find(({ role }) => role === 'tool')?.callId,
    limit: start.limit,
    escalations: turn.escalations.map(toEscalationView),
    reserve: start.reserve,
    inputs: turnInputs(turn, profile),
    observers: turnObservers(turn, profile),
    get systemPrompt() {
      return shown.systemPrompt();
    },
    get tools() {
      return shown.tools();
    },
    toolChoice: start.prompt?.toolChoice,
    sources: turn.sources,
    get prompt() {
      return shown.prompt();
    },
    attempts: call?.attempts ?? [],
    reply: toReply(modelEnd?.reply),
    toolInteractions: toolInteractions(turn, profile),
    decision: turnDecision(turn, profile),
    usage: call?.usage ?? {},
    cost: turnCost(run, turn),
    firstTokenMs: modelEnd?.attempts.at(-1)?.firstTokenMs,
    stateChanges: (turn.stateChanges ?? []).flatMap(stateChanges),
    error: end?.error ?? modelEnd?.error,
  };
}

function toAgentInfo(run: RunContext, agentId: AgentId): AgentInfo {
  const meta = run.agents.get(agentId)?.meta;
  return {
    agentId,
    profile: meta?.profile ?? '',
    profileType: meta?.type ?? '',
    roleName: meta?.roleName,
    moduleId: meta?.moduleId,
    parentAgentId: meta?.parentAgentId,
    depth: meta?.depth ?? 0,
  };
}

function toPrompt(
  run: RunContext,
  turn: TurnState,
  system: SystemPromptView,
  content: ReadContent,
  hash: ((text: string) => ContentHash) | undefined,
): PromptView {
  const { prompt, inputs } = turn.start;
  if (prompt === undefined) return { spans: [], text: '' };
  const history = historyOfTurn(run, turn);
  const built = promptSpans({
    system,
    heads: headsOf(prompt).map(({ head, headSeq }) => ({ text: content(head) ?? '', hash: head, seq: headSeq })),
    history,
    from: prompt.from,
    to: prompt.to,
    inputs,
    turnId: turn.turnId,
    protocol: prompt.protocol,
    stream: prompt.stream,
  });
  const spans = hash === undefined ? built : built.map((span) => ({ ...span, hash: span.hash ?? hash(span.text) }));
  return { spans, text: spans.map((span) => span.text).join('') };
}

function toolNames(content: ReadContent, hash: Parameters<ReadContent>[0]): readonly string[] {
  return readList(content, hash).flatMap((tool) => {
    const name = isJsonObject(tool) ? tool['name'] : tool;
    return typeof name === 'string' ? [name] : [];
  });
}

function toReply(reply: EventOf<'model.end'>['reply']): ReplyView {
  return {
    text: reply?.text ?? '',
    reasoning: reply?.reasoning ?? '',
    toolCalls: reply?.toolCalls ?? [],
    files: reply?.files ?? [],
    finishReason: reply?.finishReason,
    modelId: reply?.modelId,
    said: reply?.said,
  };
}

function toEscalationView({
  seq,
  rung,
  on,
  threshold,
  count,
  action,
  tools,
  llmConfig,
  prompt,
}: EventOf<'stagnation.act'>): EscalationView {
  return {
    seq,
    rung,
    on,
    threshold,
    count,
    action,
    ...(tools === undefined ? {} : { tools }),
    ...(llmConfig === undefined ? {} : { llmConfig }),
    ...(prompt === undefined ? {} : { prompt }),
  };
}
