import { actors } from '../../core/by.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { Run } from '../../engine/run.ts';
import type { PersonStep } from '../cases/test-case.ts';

/** What a test scripts is no person's. */
const by = { by: actors.test };

/** Returns the id of the item that a step posts, so that a step that is taken again posts nothing. */
function itemIdOf(index: number): string {
  return `person_step_${index + 1}`;
}

/** Takes a step of a person; false when the run does not wait for it. */
export async function takeStep(run: Run, { say, approve, reject, answer }: PersonStep, index: number): Promise<boolean> {
  const { pending } = run;
  const approvals = pending.filter(({ kind }) => kind === 'approval').map(({ id }) => id);
  const question = pending.find(({ kind }) => kind !== 'approval');
  if (approve === true || reject !== undefined) {
    if (approvals.length === 0) return false;
    if (approve === true) await run.approve(approvals, by);
    else await run.reject(approvals, { message: reject ?? '', ...by });
  } else if (answer !== undefined) {
    if (question === undefined) return false;
    await run.answer(question.id, answer, by);
  } else {
    const item = typeof say === 'string' ? say : { source: 'USER_PROMPT', payload: say ?? {} };
    await run.send(item, { itemId: itemIdOf(index), ...by });
  }
  return true;
}

/** Returns how many steps of a person a journal shows: messages by their ids, and decisions, those between two turns as one. */
export function stepsTaken(events: readonly CadreEvent[], steps: readonly PersonStep[]): number {
  const says = new Set(steps.flatMap(({ say }, index) => (say === undefined ? [] : [itemIdOf(index)])));
  let taken = 0;
  let isDecided = false;
  for (const event of events) {
    if (event.type === 'turn.start') isDecided = false;
    else if (event.type === 'inbox.add' && says.has(event.item.itemId)) taken += 1;
    else if (isDecision(event) && !isDecided) {
      isDecided = true;
      taken += 1;
    }
  }
  return Math.min(taken, steps.length);
}

/** True for a verdict of a person, and for the answer at a checkpoint, which is an item. */
function isDecision(event: CadreEvent): boolean {
  if (event.type === 'tool.answer') return event.expired !== true && event.standing === undefined;
  return event.type === 'inbox.add' && event.item.source === 'HUMAN_ANSWER';
}
