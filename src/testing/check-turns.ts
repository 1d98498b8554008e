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
  const found = new Findings();
  const open = new Map<string, Turn>();
  const known = new Set<string>();
  const current = new Map<string, string>();
  for (const event of events) {
    switch (event.type) {
      case 'turn.start':
        found.expect(!known.has(event.turnId), 'life', event, `turn ${event.turnId} starts a second time`);
        found.expect(
          !current.has(event.agentId),
          'life',
          event,
          `${event.agentId} starts ${event.turnId} within ${current.get(event.agentId) ?? ''}`,
        );
        known.add(event.turnId);
        current.set(event.agentId, event.turnId);
        open.set(event.turnId, { start: event, isAnswered: false, isInterrupted: false, decide: undefined });
        break;
      case 'inbox.add': {
        const turn = open.get(current.get(event.agentId) ?? '');
        const isAsking = turn?.start.prompt !== undefined && !turn.isAnswered && turn.start.limit?.stage !== 2;
        if (turn !== undefined && event.item.delivery === 'now' && isAsking) turn.isInterrupted = true;
        break;
      }
      case 'model.end': {
        const turn = open.get(event.turnId);
        found.expect(turn !== undefined && !turn.isAnswered, 'life', event, `an answer for ${event.turnId}, which waits for none`);
        found.expect(
          (event.reply === undefined) !== (event.error === undefined),
          'life',
          event,
          `${event.turnId} has neither or both of reply and error`,
        );
        found.expect(
          turn === undefined || turn.isInterrupted === (event.error?.code === 'MODEL_INTERRUPTED'),
          'life',
          event,
          `${event.turnId} ${turn?.isInterrupted === true ? 'was interrupted, and its reply counts' : 'says it was interrupted, and was not'}`,
        );
        if (turn !== undefined) turn.isAnswered = true;
        break;
      }
      case 'turn.decide': {
        const turn = open.get(event.turnId);
        found.expect(
          turn?.isAnswered === true && turn.decide === undefined && !turn.isInterrupted,
          'life',
          event,
          `a decision about ${event.turnId}, which is not due`,
        );
        if (turn !== undefined) turn.decide = event;
        const isLast = turn?.start.limit?.stage === 2;
        found.expect(
          !isLast || event.action.type === 'limit',
          'life',
          event,
          `${event.turnId} was the last turn, but decides ${event.action.type}`,
        );
        break;
      }
      case 'turn.end': {
        const turn = open.get(event.turnId);
        found.expect(turn !== undefined, 'life', event, `${event.turnId} ends, but was not under way`);
        const isWhole = turn?.isAnswered === true && turn.decide !== undefined;
        found.expect(
          event.status !== 'completed' || isWhole,
          'life',
          event,
          `${event.turnId} is completed without an answer and a decision`,
        );
        found.expect(
          event.status !== 'error' || event.error !== undefined,
          'I12',
          event,
          `${event.turnId} ends in an error that is not on record`,
        );
        found.expect(
          event.status === 'cancelled' || (event.status === 'interrupted') === (turn?.isInterrupted === true),
          'life',
          event,
          `${event.turnId} ends ${event.status}, and was ${turn?.isInterrupted === true ? '' : 'not '}interrupted`,
        );
        open.delete(event.turnId);
        if (current.get(event.agentId) === event.turnId) current.delete(event.agentId);
        break;
      }
      case 'run.end':
        found.expect(open.size === 0, 'I9', event, `the run ends within ${[...open.keys()].join(', ')}`);
        break;
      default:
    }
  }
  return found.problems;
}
