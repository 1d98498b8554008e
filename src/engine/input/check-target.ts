import { CadreError } from '../../core/error.ts';
import type { AgentId } from '../../core/ids.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { checkNote, type PeopleNote } from '../../core/events/people-note.ts';
import type { Input } from '../run/input.ts';

/** Returns an agent of a run. Fails with AGENT_UNKNOWN. */
export function agentOfId({ meta, agents }: RunContext, id: string): SubContext {
  const agent = agents.get(id as AgentId);
  if (agent !== undefined) return agent;
  throw new CadreError('AGENT_UNKNOWN', `run ${meta.runId} has no agent '${id}'; it has ${[...agents.keys()].join(', ')}`);
}

/**
 * Returns the recipient of a message, by default the root agent. Fails with RUN_ENDED, AGENT_UNKNOWN or AGENT_ENDED when no agent reads it.
 */
export function recipientOf(run: RunContext, to: string | undefined): AgentId {
  if (run.outcome !== undefined)
    throw new CadreError('RUN_ENDED', `run ${run.meta.runId} has ended (${run.status}); launch a new one, or fork it`);
  const {
    meta,
    status,
    result: { outcome },
  } = agentOfId(run, to ?? run.rootAgentId ?? '');
  if (status === 'ended')
    throw new CadreError('AGENT_ENDED', `agent ${meta.agentId} has ended (${outcome ?? ''}) and reads nothing any more`);
  return meta.agentId;
}

/** Fails with MODULE_UNKNOWN when a run has no such work module. */
export function assertModule({ meta, team }: RunContext, id: string): void {
  const known = Object.keys(team.workModules);
  if (known.includes(id)) return;
  throw new CadreError('MODULE_UNKNOWN', `run ${meta.runId} has no work module '${id}'; it has ${known.join(', ') || 'none'}`);
}

/** Returns the input that keeps a note for agents. Fails when the run is over, the note is invalid, or it has no existing recipient. */
export function noteInput(
  state: RunContext,
  profiles: ReadonlyMap<string, unknown>,
  note: PeopleNote,
): Extract<Input, { kind: 'keep_note' }> {
  const { runId } = state.meta;
  if (state.outcome !== undefined)
    throw new CadreError('RUN_ENDED', `run ${runId} has ended (${state.status}); launch a new one, or fork it`);
  checkNote(state.team.shared, note);
  const { agent } = note;
  if (agent !== undefined && !state.agents.has(agent as AgentId) && !profiles.has(agent))
    throw new CadreError('AGENT_UNKNOWN', `run ${runId} has neither an agent nor a profile '${agent}'`);
  return { kind: 'keep_note', note };
}
