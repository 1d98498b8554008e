import type { CadreEvent } from '../../../src/core/events/event.ts';
import type { RunId } from '../../../src/core/ids.ts';

/** Facts of one run in its journal, updated by each commit and queried at every event outside. */
export class RunFacts {
  readonly turns = new Set<string>();
  readonly answeredTurns = new Set<string>();
  /** The latest attempt of each call that was put on the record. */
  readonly attempts = new Map<string, number>();
  /** Attempts allowed although the call ran before: a check or a person established that it had not happened. */
  readonly again = new Map<string, number>();
  readonly #absolved = new Set<string>();
  /** The profile files each turn comes from, by content hash. */
  readonly filesOfTurns = new Map<string, string>();
  #files = '';
  /** The tools of calls that were put on the record. */
  readonly names = new Map<string, string>();
  readonly endedCalls = new Set<string>();
  /** Verdicts on each call: several when it was asked about again. */
  readonly verdicts = new Map<string, Set<string>>();
  readonly items = new Set<string>();
  readonly endedAgents = new Set<string>();
  /** Agents whose checkpoint a person answered. */
  readonly spokenTo = new Set<string>();
  /** The marks of modules and notes that people made. */
  readonly edits = new Set<string>();
  hasBegun = false;
  /** The run whose history it began with. */
  parent: RunId | undefined;
  isOver = false;

  /** Takes in the events of one commit. */
  add(events: readonly CadreEvent[]): void {
    this.hasBegun = true;
    for (const event of events) this.#take(event);
  }

  #take(event: CadreEvent): void {
    switch (event.type) {
      case 'run.start':
        this.parent = event.parentRun?.runId;
        this.#files = event.profiles;
        break;
      case 'profiles.update':
      case 'run.resume':
        this.#files = event.profiles ?? this.#files;
        break;
      case 'turn.start':
        this.turns.add(event.turnId);
        this.filesOfTurns.set(event.turnId, this.#files);
        break;
      case 'model.end':
        this.answeredTurns.add(event.turnId);
        break;
      case 'tool.request':
        this.names.set(event.callId, event.name);
        break;
      case 'tool.start':
        this.attempts.set(event.callId, event.attempt);
        if (this.#absolved.delete(event.callId)) this.again.set(event.callId, event.attempt);
        break;
      case 'tool.verify':
        if (event.answer === 'not_happened') this.#absolved.add(event.callId);
        break;
      case 'tool.end':
        this.endedCalls.add(event.callId);
        break;
      case 'tool.answer':
        this.verdicts.set(event.callId, (this.verdicts.get(event.callId) ?? new Set()).add(event.verdict));
        if (event.value === 'not_happened') this.#absolved.add(event.callId);
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
      case 'state.patch':
        for (const mark of JSON.stringify(event.patches).match(/«\w\d+»/g) ?? []) this.edits.add(mark);
        break;
      case 'run.end':
        this.isOver = true;
        break;
      default:
    }
  }
}
