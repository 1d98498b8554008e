import { CadreError } from '../../core/error.ts';
import type { AgentId } from '../../core/ids.ts';
import { checkNote, type PeopleNote } from '../../core/events/people-note.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Input } from '../run/input.ts';

/** Returns the input that keeps a note for agents. Fails when the run is over, the note is invalid, or it has no existing recipient. */
export function noteInput(state: RunContext, profiles: ReadonlyMap<string, unknown>, note: PeopleNote): Input {
  const { runId } = state.meta;
  if (state.outcome !== undefined)
    throw new CadreError('RUN_ENDED', `run ${runId} has ended (${state.status}); launch a new one, or fork it`);
  checkNote(state.team.shared, note);
  const { agent } = note;
  if (agent !== undefined && !state.agents.has(agent as AgentId) && !profiles.has(agent))
    throw new CadreError('AGENT_UNKNOWN', `run ${runId} has neither an agent nor a profile '${agent}'`);
  return { kind: 'keep_note', note };
}
