import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { AgUiEvent } from './ag-ui-event.ts';

interface Subagent {
  readonly start: EventOf<'agent.start'>;
  /** Which time it works: an agent that is restarted is another invocation. */
  readonly iteration: number;
  readonly isWorking: boolean;
  /** The client was told of it, in the run of the protocol that is under way. */
  readonly isTold: boolean;
}

/** The agents below the root, as invocations that begin and end within each run of the protocol. */
export class Subagents {
  readonly #all = new Map<AgentId, Subagent>();

  /** Takes an event in; answers with what a client is told of it. */
  note(event: CadreEvent): readonly AgUiEvent[] {
    switch (event.type) {
      case 'agent.start':
        if (event.parentAgentId === undefined) return [];
        this.#all.set(event.agentId, { start: event, iteration: 1, isWorking: true, isTold: false });
        return this.tell(event.agentId);
      case 'agent.restart': {
        const known = this.#all.get(event.agentId);
        if (known === undefined) return [];
        this.#all.set(event.agentId, { ...known, iteration: event.iteration, isWorking: true, isTold: false });
        return this.tell(event.agentId);
      }
      case 'agent.end':
        return this.#end(event);
      default:
        return [];
    }
  }

  /** The invocation an agent is at; undefined for the root. */
  idOf(agentId: AgentId): string | undefined {
    const known = this.#all.get(agentId);
    if (known === undefined) return undefined;
    return known.iteration === 1 ? agentId : `${agentId}.${known.iteration}`;
  }

  /** A new run of the protocol begins: who works is told of again. */
  beginRun(): readonly AgUiEvent[] {
    for (const [id, known] of this.#all) this.#all.set(id, { ...known, isTold: false });
    return [...this.#all].flatMap(([id, { isWorking }]) => (isWorking ? this.tell(id) : []));
  }

  /** Tells of an agent, unless the client knows it. */
  tell(agentId: AgentId): readonly AgUiEvent[] {
    const known = this.#all.get(agentId);
    const subagentRunId = this.idOf(agentId);
    if (known === undefined || subagentRunId === undefined || known.isTold) return [];
    this.#all.set(agentId, { ...known, isTold: true });
    const { profile, roleName, parentAgentId, callId } = known.start;
    const parent = parentAgentId === undefined ? undefined : this.#toldParent(parentAgentId);
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

  /** The run of the protocol ends: who goes on working later is on hold. */
  suspend(): readonly AgUiEvent[] {
    const told = [...this.#all].filter(([, { isTold, isWorking }]) => isTold && isWorking);
    return told.map(([id]) => ({
      type: 'SUBAGENT_FINISHED',
      subagentRunId: this.idOf(id) ?? id,
      outcome: { type: 'suspended' },
    }));
  }

  #toldParent(parentId: AgentId): string | undefined {
    return this.#all.get(parentId)?.isTold === true ? this.idOf(parentId) : undefined;
  }

  #end({ agentId, outcome, output, error }: EventOf<'agent.end'>): readonly AgUiEvent[] {
    const known = this.#all.get(agentId);
    const subagentRunId = this.idOf(agentId);
    if (known === undefined || subagentRunId === undefined || !known.isWorking) return [];
    this.#all.set(agentId, { ...known, isWorking: false });
    if (!known.isTold) return [];
    if (error !== undefined) return [{ type: 'SUBAGENT_ERROR', subagentRunId, message: error.message, code: error.code }];
    return [{ type: 'SUBAGENT_FINISHED', subagentRunId, result: { outcome, output }, outcome: { type: 'success' } }];
  }
}
