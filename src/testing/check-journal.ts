import type { CadreEvent, EventOf } from '../core/events/event.ts';
import { checkAgents } from './check-agents.ts';
import { checkCalls } from './check-calls.ts';
import { checkInboxes } from './check-inboxes.ts';
import { checkQuiet } from './check-quiet.ts';
import { checkSequence } from './check-sequence.ts';
import { checkTurns } from './check-turns.ts';
import { type JournalCheck, type JournalFacts, type JournalProblem, Findings } from './journal-problem.ts';

/** Sums of fractions are inexact. */
const rounding = 1e-9;

/**
 * Checks the run's budgets: no model call begins that, together with the reserves of calls in flight, could exceed the run's tokens
 * or cost; and each limit is reported once.
 */
function checkBudgets(events: readonly CadreEvent[]): readonly JournalProblem[] {
  const found = new Findings();
  const inFlight = new Map<string, { readonly tokens: number; readonly cost: number }>();
  const reported = new Set<string>();
  let limits: { readonly maxTokens?: number; readonly maxCostUsd?: number } = {};
  let tokens = 0;
  let cost = 0;
  for (const event of events) {
    found.at(event);
    switch (event.type) {
      case 'run.start':
        limits = event.limits;
        break;
      case 'turn.start':
      case 'compaction.start': {
        if (event.reserve === undefined) break;
        const callId = event.type === 'turn.start' ? event.turnId : event.compactionId;
        inFlight.set(callId, { tokens: event.reserve.tokens, cost: event.reserve.cost ?? 0 });
        const set = [...inFlight.values()].reduce((sum, own) => ({ tokens: sum.tokens + own.tokens, cost: sum.cost + own.cost }));
        const { maxTokens = Number.POSITIVE_INFINITY, maxCostUsd = Number.POSITIVE_INFINITY } = limits;
        found.expect(
          tokens + set.tokens <= maxTokens,
          'limits',
          `${callId} begins with ${tokens} tokens used and ${set.tokens} set aside, and the run may use ${maxTokens}`,
        );
        found.expect(
          event.reserve.cost === undefined || cost + set.cost <= maxCostUsd + rounding,
          'limits',
          `${callId} begins with $${cost} used and $${set.cost} set aside, and the run may cost $${maxCostUsd}`,
        );
        break;
      }
      case 'model.end':
      case 'compaction.end':
        inFlight.delete(event.type === 'model.end' ? event.turnId : event.compactionId);
        tokens += (event.usage.inputTokens ?? 0) + (event.usage.outputTokens ?? 0);
        cost += event.cost ?? 0;
        break;
      case 'run.title':
        tokens += (event.usage.inputTokens ?? 0) + (event.usage.outputTokens ?? 0);
        cost += event.cost ?? 0;
        break;
      case 'turn.end':
        inFlight.delete(event.turnId);
        break;
      case 'agent.restart':
        for (const key of reported) if (key.startsWith(`${event.agentId} `)) reported.delete(key);
        break;
      case 'limit.reach': {
        const key = `${event.agentId} ${event.stage} ${event.scope} ${event.limit}`;
        found.expect(!reported.has(key), 'limits', `a limit of ${event.agentId} is reported a second time: ${event.reason}`);
        reported.add(key);
        break;
      }
      default:
    }
  }
  return found.problems;
}

const checks: readonly JournalCheck[] = [
  checkSequence,
  checkAgents,
  checkTurns,
  checkInboxes,
  checkCalls,
  checkBudgets,
  checkContext,
];

/** Facts and options for checking a journal. */
export interface JournalCheckOptions extends JournalFacts {
  /** The run has settled, so no agent that could continue may have items to read. True by default. */
  readonly settled?: boolean;
}

/**
 * Checks a run's events against the engine's invariants, as far as events show them: I1 to I6, I8, I9, I12, and the life of turns,
 * calls, agents and modules. It reads only events and shares no code with the fold, so it also finds mistakes of the fold. Every
 * prefix of a journal must pass, too (with `settled: false`). An empty list means that no invariant is broken.
 */
export function checkJournal(events: readonly CadreEvent[], options: JournalCheckOptions = {}): readonly JournalProblem[] {
  const problems = checks.flatMap((check) => check(events, options));
  if (options.settled !== false) problems.push(...checkQuiet(events));
  return problems.sort((a, b) => a.seq - b.seq);
}

/** Throws with every problem, and the events around the first, unless a journal keeps all invariants. */
export function assertJournal(events: readonly CadreEvent[], options: JournalCheckOptions = {}): void {
  const problems = checkJournal(events, options);
  const [first] = problems;
  if (first === undefined) return;
  const list = problems.map(({ invariant, seq, message }) => `  ${invariant} at ${seq}: ${message}`).join('\n');
  const around = events
    .filter(({ seq }) => Math.abs(seq - first.seq) <= 4)
    .map((event) => `  ${JSON.stringify(event).slice(0, 240)}`)
    .join('\n');
  throw new Error(`the journal breaks ${problems.length} invariant(s):\n${list}\naround event ${first.seq}:\n${around}`);
}

interface Agent {
  compacting: EventOf<'compaction.start'> | undefined;
  from: number;
  inTurn: boolean;
}

/**
 * Checks the history that prompts show: a view never moves back, each compaction ends once with no turn inside it, and a prompt
 * begins where the last trim or summary said.
 */
function checkContext(events: readonly CadreEvent[]): readonly JournalProblem[] {
  const found = new Findings();
  const agents = new Map<string, Agent>();
  for (const event of events) {
    found.at(event);
    if (event.type === 'run.end') {
      const open = [...agents.values()].flatMap(({ compacting }) => compacting?.compactionId ?? []);
      found.expect(open.length === 0, 'I9', `the run ends while ${open.join(', ')} is under way`);
    }
    if (event.type === 'agent.start' || (event.type === 'agent.restart' && event.keepsHistory !== true))
      agents.set(event.agentId, { compacting: undefined, from: 0, inTurn: false });
    const agent = 'agentId' in event && event.agentId !== undefined ? agents.get(event.agentId) : undefined;
    if (agent !== undefined) follow(found, agent, event);
  }
  return found.problems;
}

function follow(found: Findings, agent: Agent, event: CadreEvent): void {
  switch (event.type) {
    case 'context.trim':
      found.expect(
        event.reason === 'nothing_kept' ? event.to === agent.from : event.to > agent.from,
        'life',
        `the view goes from ${agent.from} to ${event.to}`,
      );
      found.expect(agent.compacting === undefined, 'life', 'the view moves within a compaction');
      agent.from = event.to;
      break;
    case 'compaction.start':
      found.expect(agent.compacting === undefined && !agent.inTurn, 'life', `${event.compactionId} is not due`);
      found.expect(event.from === agent.from && event.to > event.from, 'life', `${event.compactionId} is not of the view`);
      agent.compacting = event;
      break;
    case 'compaction.end':
      found.expect(
        agent.compacting?.compactionId === event.compactionId,
        'life',
        `${event.compactionId} ends, but is not under way`,
      );
      found.expect(
        (event.head === undefined) !== (event.error === undefined),
        'life',
        `${event.compactionId} has neither or both of summary and error`,
      );
      if (event.head !== undefined) agent.from = event.to;
      agent.compacting = undefined;
      break;
    case 'turn.start':
      found.expect(agent.compacting === undefined, 'I6', `${event.turnId} starts within ${agent.compacting?.compactionId ?? ''}`);
      if (event.prompt !== undefined)
        found.expect(event.prompt.from === agent.from, 'life', `the prompt begins at ${event.prompt.from}, not ${agent.from}`);
      agent.inTurn = true;
      break;
    case 'turn.end':
      agent.inTurn = false;
      break;
    default:
  }
}
