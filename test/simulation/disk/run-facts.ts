import type { CadreEvent } from '../../../src/core/event.ts';

/** What the journal of one run says, kept up to date commit by commit: asked whenever something happens outside. */
export class RunFacts {
  readonly turns = new Set<string>();
  readonly answeredTurns = new Set<string>();
  /** The latest attempt of each call that was put on the record. */
  readonly attempts = new Map<string, number>();
  readonly endedCalls = new Set<string>();
  readonly verdicts = new Map<string, string>();
  readonly items = new Set<string>();
  readonly endedAgents = new Set<string>();
  /** Agents whose checkpoint a person answered. */
  readonly spokenTo = new Set<string>();
  /** The marks of modules and notes that people made. */
  readonly edits = new Set<string>();
  isOver = false;

  /** Takes in the events of one commit. */
  add(events: readonly CadreEvent[]): void {
    for (const event of events) this.#take(event);
  }

  #take(event: CadreEvent): void {
    switch (event.type) {
      case 'turn.start':
        this.turns.add(event.turnId);
        break;
      case 'model.end':
        this.answeredTurns.add(event.turnId);
        break;
      case 'tool.start':
        this.attempts.set(event.callId, event.attempt);
        break;
      case 'tool.end':
        this.endedCalls.add(event.callId);
        break;
      case 'tool.answer':
        this.verdicts.set(event.callId, event.verdict);
        break;
      case 'inbox.add':
        this.items.add(event.item.itemId);
        if (event.item.source === 'HUMAN_ANSWER') this.spokenTo.add(event.agentId);
        break;
      case 'agent.end':
        this.endedAgents.add(event.agentId);
        break;
      case 'module.update':
        this.edits.add(event.patch.name ?? '');
        break;
      case 'state.update':
        for (const mark of (JSON.stringify(event.value) ?? '').match(/«\w\d+»/g) ?? []) this.edits.add(mark);
        break;
      case 'run.end':
        this.isOver = true;
        break;
      default:
    }
  }
}
