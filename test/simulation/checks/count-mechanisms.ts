import type { CadreEvent } from '../../../src/core/events/event.ts';
import type { Mechanism } from '../world/mechanisms.ts';
import type { World } from '../world/world.ts';

/** Counts what a run came by, from its journal. */
export function countMechanisms(world: World, events: readonly CadreEvent[]): void {
  const [start] = events;
  const parent = start?.type === 'run.start' ? start.parentRun : undefined;
  if (parent !== undefined) {
    world.reached('forked');
    if (world.disk.events(parent.runId).some(({ type }) => type === 'run.end')) world.reached('fork of what is over');
    if (events.slice(0, parent.at).some((event) => event.type === 'tool.answer' && event.always === true))
      world.reached('fork inherited an approval');
  }
  if (events.filter(({ type }) => type === 'turn.start').length > 14) world.reached('more than 14 turns');
  const depths = new Map<string, number>();
  const questions = new Set<string>();
  for (const event of events) {
    if (event.type === 'tool.suspend' && event.on.kind === 'question') questions.add(event.callId);
    if (event.type === 'tool.end' && event.error?.code === 'TOOL_EXPIRED')
      world.reached(questions.has(event.callId) ? 'question expired' : 'approval expired');
    if (event.type === 'agent.start') depths.set(event.agentId, event.depth);
    const mechanism = mechanismOf(event);
    if (mechanism !== undefined) world.reached(mechanism);
    if (event.type === 'model.end' && (event.cost ?? 0) > 0 && (depths.get(event.agentId) ?? 0) > 0) world.reached('cost below');
    if (event.type === 'run.resume' && event.profiles !== undefined) world.reached('profiles of today');
  }
}

function mechanismOf(event: CadreEvent): Mechanism | undefined {
  switch (event.type) {
    case 'context.trim':
      return event.reason === 'window' ? 'window moved' : undefined;
    case 'compaction.end':
      return event.error === undefined ? 'compaction' : 'compaction failed';
    case 'tool.verify':
      return event.answer === 'happened'
        ? 'it had happened'
        : event.answer === 'not_happened'
          ? 'it had not happened'
          : 'nobody could tell';
    case 'tool.suspend':
      if (event.on.kind === 'approval' && event.on.changed !== undefined) return 'asked again';
      return event.on.kind === 'question' && event.on.schema !== undefined ? 'person asked whether it happened' : undefined;
    case 'tool.end':
      if (event.error?.code !== 'TOOL_OUTCOME_UNKNOWN') return undefined;
      return event.end === undefined ? 'unknown outcome told' : 'unknown outcome failed';
    case 'tool.answer':
      if (event.always === true) return 'always allowed';
      if (event.standing !== undefined) return 'standing approval';
      if (event.args !== undefined) return 'approved with other arguments';
      return event.expired === true && event.verdict === 'approved' ? 'expiry allowed' : undefined;
    case 'limit.reach':
      if (event.limit === 'tokens') return event.stage === 2 ? 'token limit' : undefined;
      return event.limit === 'cost_usd' ? (event.stage === 2 ? 'cost limit' : 'cost warned of') : undefined;
    default:
      return undefined;
  }
}
