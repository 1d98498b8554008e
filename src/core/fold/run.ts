import type { EventOf } from '../events/event.ts';
import { defaultRunLimits } from '../profile/limits.ts';
import type { Keeps, RunContext } from '../state/run-context.ts';
import { newBudget } from './budget.ts';
import { endTitle } from './charge.ts';
import { emptyUsage } from './usage.ts';
import { undecided } from '../state/turn-state.ts';
import type { Folds } from './folds.ts';

/** Returns the state of a run before its first agent. */
export function newRunState(event: EventOf<'run.start'>, keeps: Keeps): RunContext {
  return {
    meta: {
      runId: event.runId,
      profile: event.profile,
      title: event.title,
      input: event.input,
      request: event.request ?? {},
      createdAt: event.at,
      profiles: event.profiles,
      given: event.given,
      toolsets: new Map(),
      llmConfig: event.llmConfig,
      engineVersion: event.engineVersion,
      by: event.by,
      workspace: event.workspace,
      parentRun: event.parentRun,
      imported: event.imported,
    },
    status: 'running',
    outcome: undefined,
    output: '',
    deliverables: {},
    error: undefined,
    endedBy: undefined,
    team: {
      workModules: {},
      taint: new Map(),
      dispatchHistory: [],
      dispatchIndex: new Map(),
      dispatchOfAgent: new Map(),
      shared: Object.freeze({}),
      counters: Object.freeze({}),
    },
    agents: new Map(),
    rootAgentId: undefined,
    latestOfType: new Map(),
    activity: 0,
    pending: 0,
    pendingRecorded: 0,
    running: new Map(),
    held: 0,
    turns: new Map(),
    keeps,
    frameSeed: event.frameSeed,
    isTainted: false,
    outside: new Set(),
    isTitled: false,
    standing: [],
    usage: emptyUsage(),
    // Journals of earlier versions lack newer limits.
    limits: { ...defaultRunLimits, ...event.limits },
    budget: newBudget(),
    moduleBudgets: new Map(),
    chargedCalls: new Map(),
    seq: 0,
    at: event.at,
    counters: { agents: 0, calls: 0, items: 0, modules: 0, dispatches: 0, turns: 0, toolCalls: 0 },
    jumpedMs: 0,
    awaitingSince: undefined,
    pausedMs: 0,
    resumes: [],
    resumedSeq: 0,
  };
}

/** Folds of the run as a whole. Clocks may go backwards; elapsed time does not. */
export const runFolds: Folds<
  | 'run.start'
  | 'run.status'
  | 'run.resume'
  | 'profiles.update'
  | 'toolset.update'
  | 'clock.jump'
  | 'run.title'
  | 'run.end'
  | 'note.add'
> = {
  // `newRunState` reads it.
  'run.start': () => undefined,
  'run.status': (run, { status, at, pending }) => {
    if (status === 'running') endWait(run, at);
    else run.awaitingSince ??= at;
    run.status = status;
    run.pendingRecorded = pending ?? 0;
  },
  'run.resume': resume,
  'profiles.update': (run, event) => {
    run.meta = { ...run.meta, profiles: event.profiles };
    revoke(run, event);
  },
  'toolset.update': (run, { toolset, tools }) => {
    run.meta = { ...run.meta, toolsets: new Map([...run.meta.toolsets, [toolset, tools]]) };
  },
  'clock.jump': (run, { ms }) => jump(run, ms),
  'run.title': (run, event) => {
    run.isTitled = true;
    if (event.title !== undefined) run.meta = { ...run.meta, title: event.title };
    endTitle(run, event);
  },
  'run.end': (run, event) => {
    endWait(run, event.at);
    run.status = event.status;
    run.outcome = event.outcome;
    run.output = event.output;
    run.deliverables = event.deliverables;
    run.error = event.error;
    run.endedBy = event.by;
  },
  'note.add': () => undefined,
};

function resume(run: RunContext, event: EventOf<'run.resume'>): void {
  // Elapsed time is never negative: a clock that was set back while the run had no owner is a jump as well.
  if (event.at < run.at) jump(run, event.at - run.at);
  // Downtime during a wait counts as part of the wait.
  if (run.awaitingSince === undefined) run.pausedMs += event.downMs;
  if (event.profiles !== undefined) run.meta = { ...run.meta, profiles: event.profiles };
  if (event.given !== undefined) run.meta = { ...run.meta, given: event.given };
  revoke(run, event);
  if (isFork(run, event)) forgetApprovals(run);
  // The tools of the process before are gone.
  run.running.clear();
  run.frameSeed ??= event.frameSeed;
  run.resumes.push({ at: event.at, downMs: event.downMs });
  run.resumedSeq = event.seq;
}

/** Moves all remembered moments with the clock. */
function jump(run: RunContext, ms: number): void {
  run.jumpedMs += ms;
  if (run.awaitingSince !== undefined) run.awaitingSince += ms;
}

function revoke(run: RunContext, { revoked = [] }: Pick<EventOf<'run.resume'>, 'revoked'>): void {
  if (revoked.length > 0) run.standing = run.standing.filter(({ seq }) => !revoked.includes(seq));
}

/** True for the first event of a fork after the copied ones. */
function isFork({ meta }: RunContext, { seq }: Pick<EventOf<'run.resume'>, 'seq'>): boolean {
  return meta.parentRun !== undefined && seq === meta.parentRun.at + 1;
}

/** Drops approvals of the original run: a call that a fork repeats is made twice, and the person approved only one. */
function forgetApprovals(run: RunContext): void {
  run.standing = [];
  for (const agent of run.agents.values())
    for (const call of agent.calls.open.values()) if (call.approved) Object.assign(call, undecided);
}

function endWait(run: RunContext, at: number): void {
  if (run.awaitingSince === undefined) return;
  run.pausedMs += Math.max(0, at - run.awaitingSince);
  run.awaitingSince = undefined;
}
