import type { CadreEvent } from '../../core/events/event.ts';
import type { AgentId, RunId } from '../../core/ids.ts';
import type { ResourceScope, ResourceScopes } from '../../core/tool/resource-scope.ts';
import { Resources } from './resources.ts';

/** The live things of one run, by agent, and those of the run itself; nothing is made before a tool asks. */
export class RunResources {
  readonly #runId: RunId;
  readonly #engine: ResourceScope;
  readonly #agents = new Map<AgentId, Resources>();
  /** Agents that have ended: what a call of theirs still wants to open is refused. */
  readonly #ended = new Set<AgentId>();
  #run: Resources | undefined;
  #isOver = false;

  constructor(runId: RunId, engine: ResourceScope) {
    this.#runId = runId;
    this.#engine = engine;
  }

  /** The scopes a tool call of an agent may use. */
  scopesOf(agentId: AgentId): ResourceScopes {
    const agent = (): Resources => {
      const made = this.#agents.get(agentId) ?? new Resources(`agent ${agentId} of run ${this.#runId}`);
      if (this.#isOver || this.#ended.has(agentId)) void made.closeAll();
      else this.#agents.set(agentId, made);
      return made;
    };
    const run = (): Resources => {
      const made = (this.#run ??= new Resources(`run ${this.#runId}`));
      if (this.#isOver) void made.closeAll();
      return made;
    };
    const engine = this.#engine;
    return {
      get agent() {
        return agent();
      },
      get run() {
        return run();
      },
      engine,
    };
  }

  /** Begins to close what belongs to agents, or the run, that these events end; undefined when there is nothing to close. */
  noteCommit(events: readonly CadreEvent[]): Promise<void> | undefined {
    const over: Resources[] = [];
    for (const event of events) {
      if (event.type === 'run.end') over.push(...this.#takeAll());
      else if (event.type === 'agent.end') over.push(...this.#take(event.agentId));
      else if (event.type === 'agent.restart') this.#ended.delete(event.agentId);
    }
    return over.length === 0 ? undefined : closing(over);
  }

  /** Closes everything: the run is over, or its engine leaves it. */
  closeAll(): Promise<void> {
    return closing(this.#takeAll()) ?? Promise.resolve();
  }

  #take(agentId: AgentId): readonly Resources[] {
    const things = this.#agents.get(agentId);
    this.#agents.delete(agentId);
    this.#ended.add(agentId);
    return things === undefined ? [] : [things];
  }

  #takeAll(): readonly Resources[] {
    const all = [...this.#agents.values(), ...(this.#run === undefined ? [] : [this.#run])];
    this.#agents.clear();
    this.#run = undefined;
    this.#isOver = true;
    return all;
  }
}

function closing(over: readonly Resources[]): Promise<void> | undefined {
  const full = over.filter((things) => !things.isEmpty);
  // Those that are empty are closed as well: a call that is still running must not open anything for them.
  const closed = over.map((things) => things.closeAll());
  return full.length === 0 ? undefined : Promise.all(closed).then(() => undefined);
}
