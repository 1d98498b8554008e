import type { CadreEvent, EventOf } from '../../../src/core/event.ts';
import { asking } from '../team/tool-names.ts';
import type { World } from '../world/world.ts';

/**
 * Told from the journal alone: no call of a tool whose gate asks is ever started unless somebody let it go, or the time in which
 * they could have refused was over; and a call that goes without being asked about goes by what a person said of all such calls, in
 * this very run, of this tool and this profile.
 */
export function checkApprovals(world: World, events: readonly CadreEvent[]): void {
  const requests = new Map<string, EventOf<'tool.request'>>();
  const allowed = new Set<string>();
  const profiles = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'agent.start') profiles.set(event.agentId, event.profile);
    else if (event.type === 'tool.request') requests.set(event.callId, event);
    else if (event.type === 'tool.answer') {
      if (event.verdict === 'approved') allowed.add(event.callId);
      if (event.standing !== undefined) checkStanding(world, events, event, requests, profiles);
    } else if (event.type === 'tool.start') {
      const request = requests.get(event.callId);
      const asks = asking[request?.name ?? '']?.(request?.args?.['n']) ?? false;
      if (asks && !allowed.has(event.callId))
        world.violated(`S9 at ${event.seq}: '${request?.name ?? ''}' (${event.callId}) starts, and nobody let it`);
    }
  }
}

function checkStanding(
  world: World,
  events: readonly CadreEvent[],
  answer: EventOf<'tool.answer'>,
  requests: ReadonlyMap<string, EventOf<'tool.request'>>,
  profiles: ReadonlyMap<string, string>,
): void {
  const said = events.find(({ seq }) => seq === answer.standing);
  if (said?.type !== 'tool.answer' || said.always !== true || said.verdict !== 'approved') {
    world.violated(`S9 at ${answer.seq}: ${answer.callId} goes by event ${answer.standing ?? 0}, which allows nothing for good`);
    return;
  }
  const [now, then] = [requests.get(answer.callId), requests.get(said.callId)];
  if (now?.name !== then?.name || profiles.get(answer.agentId) !== profiles.get(said.agentId))
    world.violated(`S9 at ${answer.seq}: ${answer.callId} goes by what was said of another tool, or profile, at ${said.seq}`);
}
