import type { Capability } from '../../../src/core/state/capability.ts';
import type { CadreEvent, EventOf } from '../../../src/core/events/event.ts';
import { asking } from '../team/tool-names.ts';
import type { World } from '../world/world.ts';

/** State of a call according to the journal. */
interface GatedCall {
  readonly request: EventOf<'tool.request'>;
  /** Arguments it runs with: the requested ones, or those a person substituted. */
  args: EventOf<'tool.request'>['args'];
  /** The profile files that held when a person was asked about it. */
  askedUnder: string | undefined;
  isAllowed: boolean;
  isStanding: boolean;
}

/**
 * Checks from the journal alone that a call whose gate asks starts only after a person approved it, or after the time to refuse
 * was over, since the last request and under the profiles of that request; that a call which starts without a request is covered
 * by a person's approval of all such calls, in the same run, for the same tool and profile; and that a call whose gate
 * denies it once another one of its turn has ended is not started after that (the tool `spend`).
 */
export function checkApprovals(world: World, events: readonly CadreEvent[]): void {
  const calls = new Map<string, GatedCall>();
  const agents = new Map<string, string>();
  const turnsWithResults = new Set<string>();
  const boundTo = new Map<string, string>();
  let profiles = '';
  for (const event of events) {
    switch (event.type) {
      case 'run.start':
      case 'run.resume':
      case 'profiles.update':
        profiles = event.profiles ?? profiles;
        break;
      case 'agent.start':
        agents.set(event.agentId, event.profile);
        break;
      case 'tool.request':
        calls.set(event.callId, { request: event, args: event.args, askedUnder: undefined, isAllowed: false, isStanding: false });
        break;
      case 'tool.suspend':
        checkAsked(world, event, calls.get(event.callId), profiles);
        if (event.on.kind === 'approval') checkBound(world, event.seq, event.on.capability, calls.get(event.callId), boundTo);
        break;
      case 'tool.answer':
        note(event, calls.get(event.callId));
        checkBound(world, event.seq, event.capability, calls.get(event.callId), boundTo);
        if (event.standing !== undefined) checkStanding(world, events, event, calls, agents);
        break;
      case 'tool.start':
        checkStart(world, event, calls.get(event.callId), { profiles, turnsWithResults });
        break;
      case 'tool.end':
        turnsWithResults.add(event.turnId);
        checkDenied(world, event, calls.get(event.callId));
        break;
      default:
        break;
    }
  }
}

function checkAsked(
  world: World,
  { seq, callId, on }: EventOf<'tool.suspend'>,
  call: GatedCall | undefined,
  profiles: string,
): void {
  if (call === undefined || on.kind !== 'approval') return;
  call.askedUnder = profiles;
  call.isAllowed = false;
  // The tools and their settings are the same in every process, and arguments change with a verdict alone.
  const odd = on.changed?.filter((part) => part !== 'profile' && part !== 'gate') ?? [];
  if (odd.length > 0) world.violated(`S9 at ${seq}: ${callId} is asked about again for ${odd.join(', ')}, which has not changed`);
}

/** Checks that approvals have one hash per set of arguments: an approval bound to others, or to none, shows as the same hash twice. */
function checkBound(
  world: World,
  seq: number,
  capability: Capability | undefined,
  call: GatedCall | undefined,
  boundTo: Map<string, string>,
): void {
  if (capability === undefined || call === undefined) return;
  const args = JSON.stringify(call.args ?? {});
  const before = boundTo.get(capability.args);
  boundTo.set(capability.args, args);
  if (before !== undefined && before !== args)
    world.violated(`S9 at ${seq}: the approval of ${call.request.callId} with ${args} is bound to ${before} as well`);
}

function note(answer: EventOf<'tool.answer'>, call: GatedCall | undefined): void {
  if (call === undefined || answer.verdict !== 'approved') return;
  call.isAllowed = true;
  call.isStanding = answer.standing !== undefined;
  call.args = answer.args ?? call.args;
}

function checkStart(
  world: World,
  { seq, callId, turnId }: EventOf<'tool.start'>,
  call: GatedCall | undefined,
  known: { readonly profiles: string; readonly turnsWithResults: ReadonlySet<string> },
): void {
  const name = call?.request.name ?? '';
  const asks = asking[name]?.(call?.args?.['n']) ?? false;
  if (asks && call?.isAllowed !== true) world.violated(`S9 at ${seq}: '${name}' (${callId}) starts, and nobody let it`);
  else if (asks && call?.isStanding !== true && call?.askedUnder !== known.profiles)
    world.violated(`S9 at ${seq}: '${name}' (${callId}) starts on an approval that was given under other profiles`);
  if (name === 'spend' && known.turnsWithResults.has(turnId))
    world.violated(`S9 at ${seq}: '${name}' (${callId}) starts, and its gate denies it once another call of ${turnId} has ended`);
}

function checkDenied(world: World, { error }: EventOf<'tool.end'>, call: GatedCall | undefined): void {
  if (call?.request.name === 'spend' && error?.code === 'TOOL_DENIED') world.reached('denied at its start');
}

function checkStanding(
  world: World,
  events: readonly CadreEvent[],
  answer: EventOf<'tool.answer'>,
  calls: ReadonlyMap<string, GatedCall>,
  profiles: ReadonlyMap<string, string>,
): void {
  const [start] = events;
  const copiedTo = start?.type === 'run.start' ? (start.parentRun?.at ?? 0) : 0;
  if (answer.seq > copiedTo && (answer.standing ?? 0) <= copiedTo)
    world.violated(
      `S9 at ${answer.seq}: ${answer.callId} goes by what was said at ${answer.standing ?? 0}, in the run that this one is a fork of`,
    );
  const said = events.find(({ seq }) => seq === answer.standing);
  if (said?.type !== 'tool.answer' || said.always !== true || said.verdict !== 'approved') {
    world.violated(`S9 at ${answer.seq}: ${answer.callId} goes by event ${answer.standing ?? 0}, which allows nothing for good`);
    return;
  }
  const [now, then] = [calls.get(answer.callId)?.request, calls.get(said.callId)?.request];
  if (now?.name !== then?.name || profiles.get(answer.agentId) !== profiles.get(said.agentId))
    world.violated(`S9 at ${answer.seq}: ${answer.callId} goes by what was said of another tool, or profile, at ${said.seq}`);
}
