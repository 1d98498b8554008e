import { CadreError } from '../error.ts';
import type { EventDraft } from '../events/event.ts';
import { parentOf } from '../fold/budget.ts';
import type { AgentId } from '../ids.ts';
import type { CompiledProfile } from '../profile/profile.ts';
import type { SubContext } from './sub-context.ts';
import type { RunContext } from './run-context.ts';

type Profiles = ReadonlyMap<string, CompiledProfile>;

/** Returns how many more agents may work at the same time, by the limits of the run and of every agent from this one up. */
export function liveRoom(run: RunContext, profiles: Profiles, agent: SubContext): number {
  let room = run.limits.maxLive - run.budget.live;
  for (let above: SubContext | undefined = agent; above !== undefined; above = parentOf(run, above)) {
    const most = profiles.get(above.meta.profile)?.limits.maxLive;
    if (most !== undefined) room = Math.min(room, most - above.limits.budget.live);
  }
  return Math.max(0, room);
}

/** The agent that wants to start another one, in its run; a `TransitionContext` is one. */
interface Spawner {
  readonly run: RunContext;
  readonly profiles: Profiles;
  readonly agent: SubContext;
}

/** Returns the reason why an agent may not start one more child besides `planned` others; undefined when it may. */
export function spawnRefusal(spawner: Spawner, planned: number): string | undefined {
  const { run, profiles, agent } = spawner;
  const counted = countRefusal(spawner, planned);
  return counted ?? (liveRoom(run, profiles, agent) > 0 ? undefined : liveRefusal(run));
}

/** Returns the refusal of another live agent. */
export function liveRefusal(run: RunContext): string {
  return `${run.budget.live} agents are at work, the maximum (limit maxLive); wait until one of them ends, or ${howToRaise}`;
}

/** Like `spawnRefusal`, without the limit on live agents: a child above that limit can be held. */
export function countRefusal(spawner: Spawner, planned: number): string | undefined {
  const { run, profiles, agent } = spawner;
  const { agentId, depth, profile } = agent.meta;
  const own = profiles.get(profile)?.limits;
  const maxDepth = own?.maxDepth ?? run.limits.maxDepth;
  const maxChildren = own?.maxChildren ?? run.limits.maxChildren;
  if (depth + 1 > maxDepth)
    return `${agentId} is at depth ${depth}, and the deepest agent may be at ${maxDepth} (limit maxDepth); do the work without another agent, or ${howToRaise}`;
  if (agent.children.length + planned + 1 > maxChildren)
    return `${agentId} has started ${agent.children.length + planned} agents and may start ${maxChildren} (limit maxChildren); ${howToRaise}`;
  return totalRefusal(spawner, planned);
}

function totalRefusal({ run, profiles, agent }: Spawner, planned: number): string | undefined {
  if (run.budget.agents + planned + 1 > run.limits.maxTotal)
    return `the run has started ${run.budget.agents + planned} agents and may start ${run.limits.maxTotal} (limit maxTotal); do the work without another agent, or ${howToRaise}`;
  for (let above: SubContext | undefined = agent; above !== undefined; above = parentOf(run, above)) {
    const most = profiles.get(above.meta.profile)?.limits.maxTotal;
    if (most !== undefined && above.limits.budget.agents + planned + 1 > most)
      return `${above.meta.agentId} and the agents below it are ${above.limits.budget.agents + planned}, of ${most} allowed (limit maxTotal of its profile); do the work without another agent`;
  }
  return undefined;
}

const howToRaise = 'have it raised under limits of the profile, the launch or the engine';

/** An agent with the additions that the drafts of one tool call make to it. */
interface Planned {
  readonly parent: AgentId | undefined;
  readonly depth: number;
  readonly profile: string;
  children: number;
  live: number;
  agents: number;
}

/**
 * Rejects drafts, of any tool, that would start more agents than the limits allow: deeper, more children of one agent, more at
 * work at the same time, or more in all. Throws LIMIT_REACHED.
 */
export function checkSpawns(run: RunContext, profiles: Profiles, events: readonly EventDraft[]): void {
  if (!events.some(({ type }) => type === 'agent.start' || type === 'agent.restart' || type === 'agent.release')) return;
  const plan = new SpawnPlan(run, profiles);
  for (const event of events) plan.add(event);
}

/** The agents after the drafts so far are committed. */
class SpawnPlan {
  readonly #run: RunContext;
  readonly #profiles: Profiles;
  readonly #known = new Map<AgentId, Planned>();
  readonly #ended = new Set<AgentId>();
  #live: number;
  #agents: number;

  constructor(run: RunContext, profiles: Profiles) {
    this.#run = run;
    this.#profiles = profiles;
    this.#live = run.budget.live;
    this.#agents = run.budget.agents;
  }

  add(event: EventDraft): void {
    switch (event.type) {
      case 'agent.start': {
        const parent = event.parentAgentId === undefined ? undefined : this.#find(event.parentAgentId);
        const depth = (parent?.depth ?? -1) + 1;
        const { agentId, parentAgentId, profile } = event;
        this.#known.set(agentId, { parent: parentAgentId, depth, profile, children: 0, live: 0, agents: 0 });
        if (parent !== undefined) parent.children += 1;
        this.#count(agentId, event.held === true ? 0 : 1, 1);
        this.#expectPlace(parentAgentId, parent, depth);
        break;
      }
      case 'agent.release':
        this.#count(event.agentId, 1, 0);
        break;
      case 'agent.restart': {
        const isAtWork = this.#run.agents.get(event.agentId)?.status !== 'ended' && !this.#ended.has(event.agentId);
        if (!isAtWork) this.#count(event.agentId, 1, 0);
        break;
      }
      case 'agent.end': {
        const status = this.#run.agents.get(event.agentId)?.status;
        if (status === 'held' || status === 'ended' || this.#ended.has(event.agentId)) break;
        this.#ended.add(event.agentId);
        this.#count(event.agentId, -1, 0);
        break;
      }
      default:
    }
  }

  #find(agentId: AgentId): Planned | undefined {
    const planned = this.#known.get(agentId);
    const agent = planned === undefined ? this.#run.agents.get(agentId) : undefined;
    if (agent === undefined) return planned;
    const { depth, profile, parentAgentId } = agent.meta;
    const { live, agents } = agent.limits.budget;
    const found: Planned = { parent: parentAgentId, depth, profile, children: agent.children.length, live, agents };
    this.#known.set(agentId, found);
    return found;
  }

  #expectPlace(parentId: AgentId | undefined, parent: Planned | undefined, depth: number): void {
    const own = parent === undefined ? undefined : this.#profiles.get(parent.profile)?.limits;
    const maxDepth = own?.maxDepth ?? this.#run.limits.maxDepth;
    const maxChildren = own?.maxChildren ?? this.#run.limits.maxChildren;
    if (depth > maxDepth) throw reached('maxDepth', maxDepth, `agents below ${parentId ?? 'the run'} would be at depth ${depth}`);
    if (parent !== undefined && parent.children > maxChildren)
      throw reached('maxChildren', maxChildren, `${parentId ?? ''} would have started ${parent.children} agents`);
  }

  #count(agentId: AgentId, live: number, agents: number): void {
    const { limits } = this.#run;
    this.#live += live;
    this.#agents += agents;
    if (agents > 0 && this.#agents > limits.maxTotal)
      throw reached('maxTotal', limits.maxTotal, `the run would have started ${this.#agents} agents`);
    if (live > 0 && this.#live > limits.maxLive)
      throw reached('maxLive', limits.maxLive, `${this.#live} agents would be at work at the same time`);
    for (let id: AgentId | undefined = agentId; id !== undefined;) {
      const above = this.#find(id);
      if (above === undefined) return;
      above.live += live;
      above.agents += agents;
      const most = this.#profiles.get(above.profile)?.limits;
      if (agents > 0 && above.agents > (most?.maxTotal ?? Number.POSITIVE_INFINITY))
        throw reached('maxTotal', most?.maxTotal ?? 0, `${id} and the agents below it would be ${above.agents}`);
      if (live > 0 && above.live > (most?.maxLive ?? Number.POSITIVE_INFINITY))
        throw reached('maxLive', most?.maxLive ?? 0, `${above.live} agents would be at work below ${id}`);
      id = above.parent;
    }
  }
}

function reached(limit: string, allowed: number, what: string): CadreError {
  const message = `nothing was started: ${what}, and ${allowed} are allowed (limit ${limit}); ${howToRaise}`;
  return new CadreError('LIMIT_REACHED', message, { details: { limit, allowed } });
}
