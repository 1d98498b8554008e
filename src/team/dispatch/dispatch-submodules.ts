import type { EventDraft } from '../../core/events/event.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TransitionTool } from '../../core/tool/tool.ts';
import type { ResumeCause, TransitionContext, TransitionOutcome } from '../../core/tool/transition.ts';
import { type AcceptedAssignment, checkAssignments } from './check-assignment.ts';
import { fromStoredMemo, toStoredMemo, type DispatchMemo } from './dispatch-memo.ts';
import { releaseHeld } from './parallel-slots.ts';
import { endingOf, settleAssignment } from './settle-assignment.ts';
import { startAssignments } from './start-assignments.ts';
import { teamTool } from '../team-tool.ts';
import { dataOutcome } from '../tool-outcome.ts';
import { dispatchResult } from './dispatch-result.ts';

const ids = (description: string): JsonObject => ({ type: 'array', items: { type: 'string' }, description });

const parameters: JsonObject = {
  type: 'object',
  required: ['assignments'],
  properties: {
    assignments: {
      type: 'array',
      description: 'One entry per work module. Those that can be prepared run in parallel; those that cannot are reported.',
      items: {
        type: 'object',
        required: ['module_id_to_assign', 'agent_profile_logical_name', 'assigned_role_name', 'assignment_specific_instructions'],
        properties: {
          module_id_to_assign: {
            type: 'string',
            description: 'The work module, for example WM_1; it must be pending or pending_review.',
          },
          agent_profile_logical_name: { type: 'string', description: 'The name of the associate profile that does the work.' },
          assigned_role_name: { type: 'string', description: 'The role the associate plays in this module, in a few words.' },
          assignment_specific_instructions: { type: 'string', description: 'What this associate is to do, and what to hand in.' },
          inherit_messages_from: ids('Modules whose last attempt is shown to the associate, message by message.'),
          inherit_deliverables_from: ids('Modules whose deliverables are given to the associate.'),
        },
      },
    },
    shared_context_for_all_assignments: { type: 'string', description: 'Background that every associate of this call is given.' },
  },
};

const guide = `Dispatch modules that do not depend on each other in one call: they run at the same time. Each module comes back as
pending_review, whether its associate succeeded or failed; read its deliverables, then complete it, send it back (status pending,
with notes) or dispatch it again at once.`;

/**
 * Creates the tool that starts associates and waits for them (A1.9).
 *
 * 1. A module is `ongoing` exactly as long as an agent works on it, or is held for it.
 * 2. Every assignment of a call is in its result, once.
 * 3. The end of one associate does not affect its siblings.
 */
export function dispatchSubmodules(maxParallel: number): TransitionTool {
  return teamTool({
    name: 'dispatch_submodules',
    description:
      'Assigns work modules to associate agents, runs them in parallel and returns what each brought, when all are done.',
    toolset: 'dispatch_tools',
    effect: 'idempotent',
    handoverProtocol: 'principal_to_associate_briefing',
    guide,
    parameters,
    run: (args, context) => dispatch(args, context, maxParallel),
    resume: (_, context, happening, memo) => associateEnded(context, happening, memo, maxParallel),
    cancel: (_, context, memo) => settleEnded(associatesOf(fromStoredMemo(memo), context), context),
  });
}

function dispatch(args: JsonObject, context: TransitionContext, maxParallel: number): TransitionOutcome {
  const { assignments, shared_context_for_all_assignments: shared } = args;
  const items: readonly JsonValue[] = Array.isArray(assignments) ? assignments : [];
  const { accepted: checked, failed } = checkAssignments(items, context);
  const sharedContext: JsonObject = shared === undefined ? {} : { shared_context_for_all_assignments: shared };
  const { shared_context_for_all_assignments: shownShared } = context.shownArgs;
  const shownContext = {
    ...sharedContext,
    ...(shownShared === undefined ? {} : { shared_context_for_all_assignments: shownShared }),
  };
  const accepted = context.argsTaint === undefined ? checked : checked.map((each) => withShown(each, items, context));
  const { events, memo } = startAssignments(accepted, failed, { sharedContext, shownContext, maxParallel, context });
  if (memo.started.length === 0) return finished(memo, context, events);
  return {
    kind: 'suspend',
    on: { kind: 'agents', agentIds: memo.started.map((entry) => entry.agentId) },
    memo: toStoredMemo(memo),
    events,
  };
}

/** Adds an assignment's input as its associate is shown it. A list that quotes untrusted text as a whole is shown as one text. */
function withShown(
  assignment: AcceptedAssignment,
  items: readonly JsonValue[],
  { shownArgs: { assignments } }: TransitionContext,
): AcceptedAssignment {
  const given: unknown = Array.isArray(assignments) ? assignments[items.indexOf(assignment.input)] : assignments;
  const text = typeof given === 'string' ? given : '';
  return { ...assignment, shown: isJsonObject(given) ? given : { assignment_specific_instructions: text } };
}

/** Runs each time an associate ends: settles every finished assignment, starts held ones, and ends the call when none is left. */
function associateEnded(
  context: TransitionContext,
  happening: ResumeCause,
  stored: JsonValue,
  maxParallel: number,
): TransitionOutcome {
  const memo = fromStoredMemo(stored);
  if (everyoneEnded(memo, context)) {
    const events = settleEnded(associatesOf(memo, context), context);
    return finished(memo, context, [...events, ...releaseHeld(context, maxParallel)]);
  }
  const ended = happening.kind === 'agent_ended' ? context.run.agents.get(happening.agentId) : undefined;
  const events = ended === undefined ? [] : settleAssignment(ended, endingOf(ended), context);
  // Returns the same wait and memo objects, so that storage can detect that nothing changed.
  const waitFor = context.agent.calls.open.get(context.callId)?.waitFor;
  const agentIds = memo.started.map((entry) => entry.agentId);
  const on = waitFor?.kind === 'agents' ? waitFor : ({ kind: 'agents', agentIds } as const);
  return { kind: 'suspend', on, memo: stored, events: [...events, ...releaseHeld(context, maxParallel)] };
}

/**
 * Number of ended associates at the head of a memo's list; ended ones stay so and need no second check. Keyed by state, since a
 * decision that failed to commit is dropped together with its state.
 */
// Pure cache: keyed by a state and a memo; counts only agents that cannot change any more.
const endedAhead = new WeakMap<RunContext, WeakMap<DispatchMemo, number>>();

function everyoneEnded(memo: DispatchMemo, { run }: TransitionContext): boolean {
  const known = endedAhead.get(run) ?? new WeakMap<DispatchMemo, number>();
  endedAhead.set(run, known);
  let ended = known.get(memo) ?? 0;
  for (; ended < memo.started.length; ended++) {
    const started = memo.started[ended];
    const agent = started === undefined ? undefined : run.agents.get(started.agentId);
    if (agent !== undefined && agent.status !== 'ended') break;
  }
  known.set(memo, ended);
  return ended >= memo.started.length;
}

function associatesOf(memo: DispatchMemo, context: TransitionContext): readonly SubContext[] {
  return memo.started.flatMap(({ agentId }) => context.run.agents.get(agentId) ?? []);
}

/** Settles all ended associates that are not settled yet; several may end in one commit. */
function settleEnded(agents: readonly SubContext[], context: TransitionContext): readonly EventDraft[] {
  const ended = agents.filter((agent) => agent.status === 'ended');
  return ended.flatMap((agent) => settleAssignment(agent, endingOf(agent), context));
}

function finished(memo: DispatchMemo, context: TransitionContext, events: readonly EventDraft[]): TransitionOutcome {
  const { data, isError } = dispatchResult(memo, context.run);
  return dataOutcome(data, events, isError);
}
