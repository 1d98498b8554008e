import { shownCost } from '../core/state/budget.ts';
import type { ErrorRecord } from '../core/error.ts';
import type { RunningCall } from '../core/events/tool-parts.ts';
import type { RunId } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import { pendingOf, type PendingRequest } from '../core/state/pending.ts';
import type { Limits } from '../core/profile/profile.ts';
import { type RunStatus, statusOf } from '../core/state/run-status.ts';
import { unknownOfRun } from '../core/state/unknown-calls.ts';
import { activeAt } from '../core/state/run-time.ts';
import type { RunContext } from '../core/state/run-context.ts';
import type { ModuleStatus } from '../core/team/work-module.ts';
import { boardOrder } from './board.ts';

/** Overview of a run; times in milliseconds since 1970. */
export interface RunOverview {
  readonly runId: RunId;
  readonly title: string;
  readonly profile: string;
  readonly status: RunStatus;
  readonly outcome: string | undefined;
  readonly output: string;
  readonly deliverables: JsonObject;
  readonly error: ErrorRecord | undefined;
  /** Calls that may have happened and had no result when it ended, and calls whose tools have not ended since. */
  readonly unknown: readonly RunningCall[];
  readonly running: readonly RunningCall[];
  /** The people who launched or forked it, and who cancelled it; undefined: a program, or no one. */
  readonly by: string | undefined;
  readonly endedBy: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Number of resumes, and the time the run was stopped or waited for a person, in milliseconds. */
  readonly resumes: number;
  readonly pausedMs: number;
  readonly parentRun: RunContext['meta']['parentRun'];
  /** Set when the run was imported from a file. */
  readonly imported: RunContext['meta']['imported'];
  readonly engineVersion: string;
  readonly lastSeq: number;
  readonly agents: { readonly total: number; readonly ended: number };
  readonly turns: number;
  readonly toolCalls: number;
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly reasoningTokens: number;
  /** US dollars; null when the cost of some call is unknown. */
  readonly cost: number | null;
  /** US dollars known so far. */
  readonly costAtLeast: number;
  readonly costUnknown: boolean;
  readonly modules: Readonly<Record<ModuleStatus, number>>;
  readonly limits: Limits;
  /** Use of the limits: tokens and US dollars, estimated where the provider gave no count, and milliseconds of working time. */
  readonly used: { readonly tokens: number; readonly cost: number | null; readonly wallMs: number };
  /** Requests that wait for a person. */
  readonly pending: readonly PendingRequest[];
}

/** Builds the overview of a run. */
export function runOverview(run: RunContext): RunOverview {
  const { meta, usage, counters } = run;
  const agents = [...run.agents.values()];
  return {
    runId: meta.runId,
    title: meta.title,
    profile: meta.profile,
    status: statusOf(run),
    outcome: run.outcome,
    output: run.output,
    deliverables: run.deliverables,
    error: run.error,
    unknown: unknownOfRun(run),
    running: [...run.running.values()],
    by: meta.by,
    endedBy: run.endedBy,
    createdAt: meta.createdAt,
    updatedAt: run.at,
    resumes: run.resumes.length,
    pausedMs: run.pausedMs,
    parentRun: meta.parentRun,
    imported: meta.imported,
    engineVersion: meta.engineVersion,
    lastSeq: run.seq,
    agents: { total: agents.length, ended: agents.filter((agent) => agent.status === 'ended').length },
    turns: counters.turns,
    toolCalls: counters.toolCalls,
    modelCalls: usage.modelCalls,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cacheReadTokens: usage.cacheReadTokens,
    reasoningTokens: usage.reasoningTokens,
    ...shownCost(usage),
    modules: countModules(run),
    limits: run.limits,
    used: {
      tokens: run.budget.tokens,
      cost: usage.costUnknown ? null : run.budget.cost,
      wallMs: Math.max(0, activeAt(run, run.at) - meta.createdAt),
    },
    pending: pendingOf(run),
  };
}

function countModules(run: RunContext): Readonly<Record<ModuleStatus, number>> {
  const counts = Object.fromEntries(boardOrder.map((status) => [status, 0])) as Record<ModuleStatus, number>;
  for (const module of Object.values(run.team.workModules)) counts[module.status] += 1;
  return counts;
}
