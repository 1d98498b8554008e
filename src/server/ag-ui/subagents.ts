import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { AgUiEvent } from './ag-ui-event.ts';

interface Subagent {
  readonly start: EventOf<'agent.start'>;
  /** Number of the invocation: an agent that is restarted gets the next one. */
  readonly iteration: number;
  readonly isWorking: boolean;
  /** True when the client was announced about it in the current AG-UI run. */
  readonly isAnnounced: boolean;
}

/** Agents below the root, shown as subagent invocations that start and finish within each AG-UI run. */
export class Subagents {
  readonly #all = new Map<AgentId, Subagent>();

  /** Records an event and returns what the client must learn from it. */
  note(event: CadreEvent): readonly AgUiEvent[] {
    switch (event.type) {
      case 'agent.start':
        if (event.parentAgentId === undefined) return [];
        this.#all.set(event.agentId, { start: event, iteration: 1, isWorking: true, isAnnounced: false });
        return this.announce(event.agentId);
      case 'agent.restart': {
        const known = this.#all.get(event.agentId);
        if (known === undefined) return [];
        this.#all.set(event.agentId, { ...known, iteration: event.iteration, isWorking: true, isAnnounced: false });
        return this.announce(event.agentId);
      }
      case 'agent.end':
        return this.#end(event);
      default:
        return [];
    }
  }

  /** Returns the id of an agent's current invocation; undefined for the root. */
  idOf(agentId: AgentId): string | undefined {
    const known = this.#all.get(agentId);
    if (known === undefined) return undefined;
    return known.iteration === 1 ? agentId : `${agentId}.${known.iteration}`;
  }

  /** Begins an AG-UI run: announces every working agent again. */
  beginRun(): readonly AgUiEvent[] {
    for (const [id, known] of this.#all) this.#all.set(id, { ...known, isAnnounced: false });
    return [...this.#all].flatMap(([id, { isWorking }]) => (isWorking ? this.announce(id) : []));
  }

  /** Announces an agent, unless the client knows it. */
  announce(agentId: AgentId): readonly AgUiEvent[] {
    const known = this.#all.get(agentId);
    const subagentRunId = this.idOf(agentId);
    if (known === undefined || subagentRunId === undefined || known.isAnnounced) return [];
    this.#all.set(agentId, { ...known, isAnnounced: true });
    const { profile, roleName, parentAgentId, callId } = known.start;
    const parent = parentAgentId === undefined ? undefined : this.#announcedParent(parentAgentId);
    return [
      {
        type: 'SUBAGENT_STARTED',
        subagentRunId,
        name: roleName ?? profile,
        ...(parent === undefined ? {} : { parentSubagentRunId: parent }),
        ...(callId === undefined ? {} : { parentToolCallId: callId }),
      },
    ];
  }

  /** Ends an AG-UI run: marks agents that work on later as suspended. */
  suspend(): readonly AgUiEvent[] {
    const announced = [...this.#all].filter(([, { isAnnounced, isWorking }]) => isAnnounced && isWorking);
    return announced.map(([id]) => ({
      type: 'SUBAGENT_FINISHED',
      subagentRunId: this.idOf(id) ?? id,
      outcome: { type: 'suspended' },
    }));
  }

  #announcedParent(parentId: AgentId): string | undefined {
    return this.#all.get(parentId)?.isAnnounced === true ? this.idOf(parentId) : undefined;
  }

  #end({ agentId, outcome, output, error }: EventOf<'agent.end'>): readonly AgUiEvent[] {
    const known = this.#all.get(agentId);
    const subagentRunId = this.idOf(agentId);
    if (known === undefined || subagentRunId === undefined || !known.isWorking) return [];
    this.#all.set(agentId, { ...known, isWorking: false });
    if (!known.isAnnounced) return [];
    if (error !== undefined) return [{ type: 'SUBAGENT_ERROR', subagentRunId, message: error.message, code: error.code }];
    return [{ type: 'SUBAGENT_FINISHED', subagentRunId, result: { outcome, output }, outcome: { type: 'success' } }];
  }
}
