import { actors } from '../../core/by.ts';
import { callerOf } from '../../core/state/agent-path.ts';
import type { Recording, RecordedItem } from '../../core/recording/recording.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { PendingRequest } from '../../core/state/pending.ts';
import type { Run } from '../run.ts';

/** Who decided in the recorded run is on record there; here, no person decides. */
const by = { by: actors.replay };

/**
 * Returns a function that replays, whenever the run has settled, the next input people gave in the recorded run: verdicts over the
 * suspended calls, then the next message. It returns false when there is none.
 */
export function replayedPeople(recording: Recording | undefined): ((run: Run) => Promise<boolean>) | undefined {
  if (recording === undefined) return undefined;
  const items = recording.entries.filter((entry) => entry.kind === 'item');
  return async (run) => {
    if (run.state.outcome !== undefined) return false;
    for (const request of run.pending) if (await decide(run, request, recording)) return true;
    const asked = run.pending.filter(({ tool }) => tool === '');
    // A checkpoint asks on behalf of its profile, with no tool call to decide: its answer is an item, like a message.
    const isFree = run.pending.length === asked.length;
    const next = isFree ? items.shift() : undefined;
    if (next === undefined) return false;
    const to = agentAt(run, next)?.meta.agentId;
    const checkpoint = asked.find(({ agentId, schema }) => agentId === to && schema !== undefined);
    if (checkpoint !== undefined && next.source === 'HUMAN_ANSWER') {
      await run.answer(checkpoint.id, next.payload, by);
      return true;
    }
    await run.send({ source: next.source, payload: next.payload }, { ...(to === undefined ? {} : { to }), ...by });
    return true;
  };
}

async function decide(run: Run, { id, callId, agentId, tool, turnId }: PendingRequest, recording: Recording): Promise<boolean> {
  const agent = run.state.agents.get(agentId as never);
  const index = agent?.calls.open.get(callId as never)?.index;
  if (agent === undefined || index === undefined) return false;
  const { path } = callerOf(run.state, agent);
  const call = answeredCalls(run, agent, turnId);
  const said = recording.entries.find(
    (entry) =>
      entry.kind === 'verdict' && entry.agent === path && entry.call === call && entry.index === index && entry.tool === tool,
  );
  if (said?.kind !== 'verdict') return false;
  if (said.verdict === 'answered') await run.answer(id, said.value ?? null, by);
  else if (said.verdict === 'approved') {
    const { args, always } = said;
    await run.approve(id, { ...(args === undefined ? {} : { args }), ...(always === undefined ? {} : { always }), ...by });
  } else await run.reject(id, { ...(said.message === undefined ? {} : { message: said.message }), ...by });
  return true;
}

/** Counts the model calls of an agent that had completed when it made a call in this turn. */
function answeredCalls(run: Run, agent: SubContext, turnId: string): number {
  let calls = 0;
  for (const turn of run.fullState().turns.values()) {
    if (turn.agentId !== agent.meta.agentId || turn.modelEnd === undefined) continue;
    const code = turn.modelEnd.error?.code;
    if (code !== 'MODEL_ABORTED' && code !== 'MODEL_INTERRUPTED') calls += 1;
    if (turn.turnId === turnId) break;
  }
  return calls;
}

function agentAt(run: Run, item: RecordedItem): SubContext | undefined {
  return [...run.state.agents.values()].find((agent) => callerOf(run.state, agent).path === item.agent);
}
