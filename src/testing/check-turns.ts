import type { CadreEvent, EventOf } from '../core/event.ts';
import { Findings, type JournalProblem } from './journal-problem.ts';

interface Turn {
  readonly start: EventOf<'turn.start'>;
  isAnswered: boolean;
  decide: EventOf<'turn.decide'> | undefined;
}

/** The life of turns: one at a time per agent, each with one answer of its model and one decision, each of them ended once. */
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
        open.set(event.turnId, { start: event, isAnswered: false, decide: undefined });
        break;
      case 'model.end': {
        const turn = open.get(event.turnId);
        found.expect(turn !== undefined && !turn.isAnswered, 'life', event, `an answer for ${event.turnId}, which waits for none`);
        found.expect(
          (event.reply === undefined) !== (event.error === undefined),
          'life',
          event,
          `${event.turnId} has neither or both of reply and error`,
        );
        if (turn !== undefined) turn.isAnswered = true;
        break;
      }
      case 'turn.decide': {
        const turn = open.get(event.turnId);
        found.expect(
          turn?.isAnswered === true && turn.decide === undefined,
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
