import { agentScope } from '../../core/state/agent-scope.ts';
import type { Env } from '../../core/env.ts';
import { toErrorRecord } from '../../core/error.ts';
import type { TurnId } from '../../core/ids.ts';
import type { ModelOutcome } from '../../core/model/model.ts';
import type { Planner } from '../../core/profile/planner.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { everySource } from '../../core/untrusted/scope-origins.ts';
import { failure, lastResults, type PlannerDecision, type PlanView } from './plan.ts';
import { planByRules, planFallback } from './plan-rules.ts';
import { planByScript } from './plan-script.ts';
import { markOf, type PlannedResult, type PlannerMemory, recallPlan } from './planner-memory.ts';
import { planByLoop } from './plan-loop.ts';
import { quotingView } from './quoting-view.ts';

/** Inputs of a request to a planner. */
export interface PlannerCall {
  readonly planner: Planner;
  readonly env: Env;
  readonly run: RunContext;
  readonly agent: SubContext;
  readonly turnId: TurnId;
  readonly hasTool: (name: string) => boolean;
}

/**
 * Asks a planner what its agent does in a turn. What it says has the shape of a model's reply, so that gates, limits, records and
 * the flow decider hold for it as they do for one. `ask` makes the model call, for planners that leave a turn to it.
 */
export async function askPlanner(call: PlannerCall, ask: () => Promise<ModelOutcome>): Promise<ModelOutcome> {
  const { planner } = call;
  const view = viewOf(call);
  const plan = decide(planner, view);
  if (plan.kind !== 'model') return outcomeOf(plan, call, view);
  const outcome = await ask();
  const problem = planner.type === 'rules' ? whyUseless(outcome, call, view) : undefined;
  const instead =
    problem === undefined || planner.type !== 'rules'
      ? undefined
      : tryPlan(() => planFallback(planner, view, `${plan.why}; ${problem}`));
  if (instead === undefined || instead.kind === 'model') return outcome;
  const { usage, attempts, cost } = outcome;
  return { ...outcomeOf(instead, call, view), usage, attempts, ...(cost === undefined ? {} : { cost }) };
}

function decide(planner: Planner, view: PlanView): PlannerDecision {
  return tryPlan(() => {
    switch (planner.type) {
      case 'rules':
        return planByRules(planner, view);
      case 'script':
        return planByScript(planner, view);
      case 'loop':
        return planByLoop(planner, view);
    }
  });
}

/** A text or condition that cannot be put together is the failure of the plan, on the record, and not of the run (I12). */
function tryPlan<P extends PlannerDecision | undefined>(make: () => P): P | PlannerDecision {
  try {
    return make();
  } catch (thrown) {
    const { message } = toErrorRecord(thrown, 'CONDITION_FAILED');
    return { ...failure(`the planner could not decide: ${message}`, 'an expression failed'), isThrown: true };
  }
}

function viewOf({ env, run, agent, turnId, hasTool }: PlannerCall): PlanView {
  const memory = recallPlan(run, agent, turnId);
  const base = agentScope(env, run, agent);
  const own = rootsOf(memory);
  const scope: PlanView['scope'] = (more) => ({ ...base, ...own, ...more });
  return { memory, scope, hasTool, ...quotingView({ env, run, agent, turnId }, memory, scope) };
}

function rootsOf(memory: PlannerMemory): Record<string, unknown> {
  const results: Record<string, PlannedResult> = {};
  for (const result of memory.turns.flat()) if (result.id !== '') results[result.id] = result;
  return {
    task: memory.task,
    last: lastResults(memory)[0] ?? null,
    results,
    step: memory.turns.length,
    iteration: 1,
    max_iterations: 1,
  };
}

/** Explains why a planner cannot use a model's answer about the agents to call; undefined when it can. */
function whyUseless(outcome: ModelOutcome, { hasTool, env: { catalog } }: PlannerCall, { memory }: PlanView): string | undefined {
  if (outcome.kind === 'error') {
    const isOurs = ['MODEL_ABORTED', 'MODEL_INTERRUPTED', 'MODEL_CONTEXT_TOO_LONG'].includes(outcome.error.code);
    return isOurs ? undefined : `the model failed (${outcome.error.code})`;
  }
  if (memory.turns.length > 0) return undefined;
  if (outcome.reply.toolCalls.length === 0) return 'the model called no agent';
  return outcome.reply.toolCalls.some(({ toolName }) => hasTool(catalog.fromWire(toolName)))
    ? undefined
    : 'the model called no agent that exists';
}

function outcomeOf(
  plan: Exclude<PlannerDecision, { kind: 'model' }>,
  { planner, env, run, agent }: PlannerCall,
  view: PlanView,
): ModelOutcome {
  const { catalog } = env;
  // What an expression throws may quote any state it could read.
  const labels = plan.kind === 'fail' && plan.isThrown === true ? everySource(env, { run, agent }) : view.taint();
  const taint = labels.length === 0 ? {} : { taint: labels };
  if (plan.kind === 'fail') return { kind: 'error', error: plan.error, usage: {}, cost: 0, attempts: [], ...taint };
  const toolCalls =
    plan.kind === 'say'
      ? []
      : plan.calls.map(({ id, iteration, tool, args, shown }) => ({
          providerCallId: markOf(id, iteration),
          toolName: catalog.wireName(tool),
          input: JSON.stringify(args),
          isIdOurs: true as const,
          ...(shown === undefined ? {} : { shown: JSON.stringify(shown) }),
        }));
  return {
    kind: 'reply',
    reply: {
      text: plan.kind === 'say' ? plan.text : '',
      reasoning: plan.why,
      toolCalls,
      finishReason: toolCalls.length > 0 ? 'tool-calls' : 'stop',
      modelId: `planner:${planner.kind}`,
    },
    usage: {},
    cost: 0,
    attempts: [],
    ...taint,
  };
}
