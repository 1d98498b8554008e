import { CadreError } from '../error.ts';
import type { CadreEvent, EventOf } from '../events/event.ts';
import type { Keeps, RunContext } from '../state/run-context.ts';
import { agentOf, applyAgentEvent } from './agent.ts';
import { applyContextEvent } from './context.ts';
import { applyInboxEvent } from './inbox.ts';
import { applyStatePatch } from './patch.ts';
import { applyRunEvent, newRunState } from './run.ts';
import { applyTeamEvent } from './team.ts';
import { applyToolEvent } from './tool.ts';
import { applyTurnEvent } from './turn.ts';

/**
 * Folds one event into a run's state, in place.
 *
 * Owns: every change of `RunContext`. Does not own: decisions; an event is a fact.
 * 1. State depends on the events alone: the same events give the same state, whenever and wherever they are folded.
 * 2. The cost of an event does not grow with the run's history (I13), nor does the state of an agent whose prompts are bounded:
 *    everything that is no longer needed is released (`release.ts`).
 */
export function applyEvent(run: RunContext, event: CadreEvent): void {
  switch (event.type) {
    case 'run.start':
      break;
    case 'run.status':
    case 'run.resume':
    case 'profiles.update':
    case 'toolset.update':
    case 'clock.jump':
    case 'run.title':
    case 'run.end':
      applyRunEvent(run, event);
      break;
    case 'agent.start':
    case 'agent.release':
    case 'agent.await':
    case 'agent.restart':
    case 'agent.end':
    case 'limit.reach':
    case 'stagnation.act':
      applyAgentEvent(run, event);
      break;
    case 'inbox.add':
    case 'inbox.fail':
    case 'inbox.drop':
      applyInboxEvent(run, event);
      break;
    case 'turn.start':
    case 'model.end':
    case 'turn.decide':
    case 'turn.end':
      applyTurnEvent(run, event);
      break;
    case 'context.trim':
    case 'compaction.start':
    case 'compaction.end':
      applyContextEvent(run, agentOf(run, event.agentId), event);
      break;
    case 'tool.request':
    case 'tool.start':
    case 'tool.suspend':
    case 'tool.answer':
    case 'tool.verify':
    case 'tool.end':
    case 'tool.late':
      applyToolEvent(run, event);
      break;
    case 'module.update':
    case 'dispatch.update':
    case 'state.update':
      applyTeamEvent(run, event);
      break;
    case 'state.patch':
      applyStatePatch(run, event);
      break;
    case 'note.add':
      break;
    default:
      assertNever(event);
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

function assertNever(event: never): never {
  const { type, seq, runId } = event as CadreEvent;
  throw new CadreError(
    'STORE_NEWER',
    `run ${runId}: event ${seq} is of the type '${type}', which this version of Cadre does not know; update Cadre to read the run`,
    { details: { runId, seq, type } },
  );
}
