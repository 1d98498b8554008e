import type { AgentId } from '../../core/ids.ts';
import type { SubContext, AgentStatus } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { EventAt } from '../why/cause-chain.ts';
import type { TimelineBar } from './timeline-bar.ts';
import { addTurns, noTurns, type TimelineLink, type TimelineTurns } from './timeline-turns.ts';
import { rootAgents } from '../tree.ts';

/** One agent on the timeline. */
export interface TimelineRow {
  readonly agentId: AgentId;
  readonly parentAgentId: AgentId | undefined;
  /** Number of ancestors. */
  readonly depth: number;
  readonly profile: string;
  readonly roleName: string | undefined;
  readonly status: AgentStatus;
  readonly outcome: string | undefined;
  readonly bars: readonly TimelineBar[];
}

/** A run over time; all times in milliseconds since 1970. */
export interface Timeline {
  readonly from: number;
  readonly to: number;
  /** True while the run has work in progress. */
  readonly live: boolean;
  readonly lanes: readonly TimelineRow[];
  readonly links: readonly TimelineLink[];
  /** Stretches of at least `breakMs` without an open turn, including one up to the last event. */
  readonly breaks: readonly { readonly from: number; readonly to: number }[];
  /** Resumes of the run, each with the time it had been stopped. */
  readonly resumes: readonly { readonly at: number; readonly downMs: number }[];
}

/** Options of a timeline. */
export interface TimelineOptions {
  /** Needed for the time items waited in the inbox. */
  readonly eventAt?: EventAt;
  /** Turns kept from an earlier timeline of the run, so that only changes are computed. */
  readonly known?: TimelineTurns;
  /** Shortest idle stretch to mark, in milliseconds; 1000 when absent. */
  readonly breakMs?: number;
}

/** Builds the timeline of a run: one row per agent, below the agent that started it, in order of their start. */
export function timeline(run: RunContext, options: TimelineOptions = {}): Timeline {
  const known = options.known ?? noTurns();
  addTurns(known, run, options.eventAt);
  return {
    from: run.meta.createdAt,
    to: run.at,
    live: run.status === 'running' || run.status === 'awaiting',
    lanes: lanesOf(run, known.byAgent),
    links: [...known.links],
    breaks: idleStretches(known.bars, run.at, options.breakMs ?? 1000),
    resumes: [...run.resumes],
  };
}

function lanesOf(run: RunContext, bars: ReadonlyMap<AgentId, readonly TimelineBar[]>): readonly TimelineRow[] {
  const lanes: TimelineRow[] = [];
  const add = (agent: SubContext, depth: number): void => {
    const { agentId, parentAgentId, profile, roleName } = agent.meta;
    const {
      status,
      result: { outcome },
    } = agent;
    lanes.push({ agentId, parentAgentId, depth, profile, roleName, status, outcome, bars: bars.get(agentId) ?? [] });
    for (const child of agent.children) {
      const state = run.agents.get(child);
      if (state !== undefined) add(state, depth + 1);
    }
  };
  for (const agent of rootAgents(run)) add(agent, 0);
  return lanes;
}

/** Sorts turns by start; they are in order unless the clock went back. */
function inOrder(bars: readonly TimelineBar[]): readonly TimelineBar[] {
  const isSorted = bars.every((bar, index) => index === 0 || (bars[index - 1]?.from ?? 0) <= bar.from);
  return isSorted ? bars : bars.toSorted((a, b) => a.from - b.from);
}

function idleStretches(bars: readonly TimelineBar[], until: number, breakMs: number): Timeline['breaks'] {
  const breaks: { readonly from: number; readonly to: number }[] = [];
  let busyUntil: number | undefined;
  for (const bar of inOrder(bars)) {
    if (busyUntil !== undefined && bar.from - busyUntil >= breakMs) breaks.push({ from: busyUntil, to: bar.from });
    busyUntil = Math.max(busyUntil ?? 0, bar.to ?? Number.POSITIVE_INFINITY);
  }
  if (busyUntil !== undefined && until - busyUntil >= breakMs) breaks.push({ from: busyUntil, to: until });
  return breaks;
}
