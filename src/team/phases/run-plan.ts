import { saidBy } from '../../core/untrusted/scope-origins.ts';
import type { EventDraft } from '../../core/events/event.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { Tool, TransitionTool } from '../../core/tool/tool.ts';
import type { AgentEnding } from '../../core/events/tool-parts.ts';
import type { ToolsetRequest } from '../../core/tool/toolset.ts';
import type { TransitionContext, TransitionOutcome } from '../../core/tool/transition.ts';
import { argumentCheck } from '../../tools/schema/check-arguments.ts';
import { applyModuleActions, planPlace } from '../modules/module-actions.ts';
import { chosenTeam, type Profiles } from '../dispatch/staffing.ts';
import { teamTool } from '../team-tool.ts';
import { textOf } from '../reports/text-of.ts';
import { refusal } from '../tool-outcome.ts';
import { type Advanced, advancePlan, closeEnded } from './advance-plan.ts';
import { withModules } from '../modules/modules-after.ts';
import { moveModule } from './move-module.ts';
import { fromStoredPlan, type MemoStep, type PlanMemo, toStoredPlan } from './plan-memo.ts';
import { type PlanResult, planResult } from './plan-result.ts';
import { type PlanSettings, readPlanSettings } from './plan-settings.ts';
import { type PlanStep, readPlan } from './read-plan.ts';
import { workersOf } from './workers.ts';

const description =
  'Carries out a plan: its phases one after the other (or side by side, where they do not depend on each other), each by the worker you choose. ' +
  'A phase is handed what those before it brought. Returns how each phase came out and what it brought, when the plan is over.';

/**
 * Creates the tool by which an agent has the engine execute a plan (B.65): a work module for each phase, and an agent for each
 * module once it is ready.
 *
 * 1. The call is answered once, when no agent works on the plan any more and none can begin.
 * 2. A refused plan changes nothing, so that the call can be repeated.
 * 3. Modules of steps that never began are deprecated when the plan is over.
 */
export function runPlan({ name, settings: given, toolName }: ToolsetRequest): TransitionTool {
  const settings = readPlanSettings(given);
  const tool = teamTool({
    name: toolName('run_plan'),
    description,
    toolset: name,
    effect: 'idempotent',
    parameters: planParameters([]),
    run: (args, context) => begin(args, { settings, key: toolName('run_plan'), context }),
    resume: (args, context, _happening, memo) => goOn(args, memo, { settings, key: toolName('run_plan'), context }),
    cancel: (_, context, memo) => cancelled(fromStoredPlan(memo), context),
  });
  return { ...tool, byNameOnly: true, forProfile: (planner, profiles) => forPlanner(tool, planner, profiles) };
}

/** A decision on a call: its settings, and the key under which the planner's values count its plans. */
interface Decision {
  readonly settings: PlanSettings;
  readonly key: string;
  readonly context: TransitionContext;
}

function begin(args: JsonObject, decision: Decision): TransitionOutcome {
  const { settings, context } = decision;
  const { run, agent, profiles } = context;
  const workers = workersOf(profiles.get(agent.meta.profile), profiles, chosenTeam(run)).map(({ name }) => name);
  const steps = readPlan(args, { workers, defaultExecutor: settings.defaultExecutor });
  if (typeof steps === 'string') return refusal(`${steps} Nothing has begun.`);
  const count = countsOf(decision);
  const reason = tooMany(steps.length, count, settings);
  if (reason !== undefined) return refusal(reason);
  const created = applyModuleActions(toActions(steps, run.counters.modules), planPlace(context));
  if (!created.ok) return refusal(`phase ${created.index + 1}: ${created.reason}. Nothing has begun.`);
  const memo: PlanMemo = {
    steps: created.touched.map(({ module_id }, index) => ({ moduleId: module_id, phase: steps[index]?.phase ?? '' })),
  };
  const counts = { plans: count.plans + 1, phases: count.phases + steps.length };
  const advanced = advancePlan(memo, { goal: textOf(args['goal']), settings }, withModules(context, created.events));
  const isOver = advanced.running.length === 0;
  const counted = isOver ? [] : countEvents(decision, counts, 'running');
  return outcomeOf({ ...advanced, events: [...counted, ...created.events, ...advanced.events] }, counts, decision);
}

function toActions(steps: readonly PlanStep[], before: number): Parameters<typeof applyModuleActions>[0] {
  return steps.map((step) => ({
    action: 'create',
    name: step.name,
    description: step.goals,
    notes_from_principal: step.notes,
    depends_on: step.after.map((place) => `WM_${before + place + 1}`),
    executor: step.worker,
  }));
}

function goOn(args: JsonObject, stored: JsonValue, decision: Decision): TransitionOutcome {
  const { context, settings } = decision;
  const memo = fromStoredPlan(stored);
  const advanced = advancePlan(memo, { goal: textOf(args['goal']), settings }, context);
  const waitFor = context.agent.calls.open.get(context.callId)?.waitFor;
  if (advanced.running.length === 0 || advanced.memo !== memo || waitFor?.kind !== 'agents')
    return outcomeOf(advanced, countsOf(decision), decision);
  // Returns the same wait and memo objects, so that storage can detect that nothing changed.
  return { kind: 'suspend', on: waitFor, memo: stored, events: advanced.events };
}

function outcomeOf({ memo, running, context, events }: Advanced, counts: Counts, decision: Decision): TransitionOutcome {
  if (running.length > 0) return { kind: 'suspend', on: { kind: 'agents', agentIds: running }, memo: toStoredPlan(memo), events };
  const result = planResult(memo, context.run);
  const closing = [
    ...dropUnbegun(memo.steps, context, 'the plan ended before it began'),
    ...countEvents(decision, counts, result.status),
  ];
  const end = endingWith(result, counts, decision);
  return {
    kind: 'result',
    content: JSON.stringify(result.data),
    isError: result.status === 'failed',
    events: [...events, ...closing],
    taint: saidBy(
      context.run,
      memo.steps.flatMap(({ agentId }) => agentId ?? []),
    ),
    ...(end === undefined ? {} : { end }),
  };
}

/** Deprecates the modules of steps that never began; otherwise a new plan would find them open. */
function dropUnbegun(steps: readonly MemoStep[], context: TransitionContext, message: string): readonly EventDraft[] {
  return steps.flatMap(({ moduleId, agentId, problem }): readonly EventDraft[] => {
    if (agentId !== undefined || context.run.team.workModules[moduleId]?.status !== 'pending') return [];
    return moveModule(moduleId, 'deprecated', { trigger: 'plan_ended', message: problem ?? message }, context);
  });
}

/** Closes a cancelled plan; its agents have already ended. */
function cancelled(memo: PlanMemo, context: TransitionContext): readonly EventDraft[] {
  return [...closeEnded(memo, context), ...dropUnbegun(memo.steps, context, 'the plan was cancelled')];
}

interface Counts {
  readonly plans: number;
  readonly phases: number;
}

/** Returns the number of plans and phases since the agent last received input. */
function countsOf({ key, context }: Decision): Counts {
  const value = context.agent.values[key];
  const known = isJsonObject(value) && value['iteration'] === context.agent.work.iteration ? value : {};
  const number = (name: string): number => (typeof known[name] === 'number' ? known[name] : 0);
  return { plans: number('plans'), phases: number('phases') };
}

/** Returns the events that expose the counts of an agent's plans to conditions, under the tool's name. */
function countEvents({ key, context }: Decision, counts: Counts, status: string): readonly EventDraft[] {
  const {
    work: { iteration },
  } = context.agent;
  return context.change(
    (draft) => {
      draft.values[key] = { ...counts, status, iteration };
    },
    { taint: [] },
  );
}

function tooMany(steps: number, { plans, phases }: Counts, { maxPlans, maxPhases }: PlanSettings): string | undefined {
  if (plans >= maxPlans)
    return `${plans} plans have been carried out and no more may be (max_plans); go on with what they brought.`;
  if (phases + steps <= maxPhases) return undefined;
  return `the plan has ${steps} phases and ${Math.max(0, maxPhases - phases)} more may be carried out (max_phases); make it shorter, or go on with what there is.`;
}

/** Returns the ending of the planning agent; undefined when it continues, to read the results and perhaps plan again. */
function endingWith({ status, message, deliverables }: PlanResult, { plans }: Counts, decision: Decision): AgentEnding | undefined {
  const { settings, context } = decision;
  if (settings.ends === 'never') return undefined;
  const output = textOf(deliverables['primary_summary']);
  if (status === 'success') {
    const check = context.profiles.get(context.agent.meta.profile)?.checkDeliverables(deliverables);
    return check?.ok === false ? undefined : { outcome: 'success', output, deliverables };
  }
  const mayFollowUp = settings.ends === 'on_success' && plans < settings.maxPlans;
  return mayFollowUp ? undefined : { outcome: 'error', output, deliverables, error: { code: 'AGENT_FAILED', message } };
}

/** Returns the tool as a planner sees it, with names and descriptions of its workers; undefined when there are none. */
function forPlanner(tool: TransitionTool, planner: CompiledProfile, profiles: Profiles): Tool | undefined {
  const workers = workersOf(planner, profiles, undefined);
  if (workers.length === 0) return undefined;
  const list = workers.map((worker) => {
    const text = worker.description.trim().replace(/(?<!\s)\s*\n\s*/g, ' ');
    return text === '' ? `- ${worker.name}` : `- ${worker.name}: ${text}`;
  });
  const parameters = planParameters(workers.map(({ name }) => name));
  return {
    ...tool,
    description: `${tool.description} Workers:\n${list.join('\n')}`,
    parameters,
    check: argumentCheck(parameters, `tool ${tool.name}`),
  };
}

/** Returns the schema of a plan's arguments for a planner with these workers; any name is valid when none are known yet. */
function planParameters(workers: readonly string[]): JsonObject {
  const worker: JsonObject = { type: 'string', ...(workers.length === 0 ? {} : { enum: workers }) };
  const several = (description: string): JsonObject => ({ type: 'array', maxItems: 50, items: worker, description });
  return {
    type: 'object',
    properties: {
      goal: { type: 'string', description: 'What the plan as a whole is for; every worker reads it.' },
      phases: {
        type: 'array',
        maxItems: 100,
        description: 'The phases in order. Each begins when the one before it has succeeded.',
        items: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', minLength: 1, maxLength: 300, description: 'A short name; no two phases have the same.' },
            worker: {
              ...worker,
              description: 'Who does it. When left out: whom the text names as [worker], else the usual one.',
            },
            parallel_workers: several('Several workers that all do this phase, at the same time.'),
            goals: {
              type: 'string',
              description: 'The task, and the result to hand in. The worker does not see your conversation.',
            },
            notes: { type: 'string', description: 'What else the worker should know.' },
            depends_on: {
              type: 'array',
              items: { type: 'string' },
              description:
                'Names of earlier phases that must have succeeded, in place of the one before; their results are handed on. [] begins at once.',
            },
          },
        },
      },
      parallel_workers: several('Workers that all get the goal itself, at the same time and before any phase.'),
    },
  };
}
