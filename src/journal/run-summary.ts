import { shownCost } from '../core/state/budget.ts';
import type { CadreEvent } from '../core/events/event.ts';
import { restOfCall, type Use, useOf } from '../core/model/usage.ts';
import type { RunSummary } from '../core/events/journal.ts';

/** Changes that one commit makes to its run's summary: counts to add, and new values. */
export interface SummaryChange {
  readonly agents: number;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  /** Model calls without a known price. */
  readonly unpriced: number;
  readonly title?: string;
  readonly profile?: string;
  readonly status?: string;
  /** Approvals and questions waiting for a person; set with the status. */
  readonly pending?: number;
  readonly outcome?: string;
  readonly isImported?: true;
}

/** Computes the change that a commit's events make to the run's summary. */
export function summaryChange(events: readonly CadreEvent[]): SummaryChange {
  let agents = 0;
  let turns = 0;
  let inputTokens = 0;
  let outputTokens = 0;
  let cost = 0;
  let unpriced = 0;
  const add = ({ usage, cost: spent }: Use, sign: 1 | -1 = 1): void => {
    inputTokens += sign * (usage.inputTokens ?? 0);
    outputTokens += sign * (usage.outputTokens ?? 0);
    if (spent !== undefined) cost += sign * spent;
    else if (sign > 0) unpriced += 1;
  };
  let named: Pick<SummaryChange, 'title' | 'profile' | 'status' | 'pending' | 'outcome' | 'isImported'> | undefined;
  for (const event of events) {
    switch (event.type) {
      case 'agent.start':
        agents += 1;
        break;
      case 'turn.start':
        turns += 1;
        break;
      case 'model.end':
      case 'compaction.end':
      case 'run.title':
        add(restOfCall(event));
        if (event.type === 'compaction.end' && event.estimate !== undefined) add(event.estimate);
        if (event.type === 'run.title' && event.title !== undefined) named = { ...named, title: event.title.toWellFormed() };
        break;
      case 'model.reserve': {
        const { usage, cost: known, costAtLeast } = useOf(event.attempts);
        add({ usage, cost: costAtLeast });
        if (known === undefined) unpriced += 1;
        if (event.replaces !== undefined) add(event.replaces, -1);
        break;
      }
      case 'turn.end':
        if (event.estimate !== undefined) add(event.estimate);
        break;
      case 'run.start':
        named = {
          ...named,
          title: event.title.toWellFormed(),
          profile: event.profile.toWellFormed(),
          status: 'running',
          pending: 0,
        };
        if (event.imported !== undefined) named = { ...named, isImported: true };
        break;
      case 'run.status':
        named = { ...named, status: event.status, pending: event.pending ?? 0 };
        break;
      case 'run.end':
        named = { ...named, status: event.status, pending: 0, outcome: event.outcome.toWellFormed() };
        break;
      default:
      // Other events do not affect the summary.
    }
  }
  return { agents, turns, inputTokens, outputTokens, cost, unpriced, ...named };
}

/** Prefix of the stored status of an imported run; it also keeps older versions from resuming the run. */
export const importedMark = 'imported/';

/** True when a change affects more than the counts. */
export function changesStatus(change: SummaryChange): boolean {
  return change.status !== undefined || change.title !== undefined;
}

/** Returns a run's summary after one more commit; `before` is undefined for its first one. */
export function nextSummary(before: RunSummary | undefined, events: readonly CadreEvent[], last: CadreEvent): RunSummary {
  const change = summaryChange(events);
  const outcome = change.outcome ?? before?.outcome;
  const pending = change.pending ?? before?.pending;
  return {
    runId: last.runId,
    title: change.title ?? before?.title ?? '',
    profile: change.profile ?? before?.profile ?? '',
    status: change.status === undefined ? (before?.status ?? 'running') : listedStatus(change.status, pending),
    ...(pending === undefined ? {} : { pending }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(change.isImported === true || before?.isImported === true ? { isImported: true as const } : {}),
    createdAt: before?.createdAt ?? createdAtOf(events) ?? last.at,
    updatedAt: last.at,
    lastSeq: last.seq,
    agents: (before?.agents ?? 0) + change.agents,
    turns: (before?.turns ?? 0) + change.turns,
    inputTokens: (before?.inputTokens ?? 0) + change.inputTokens,
    outputTokens: (before?.outputTokens ?? 0) + change.outputTokens,
    ...shownCost({
      cost: (before?.costAtLeast ?? 0) + change.cost,
      costUnknown: (before?.costUnknown ?? false) || change.unpriced > 0,
    }),
  };
}

/** Returns when the run of a first commit was created, in wall time: a fork when it was forked, not when its original began. */
export function createdAtOf(events: readonly CadreEvent[]): number | undefined {
  const [first] = events;
  return first?.type === 'run.start' ? (first.parentRun?.forkedAt ?? first.at) : first?.at;
}

/** Returns the listed status: `idle` for a run that only awaits a message. Stays `awaiting` where `pending` is unknown. */
export function listedStatus(status: string, pending: number | undefined): string {
  return status === 'awaiting' && pending === 0 ? 'idle' : status;
}

/** True when a run of this status can continue. */
export function isOpenStatus(status: string): boolean {
  return status === 'running' || status === 'awaiting' || status === 'idle';
}
