import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../core/json.ts';
import type { AgentId, TurnId } from '../../core/ids.ts';
import { isUntrusted } from '../../core/fold/sources.ts';
import { contentText } from '../../core/prompt/message.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState, TurnState } from '../../core/state/turn-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';

/** Result of a call, as a planner's conditions and texts read it. */
export interface PlannedResult extends JsonObject {
  /** The rule or the step that made the call; empty for calls of a model. */
  readonly id: string;
  readonly iteration: number;
  readonly tool: string;
  readonly args: JsonObject | null;
  readonly ok: boolean;
  /** The status of the call, or that of the report of an agent that was called. */
  readonly status: string;
  readonly content: string;
  /** The content as data, when it is JSON. */
  readonly data: JsonValue;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly agent_id: string | null;
  /** The call an agent that was called ended its work with. */
  readonly ended_by: { readonly tool: string; readonly args: JsonObject | null } | null;
}

/** Everything a planner knows of its task since it began, newest last. */
export interface PlannerMemory {
  readonly task: string;
  /** True when the task holds untrusted text. */
  readonly isTaskOutside: boolean;
  /** The results of each turn that called something. */
  readonly turns: readonly (readonly PlannedResult[])[];
}

/** Returns the part of a call id that names its step and iteration. */
export function markOf(id: string, iteration: number): string {
  return `${id}@${iteration}`;
}

/** Maximum number of turns to look back; older turns have left memory, too. */
const mostTurns = 128;

/**
 * Reads what a planner has done for its task from the turns of its agent. A planner keeps no state: its calls carry the
 * ids of their steps, so that the journal alone gives its progress, after a crash as well.
 *
 * A task begins with the words it is given in, in the first turn of an agent's work or behind one that called nothing; words
 * that arrive in between do not restart the planner, even if they interrupt a turn.
 */
export function recallPlan(run: RunContext, agent: SubContext, turnId: TurnId): PlannerMemory {
  const turns: (readonly PlannedResult[])[] = [];
  let task: Task | undefined;
  let turn: TurnState | undefined = run.turns.get(turnId);
  const most = Math.min(mostTurns, agent.counters.turnCount);
  for (let count = 0; turn !== undefined && count < most; count++) {
    const isOver = turn.turnId !== turnId && isLast(turn);
    if (isOver && task !== undefined) break;
    if (turn.turnId !== turnId && turn.calls.length > 0) turns.unshift(resultsOf(run, agent, turn));
    task = taskOf(agent, turn) ?? task;
    turn = run.turns.get(turnBefore(turn.turnId));
  }
  const { text, isOutside } = task ?? givenTask(agent);
  return { task: text, isTaskOutside: isOutside, turns };
}

/** True when a task ended with a turn; an interrupted or retried turn ends nothing. */
function isLast({ calls, end, decide }: TurnState): boolean {
  return calls.length === 0 && end?.status !== 'interrupted' && decide?.action.type !== 'retry_turn';
}

function turnBefore(turnId: TurnId): TurnId {
  const at = turnId.lastIndexOf('.t');
  return `${turnId.slice(0, at)}.t${Number(turnId.slice(at + 2)) - 1}` as TurnId;
}

/** Words of a task, and whether they hold untrusted text. */
interface Task {
  readonly text: string;
  readonly isOutside: boolean;
}

/** The task in an agent's parameters. */
function givenTask({ initialParams, stateTaint }: SubContext): Task {
  return { text: textOf(initialParams['input']), isOutside: stateTaint.has('initial_params') };
}

/** The task a turn was given: words from a person or another agent, not results, notices, or what observers add. */
function taskOf(agent: SubContext, turn: TurnState): Task | undefined {
  const index = turn.start.inputs.findLastIndex((input, at) => {
    const item = turn.items[at];
    return input.role === 'user' && item !== undefined && item.observerId === undefined && item.ruleId === undefined;
  });
  const input = turn.start.inputs[index];
  if (input === undefined) return undefined;
  if (input.source === 'AGENT_STARTUP_BRIEFING' && typeof agent.initialParams['input'] === 'string') return givenTask(agent);
  const item = turn.items[index];
  const isOutside = isUntrusted(input, item) || input.taint !== undefined || item?.from !== undefined;
  return { text: contentText(input.content), isOutside };
}

function resultsOf(run: RunContext, agent: SubContext, turn: TurnState): readonly PlannedResult[] {
  return turn.calls.map((call) => resultOf(run, agent, turn, call));
}

function resultOf(run: RunContext, agent: SubContext, turn: TurnState, call: CallState): PlannedResult {
  const [id = '', iteration = '1'] = markIn(turn, call);
  const content = call.end === undefined ? '' : contentText(call.end.content);
  const data = dataOf(content);
  // A tool that was started ran outside: what it says of agents is its own words, and no report of one.
  const isReport = call.startSeq === undefined && isJsonObject(data) && typeof data['agent_id'] === 'string';
  const report = isReport ? data : undefined;
  const child = agent.children.findLast((childId) => run.agents.get(childId)?.meta.callId === call.callId);
  const called = child ?? (report === undefined ? undefined : (textOf(report['agent_id']) as AgentId));
  return {
    id,
    iteration: Number(iteration),
    tool: call.request.name,
    args: call.request.args,
    ok: call.end?.status === 'ok',
    status: textOf(report?.['status']) || (call.end?.status ?? 'unknown'),
    content,
    data,
    error: errorOf(call, report),
    agent_id: called ?? null,
    ended_by: called === undefined ? null : endOf(run, called),
  };
}

/** The step and the iteration a planner's call is marked with; a model's call has no such mark. */
function markIn({ modelEnd }: TurnState, { callId }: CallState): readonly string[] {
  const reply = modelEnd?.reply;
  if (reply?.modelId?.startsWith('planner:') !== true) return [];
  return reply.toolCalls.find((call) => call.callId === callId)?.providerCallId.split('@') ?? [];
}

function errorOf({ end }: CallState, report: JsonObject | undefined): PlannedResult['error'] {
  const error = report?.['error'];
  if (isJsonObject(error)) return { code: textOf(error['code']), message: textOf(error['message']) };
  if (end?.error !== undefined) return { code: end.error.code, message: end.error.message };
  if (end?.status === 'ok' || end === undefined) return null;
  return { code: 'TOOL_FAILED', message: contentText(end.content) };
}

/** Returns the call that ended an agent: the tool and its arguments, on which a flow decides. */
function endOf(run: RunContext, agentId: AgentId): PlannedResult['ended_by'] {
  const agent = run.agents.get(agentId);
  const turn = agent?.turn.lastId === undefined ? undefined : run.turns.get(agent.turn.lastId);
  const call = turn?.calls.findLast(({ end }) => end?.end !== undefined);
  return call === undefined ? null : { tool: call.request.name, args: call.request.args };
}

function dataOf(text: string): JsonValue {
  if (!/^\s*[[{"\d-]|^\s*(?:true|false|null)\s*$/.test(text)) return null;
  try {
    return parseJson(text) as JsonValue;
  } catch {
    // Words, not data.
    return null;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
