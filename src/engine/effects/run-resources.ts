import type { AgentId, RunId } from '../../core/ids.ts';
import type { ResourceScope, ResourceScopes } from '../../core/tool/resource-scope.ts';
import { Resources } from './resources.ts';

/** Live resources of one run: of the run itself and of each agent; created when a tool first asks. */
export class RunResources {
  readonly #runId: RunId;
  readonly #engine: ResourceScope;
  readonly #agents = new Map<AgentId, Resources>();
  /** Agents that have ended: requests of their calls to open resources are refused. */
  readonly #ended = new Set<AgentId>();
  #run: Resources | undefined;
  #isOver = false;

  constructor(runId: RunId, engine: ResourceScope) {
    this.#runId = runId;
    this.#engine = engine;
  }

  /** Returns the scopes that a tool call of an agent may use. */
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

  /** Begins to close the resources of an agent that has ended; undefined when there are none. */
  endAgent(agentId: AgentId): Promise<void> | undefined {
    const things = this.#agents.get(agentId);
    this.#agents.delete(agentId);
    this.#ended.add(agentId);
    return things === undefined ? undefined : closing([things]);
  }

  /** Lets an agent that has ended and works again open resources. */
  restartAgent(agentId: AgentId): void {
    this.#ended.delete(agentId);
  }

  /** Begins to close all resources, since the run is over or its engine leaves it; undefined when there are none. */
  endRun(): Promise<void> | undefined {
    const all = [...this.#agents.values(), ...(this.#run === undefined ? [] : [this.#run])];
    this.#agents.clear();
    this.#run = undefined;
    this.#isOver = true;
    return closing(all);
  }
}

function closing(over: readonly Resources[]): Promise<void> | undefined {
  const full = over.filter((things) => !things.isEmpty);
  // Empty scopes are closed as well: a call that is still running must not open resources in them.
  const closed = over.map((things) => things.closeAll());
  return full.length === 0 ? undefined : Promise.all(closed).then(() => undefined);
}
