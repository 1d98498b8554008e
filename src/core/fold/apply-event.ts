import { CadreError } from '../error.ts';
import type { CadreEvent, EventOf, EventType } from '../events/event.ts';
import type { AgentId } from '../ids.ts';
import type { Keeps, RunContext } from '../state/run-context.ts';
import type { SubContext } from '../state/sub-context.ts';
import { agentFolds } from './agent.ts';
import { contextFolds } from './context.ts';
import { type Folds, failUnknownAgent } from './folds.ts';
import { inboxFolds } from './inbox.ts';
import { teamFolds, patchFolds } from './team.ts';
import { newRunState, runFolds } from './run.ts';
import { toolFolds } from './tool.ts';
import { turnFolds } from './turn.ts';

const foldsOfAgents = { ...inboxFolds, ...turnFolds, ...toolFolds, ...contextFolds };

const foldsOfRuns: Folds<Exclude<EventType, keyof typeof foldsOfAgents>> = {
  ...runFolds,
  ...agentFolds,
  ...teamFolds,
  ...patchFolds,
  'tool.late': () => undefined,
};

type FoldOfAgent = (run: RunContext, agent: SubContext, event: CadreEvent) => void;
type FoldOfRun = (run: RunContext, event: CadreEvent) => void;

/** Folds of the events that change one agent, which they receive. */
const agentFoldOf: ReadonlyMap<string, FoldOfAgent> = new Map(Object.entries(foldsOfAgents) as [string, FoldOfAgent][]);

/** Folds of all other events. */
const runFoldOf: ReadonlyMap<string, FoldOfRun> = new Map(Object.entries(foldsOfRuns) as [string, FoldOfRun][]);

/**
 * Folds one event into a run's state, in place.
 *
 * Owns: every change of `RunContext`. Does not own: decisions; an event is a fact.
 * 1. State depends on the events alone: the same events give the same state, whenever and wherever they are folded.
 * 2. The cost of an event does not grow with the run's history (I13), nor does the state of an agent whose prompts are bounded:
 *    everything that is no longer needed is released (`release.ts`).
 */
export function applyEvent(run: RunContext, event: CadreEvent): void {
  const fold = agentFoldOf.get(event.type);
  if (fold !== undefined) {
    const { agentId } = event as CadreEvent & { readonly agentId: AgentId };
    fold(run, run.agents.get(agentId) ?? failUnknownAgent(run, agentId), event);
  } else {
    const foldOfRun = runFoldOf.get(event.type);
    if (foldOfRun === undefined) throw unknownEvent(event);
    foldOfRun(run, event);
  }
  run.seq = event.seq;
  run.at = event.at;
}

/** Returns the state of a run after its `run.start`. */
export function startRun(event: EventOf<'run.start'>, keeps: Keeps = 'recent'): RunContext {
  const run = newRunState(event, keeps);
  applyEvent(run, event);
  return run;
}

/** Returns the state after a whole journal; undefined for an empty one. Use `everything` for views of a run's past. */
export function foldEvents(events: readonly CadreEvent[], keeps: Keeps = 'recent'): RunContext | undefined {
  const first = events[0];
  if (first?.type !== 'run.start') return undefined;
  const run = startRun(first, keeps);
  for (let index = 1; index < events.length; index++) {
    const event = events[index];
    if (event !== undefined) applyEvent(run, event);
  }
  return run;
}

function unknownEvent({ type, seq, runId }: CadreEvent): CadreError {
  return new CadreError(
    'STORE_NEWER',
    `run ${runId}: event ${seq} is of the type '${type}', which this version of Cadre does not know; update Cadre to read the run`,
    { details: { runId, seq, type } },
  );
}
