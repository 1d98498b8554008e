import type { JsonObject } from '../../core/json.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TransitionTool } from '../../core/tool/tool.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import { clipText } from '../reports/clip-text.ts';
import { saidBy, sourcesOfNames } from '../../core/untrusted/scope-origins.ts';
import { findPrincipal } from './find-principal.ts';
import { teamTool } from '../team-tool.ts';
import { dataOutcome } from '../tool-outcome.ts';

const note = 'Do not call this in a loop: you are told when the principal has completed. Ask only when the user wants to know.';

/** Maximum length of the principal's last reply in a status, in characters. */
const maxReplyChars = 600;

/** Creates the tool that reports the principal's progress. */
export function getPrincipalStatus(): TransitionTool {
  return teamTool({
    name: 'get_principal_status',
    description:
      'Tells whether the principal is running, what it did last, and how the work modules stand. Not for waiting: you are told when it is done.',
    toolset: 'monitoring_tools',
    effect: 'pure',
    polls: true,
    parameters: { type: 'object', properties: {} },
    run: (_, context) => {
      const principal = findPrincipal(context.run, context.agent);
      const words = principal === undefined ? [] : saidBy(context.run, [principal.meta.agentId]);
      const taint = [...new Set([...words, ...sourcesOfNames(context.run, Object.keys(context.run.team.workModules))])];
      return { ...dataOutcome({ ...principalStatus(context), work_modules: moduleStatus(context.run), note }), taint };
    },
  });
}

function principalStatus({ run, agent }: TransitionContext): JsonObject {
  const principal = findPrincipal(run, agent);
  if (principal === undefined) return { status: 'not_launched' };
  const ended = principal.status === 'ended';
  return {
    status: ended ? 'ended' : 'running',
    agent_id: principal.meta.agentId,
    agent_status: principal.status,
    iteration: principal.work.iteration,
    turns: principal.turn.count,
    tool_calls: principal.calls.total,
    ...(ended ? { outcome: principal.result.outcome ?? 'error', output: clipText(principal.result.output, maxReplyChars) } : {}),
    ...(principal.result.error === undefined ? {} : { error: principal.result.error.message }),
    last_activity: lastActivity(run, principal),
    associates: associateCounts(run, principal),
  };
}

function lastActivity(run: RunContext, principal: SubContext): JsonObject | null {
  const turnId = principal.turn.currentId ?? principal.turn.lastId;
  const turn = turnId === undefined ? undefined : run.turns.get(turnId);
  // Until its first turn, an agent's last turn is the one that launched it.
  if (turn === undefined || turn.agentId !== principal.meta.agentId) return null;
  return {
    turn_id: turn.turnId,
    started_at: new Date(turn.start.at).toISOString(),
    tools: turn.calls.map((call) => call.request.name),
    last_words: clipText(principal.turn.lastReply, maxReplyChars),
  };
}

function associateCounts(run: RunContext, principal: SubContext): JsonObject {
  const counts = { working: 0, held: 0, ended: 0 };
  for (const id of principal.children) {
    const status = run.agents.get(id)?.status;
    if (status === 'held') counts.held += 1;
    else if (status === 'ended') counts.ended += 1;
    else if (status !== undefined) counts.working += 1;
  }
  return counts;
}

function moduleStatus(run: RunContext): JsonObject {
  const modules = Object.values(run.team.workModules);
  const byStatus: Record<string, number> = { pending: 0, ongoing: 0, pending_review: 0, completed: 0, deprecated: 0 };
  for (const module of modules) byStatus[module.status] = (byStatus[module.status] ?? 0) + 1;
  return {
    total: modules.length,
    by_status: byStatus,
    modules: modules.map(({ module_id, name, status }) => ({ module_id, name, status })),
  };
}
