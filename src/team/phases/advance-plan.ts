import type { EventDraft } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { countRefusal, liveRefusal, liveRoom } from '../../core/state/spawn-limits.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import { isCallable } from '../agents/callee.ts';
import type { AcceptedAssignment } from '../dispatch/check-assignment.ts';
import { openSlots } from '../dispatch/parallel-slots.ts';
import { endingOf, settleAssignment } from '../dispatch/settle-assignment.ts';
import { startAssignments } from '../dispatch/start-assignments.ts';
import { textOf } from '../reports/text-of.ts';
import { withModules } from '../modules/modules-after.ts';
import { moveModule } from './move-module.ts';
import { type MemoStep, type PlanMemo, type StepState, stepState } from './plan-memo.ts';
import type { PlanSettings } from './plan-settings.ts';
import { moduleOrigins } from '../../core/untrusted/scope-origins.ts';
import { isTrusted, originsAt, trusted } from '../../core/untrusted/watch-scope.ts';
import { stepMarks } from '../../core/team/plan.ts';
import type { RunContext } from '../../core/state/run-context.ts';

const marks: Readonly<Record<StepState, string>> = {
  waiting: stepMarks.not_started,
  running: stepMarks.in_progress,
  completed: stepMarks.completed,
  failed: stepMarks.blocked,
  cancelled: stepMarks.blocked,
};

/** Renders a plan for its workers: steps in order, with status marks; those that begin now are marked as in progress. */
function showProgress({ steps }: PlanMemo, beginning: readonly string[], run: RunContext): string {
  const lines = steps.map((step, index) => {
    const mark = beginning.includes(step.moduleId) ? marks.running : marks[stepState(step, run)];
    return `${index + 1}. ${mark} ${run.team.workModules[step.moduleId]?.name ?? step.phase}`;
  });
  return ['The whole plan:', ...lines].join('\n');
}

/** State of a plan after every possible step was advanced. */
export interface Advanced {
  readonly memo: PlanMemo;
  readonly events: readonly EventDraft[];
  /** Agents at work; the plan is over when there are none. */
  readonly running: readonly AgentId[];
  /** Context of the decision, with the resulting modules. */
  readonly context: TransitionContext;
}

/** Goal and settings of a plan. */
interface PlanSetup {
  readonly goal: string;
  readonly settings: PlanSettings;
}

/**
 * Advances a plan as far as possible: closes the steps whose agents ended, and starts agents for the steps that are ready.
 *
 * 1. A step begins when all its dependencies have succeeded, and not before.
 * 2. A waiting plan has an agent at work, whose end calls it back.
 * 3. It is derived from state alone, so it can be repeated after a crash, and twice for the same end.
 */
export function advancePlan(memo: PlanMemo, plan: PlanSetup, context: TransitionContext): Advanced {
  const closing = closeEnded(memo, context);
  let advanced: Advanced = { memo, events: closing, running: [], context: withModules(context, closing) };
  for (;;) {
    const round = startReady(advanced.memo, plan, advanced.context);
    advanced = { ...round, events: [...advanced.events, ...round.events] };
    // If no agent could start on a step, another step may be ready; without an agent there would be no callback.
    if (advanced.running.length > 0 || !round.hasChanged) return advanced;
  }
}

/** Settles the assignments of ended agents; successful ones are completed without review. */
export function closeEnded({ steps }: PlanMemo, context: TransitionContext): readonly EventDraft[] {
  const { run } = context;
  return steps.flatMap((step) => {
    const agent = step.agentId === undefined ? undefined : run.agents.get(step.agentId);
    if (agent?.status !== 'ended') return [];
    const settled = settleAssignment(agent, endingOf(agent), context);
    if (settled.length === 0 || stepState(step, run) !== 'completed') return settled;
    return [...settled, ...moveModule(step.moduleId, 'completed', null, withModules(context, settled))];
  });
}

type Round = Advanced & { readonly hasChanged: boolean };

function startReady(memo: PlanMemo, plan: PlanSetup, context: TransitionContext): Round {
  const { run } = context;
  const states = new Map(memo.steps.map((step) => [step.moduleId, stepState(step, run)]));
  const running = memo.steps.filter((step) => states.get(step.moduleId) === 'running');
  const ready = isHalted(states, plan.settings) ? [] : memo.steps.filter((step) => isReady(step, states, context));
  const chosen = choose(ready, running.length, plan.settings, context);
  const { events, started, problems } = begin(chosen, { memo, plan, context });
  const steps = memo.steps.map((step): MemoStep => {
    const agentId = started.get(step.moduleId);
    const problem = problems.get(step.moduleId);
    if (agentId !== undefined) return { ...step, agentId };
    return problem === undefined ? step : { ...step, problem };
  });
  return {
    memo: started.size + problems.size === 0 ? memo : { steps },
    events,
    running: [...running.flatMap(({ agentId }) => agentId ?? []), ...started.values()],
    context: withModules(context, events),
    hasChanged: problems.size > 0,
  };
}

function isHalted(states: ReadonlyMap<string, StepState>, { onFailure }: PlanSettings): boolean {
  return onFailure === 'stop' && [...states.values()].some((state) => state === 'failed' || state === 'cancelled');
}

function isReady({ moduleId }: MemoStep, states: ReadonlyMap<string, StepState>, { run }: TransitionContext): boolean {
  if (states.get(moduleId) !== 'waiting') return false;
  const { workModules } = run.team;
  return (workModules[moduleId]?.depends_on ?? []).every((id) =>
    states.has(id) ? states.get(id) === 'completed' : workModules[id]?.status === 'completed',
  );
}

interface Chosen {
  readonly accepted: readonly AcceptedAssignment[];
  readonly problems: ReadonlyMap<string, string>;
}

/** Selects the ready steps to begin now, as many as there are free slots. */
function choose(ready: readonly MemoStep[], atWork: number, settings: PlanSettings, context: TransitionContext): Chosen {
  const accepted: AcceptedAssignment[] = [];
  const problems = new Map<string, string>();
  const hasRoom = liveRoom(context.run, context.profiles, context.agent) > 0;
  const open = openSlots(context, settings.maxParallel);
  // Other calls of the agent may hold all slots; starting one step anyway makes sure the plan is called back.
  const slots = atWork === 0 && hasRoom ? Math.max(1, open) : open;
  for (const { moduleId } of ready) {
    if (atWork === 0 && !hasRoom) problems.set(moduleId, liveRefusal(context.run));
    if (problems.has(moduleId) || accepted.length >= slots) continue;
    const assignment = toAssignment(moduleId, accepted.length, context);
    if (typeof assignment === 'string') problems.set(moduleId, assignment);
    else accepted.push(assignment);
  }
  return { accepted, problems };
}

function toAssignment(moduleId: string, planned: number, context: TransitionContext): AcceptedAssignment | string {
  const { run, profiles, agent } = context;
  const module = run.team.workModules[moduleId];
  if (module?.status !== 'pending') return `module ${moduleId} is ${module?.status ?? 'gone'}: it no longer belongs to the plan`;
  const profile = profiles.get(module.executor ?? '');
  if (profile === undefined || !isCallable(profile))
    return `there is no active profile ${JSON.stringify(module.executor ?? '')} any more`;
  const refusal = countRefusal({ run, profiles, agent }, planned);
  if (refusal !== undefined) return refusal;
  const { name, description, notes_from_principal: notes, depends_on } = module;
  const input: JsonObject = {
    module_id_to_assign: moduleId,
    agent_profile_logical_name: profile.name,
    assigned_role_name: name,
    assignment_specific_instructions: notes === '' ? description : `${description}\n\n${notes}`,
    ...(depends_on.length === 0 ? {} : { inherit_deliverables_from: depends_on }),
  };
  return { input, module, profile, roleName: name, shown: shownInput(input, context) };
}

/** Returns an assignment as its worker is shown it; undefined when it quotes no untrusted text. */
function shownInput(input: JsonObject, { run, quotes, argsTaint }: TransitionContext): JsonObject | undefined {
  const module = moduleOrigins(run, true);
  const texts = ['name', 'description', 'notes_from_principal'].map((field) =>
    originsAt(originsAt(module, String(input['module_id_to_assign'])), field),
  );
  if (argsTaint === undefined && texts.every(isTrusted)) return undefined;
  const labels = argsTaint ?? texts.flatMap((origins) => ('length' in origins ? origins : []));
  const own = quotes({ input: { field: (key) => (shownKeys.has(key) ? labels : trusted) } });
  const watch = own.watch({ input });
  return own.shown(watch, watch.scope['input']) as JsonObject;
}

const shownKeys: ReadonlySet<string> = new Set(['assigned_role_name', 'assignment_specific_instructions']);

interface Begun {
  readonly events: readonly EventDraft[];
  readonly started: ReadonlyMap<string, AgentId>;
  readonly problems: ReadonlyMap<string, string>;
}

function begin(
  { accepted, problems }: Chosen,
  { memo, plan, context }: { readonly memo: PlanMemo; readonly plan: PlanSetup; readonly context: TransitionContext },
): Begun {
  if (accepted.length === 0) return { events: [], started: new Map(), problems };
  const shown = plan.settings.showPlan
    ? [
        showProgress(
          memo,
          accepted.map(({ module }) => module.module_id),
          context.run,
        ),
      ]
    : [];
  const shared = [plan.goal, ...shown].filter((text) => text !== '').join('\n\n');
  const sharedContext: JsonObject = shared === '' ? {} : { shared_context_for_all_assignments: shared };
  const { argsTaint } = context;
  const own = argsTaint === undefined ? undefined : context.quotes({ shared: argsTaint });
  const watch = own?.watch({ shared: sharedContext });
  const shownContext =
    watch === undefined ? sharedContext : (own?.shown(watch, { ...(watch.scope['shared'] as JsonObject) }) as JsonObject);
  const begun = startAssignments(accepted, [], { sharedContext, shownContext, maxParallel: plan.settings.maxParallel, context });
  const unprepared = begun.memo.failed.map(({ input, reason }): [string, string] => [
    textOf((input as JsonObject)['module_id_to_assign']),
    reason,
  ]);
  return {
    events: begun.events,
    started: new Map(begun.memo.started.map(({ moduleId, agentId }) => [moduleId, agentId])),
    problems: new Map([...problems, ...unprepared]),
  };
}
