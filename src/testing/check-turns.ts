import type { CadreEvent, EventOf } from '../core/events/event.ts';
import { Findings, type JournalProblem } from './journal-problem.ts';

interface Turn {
  readonly start: EventOf<'turn.start'>;
  isAnswered: boolean;
  /** An urgent item arrived during the model call. */
  isInterrupted: boolean;
  decide: EventOf<'turn.decide'> | undefined;
}

/**
 * Checks the life of turns: one at a time per agent, each with one model answer and one decision, each ended once. An interrupted
 * turn decides nothing.
 */
export function checkTurns(events: readonly CadreEvent[]): readonly JournalProblem[] {
  const turns = new Turns();
  for (const event of events) turns.follow(event);
  return turns.found.problems;
}

class Turns {
  readonly found = new Findings();
  readonly #open = new Map<string, Turn>();
  readonly #known = new Set<string>();
  /** Id of each agent's open turn. */
  readonly #current = new Map<string, string>();

  follow(event: CadreEvent): void {
    this.found.at(event);
    switch (event.type) {
      case 'turn.start':
        return this.#start(event);
      case 'inbox.add':
        return this.#interrupt(event);
      case 'model.end':
        return this.#answer(event);
      case 'turn.decide':
        return this.#decide(event);
      case 'turn.end':
        return this.#end(event);
      case 'run.end':
        return this.found.expect(this.#open.size === 0, 'I9', `the run ends within ${[...this.#open.keys()].join(', ')}`);
      default:
    }
  }

  #start(event: EventOf<'turn.start'>): void {
    const { turnId, agentId } = event;
    const current = this.#current.get(agentId);
    this.found.expect(!this.#known.has(turnId), 'life', `turn ${turnId} starts a second time`);
    this.found.expect(current === undefined, 'life', `${agentId} starts ${turnId} within ${current ?? ''}`);
    this.#known.add(turnId);
    this.#current.set(agentId, turnId);
    this.#open.set(turnId, { start: event, isAnswered: false, isInterrupted: false, decide: undefined });
  }

  #interrupt({ agentId, item }: EventOf<'inbox.add'>): void {
    const turn = this.#open.get(this.#current.get(agentId) ?? '');
    const isAsking = turn?.start.prompt !== undefined && !turn.isAnswered && turn.start.limit?.stage !== 2;
    if (turn !== undefined && item.delivery === 'now' && isAsking) turn.isInterrupted = true;
  }

  #answer({ turnId, reply, error }: EventOf<'model.end'>): void {
    const turn = this.#open.get(turnId);
    const isInterrupted = turn?.isInterrupted === true;
    this.found.expect(turn !== undefined && !turn.isAnswered, 'life', `an answer for ${turnId}, which waits for none`);
    this.found.expect((reply === undefined) !== (error === undefined), 'life', `${turnId} has neither or both of reply and error`);
    this.found.expect(
      turn === undefined || isInterrupted === (error?.code === 'MODEL_INTERRUPTED'),
      'life',
      `${turnId} ${isInterrupted ? 'was interrupted, and its reply counts' : 'says it was interrupted, and was not'}`,
    );
    if (turn !== undefined) turn.isAnswered = true;
  }

  #decide(event: EventOf<'turn.decide'>): void {
    const { turnId, action } = event;
    const turn = this.#open.get(turnId);
    const isDue = turn?.isAnswered === true && turn.decide === undefined && !turn.isInterrupted;
    this.found.expect(isDue, 'life', `a decision about ${turnId}, which is not due`);
    if (turn !== undefined) turn.decide = event;
    const isLast = turn?.start.limit?.stage === 2;
    this.found.expect(!isLast || action.type === 'limit', 'life', `${turnId} was the last turn, but decides ${action.type}`);
  }

  #end({ turnId, agentId, status, error }: EventOf<'turn.end'>): void {
    const turn = this.#open.get(turnId);
    const isInterrupted = turn?.isInterrupted === true;
    const isWhole = turn?.isAnswered === true && turn.decide !== undefined;
    this.found.expect(turn !== undefined, 'life', `${turnId} ends, but had not started`);
    this.found.expect(status !== 'completed' || isWhole, 'life', `${turnId} is completed without an answer and a decision`);
    this.found.expect(status !== 'error' || error !== undefined, 'I12', `${turnId} ends in an error that is not on record`);
    this.found.expect(
      status === 'cancelled' || (status === 'interrupted') === isInterrupted,
      'life',
      `${turnId} ends ${status}, and was ${isInterrupted ? '' : 'not '}interrupted`,
    );
    this.#open.delete(turnId);
    if (this.#current.get(agentId) === turnId) this.#current.delete(agentId);
  }
}
