import type { ExpressionRoots } from '../../../core/expression/expression.ts';
import type { JsonObject, JsonValue } from '../../../core/json.ts';
import { contentText } from '../../../core/prompt/message.ts';
import type { RunContext } from '../../../core/state/run-context.ts';
import type { WorkModule } from '../../../core/team/work-module.ts';
import { outputOf } from '../../expect/check-run.ts';
import { runOverview } from '../../../inspect/run-overview.ts';
import type { TurnRecord } from '../../../inspect/turn/turn-record.ts';
import { readJson } from '../../../core/read-json.ts';

/** Figures of a run. */
export interface RunFacts {
  readonly id: string;
  readonly status: string;
  /** Null while the run waits for a message. */
  readonly outcome: string | null;
  readonly error: string | null;
  readonly turns: number;
  readonly tool_calls: number;
  readonly model_calls: number;
  readonly tokens: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** US dollars; null when the cost of some call is unknown. */
  readonly cost_usd: number | null;
  /** Seconds of working time. */
  readonly seconds: number;
  readonly agents: number;
}

/** A turn of a run. */
export interface TurnFacts {
  readonly id: string;
  readonly agent: string;
  readonly profile: string;
  readonly status: string;
  readonly rule: string | null;
  readonly reply: string;
  readonly cost_usd: number | null;
}

/** A tool call of a run. */
export interface CallFacts {
  readonly tool: string;
  readonly args: JsonValue;
  readonly status: string;
  readonly agent: string;
  readonly profile: string;
  /** Text of its result, or of its error. */
  readonly result: string;
}

/** A run in plain data, for checks: the roots of CEL conditions, and the argument of checks in code. */
export interface EvalFacts {
  readonly output: string;
  /** The output read as JSON; null when it is none. */
  readonly value: JsonValue;
  readonly run: RunFacts;
  readonly turns: readonly TurnFacts[];
  readonly calls: readonly CallFacts[];
  /** Names of the called tools, in order. */
  readonly tools: readonly string[];
  readonly deliverables: JsonObject;
  readonly team: { readonly shared: JsonObject; readonly work_modules: Readonly<Record<string, WorkModule>> };
  readonly vars: JsonObject;
  readonly case: { readonly name: string; readonly input: JsonValue; readonly variant: string };
}

/** Roots of conditions over a run. */
export const evalRoots: ExpressionRoots = {
  output: { kind: 'open' },
  value: { kind: 'open' },
  run: closed('id status outcome error turns tool_calls model_calls tokens input_tokens output_tokens cost_usd seconds agents'),
  turns: { kind: 'open' },
  calls: { kind: 'open' },
  tools: { kind: 'open' },
  deliverables: { kind: 'open' },
  team: closed('shared work_modules'),
  vars: { kind: 'open' },
  case: closed('name input variant'),
};

/** Roots of texts of checks. */
export const textRoots: ExpressionRoots = { vars: { kind: 'open' }, case: closed('name input variant') };

function closed(fields: string): ExpressionRoots[string] {
  return { kind: 'closed', fields: Object.fromEntries(fields.split(' ').map((field) => [field, { kind: 'open' }])) };
}

/** Builds the facts of a run. */
export function evalFacts(
  state: RunContext,
  turns: readonly TurnRecord[],
  given: { readonly vars: JsonObject; readonly case: EvalFacts['case'] },
): EvalFacts {
  const output = outputOf(state);
  const calls = turns.flatMap(callsOf);
  return {
    output,
    value: jsonOf(output),
    run: runFacts(state),
    turns: turns.map(turnFacts),
    calls,
    tools: calls.map(({ tool }) => tool),
    deliverables: state.deliverables,
    team: { shared: state.team.shared, work_modules: state.team.workModules },
    ...given,
  };
}

function runFacts(state: RunContext): RunFacts {
  const overview = runOverview(state);
  return {
    id: overview.runId,
    status: overview.status,
    outcome: overview.outcome ?? null,
    error: overview.error?.message ?? null,
    turns: overview.turns,
    tool_calls: overview.toolCalls,
    model_calls: overview.modelCalls,
    tokens: overview.inputTokens + overview.outputTokens,
    input_tokens: overview.inputTokens,
    output_tokens: overview.outputTokens,
    cost_usd: overview.cost,
    seconds: overview.used.wallMs / 1000,
    agents: overview.agents.total,
  };
}

function turnFacts({ turnId, agentId, profile, status, decision, reply, cost }: TurnRecord): TurnFacts {
  const rule = decision.action?.ruleId ?? null;
  return { id: turnId, agent: agentId, profile, status, rule, reply: reply.text, cost_usd: cost ?? null };
}

function callsOf({ agentId, profile, toolInteractions }: TurnRecord): readonly CallFacts[] {
  return toolInteractions.map(({ name, args, status, content, error }) => ({
    tool: name,
    args: args ?? null,
    status,
    agent: agentId,
    profile,
    result: content === undefined ? (error?.message ?? '') : contentText(content),
  }));
}

/** Reads a text as JSON, alone or as its one fenced block; null when it is none. */
function jsonOf(text: string): JsonValue {
  const fenced = /^\s*```(?:json)?\n([\s\S]*?)\n```\s*$/.exec(text);
  try {
    return readJson(fenced?.[1] ?? text) as JsonValue;
  } catch {
    // Most outputs are prose: conditions on `value` then see null.
    return null;
  }
}
