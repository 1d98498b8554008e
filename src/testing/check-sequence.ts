import type { CadreEvent } from '../core/events/event.ts';
import { notesPath } from '../core/events/people-note.ts';
import { Findings, type JournalProblem } from './journal-problem.ts';

/** Events allowed after the end of a run: late results, what a cancelled model call used, notes about them, and a title. */
const afterTheEnd: ReadonlySet<string> = new Set(['tool.late', 'model.reserve', 'note.add', 'run.title']);

/** True for events caused from outside, at which a chain of causes may end. */
function isFromOutside(event: CadreEvent): boolean {
  switch (event.type) {
    case 'run.start':
    case 'run.resume':
    case 'profiles.update':
    case 'clock.jump':
    case 'tool.answer':
      return true;
    case 'inbox.add':
      return (
        event.item.from === undefined &&
        event.item.observerId === undefined &&
        event.item.ruleId === undefined &&
        event.item.source !== 'TOOL_RESULT'
      );
    case 'state.patch':
      return event.by === 'person' && event.patches.every(({ path }) => path[0] === 'team' && path[2] === notesPath);
    case 'state.update':
      return event.by === 'person' && event.path === notesPath;
    case 'agent.end':
      return event.outcome === 'cancelled';
    default:
      return false;
  }
}

/** Checks I4 and the chain of causes: one run, no gaps, every event caused by an earlier one, back to an external event. */
export function checkSequence(events: readonly CadreEvent[]): readonly JournalProblem[] {
  const found = new Findings();
  const [first] = events;
  if (first === undefined) return [{ invariant: 'order', seq: 0, message: 'the journal is empty' }];
  found.at(first);
  found.expect(first.type === 'run.start', 'order', `the first event is ${first.type}, not run.start`);
  let ended = false;
  events.forEach((event, index) => {
    found.at(event);
    found.expect(event.seq === index + 1, 'I4', `event ${index + 1} has the sequence number ${event.seq}`);
    found.expect(event.runId === first.runId, 'order', `it belongs to run ${event.runId}`);
    found.expect(index === 0 || event.type !== 'run.start', 'order', 'a second run.start');
    const { cause } = event;
    if (cause === undefined)
      found.expect(isFromOutside(event), 'cause', `${event.type} has no cause, but does not come from outside`);
    else
      found.expect(
        Number.isInteger(cause) && cause >= 1 && cause < event.seq,
        'cause',
        `${event.type} names ${cause} as its cause, which is not before it`,
      );
    found.expect(!ended || afterTheEnd.has(event.type), 'life', `${event.type} after run.end`);
    if (event.type === 'run.resume')
      found.expect(
        event.downMs === Math.max(0, event.at - (events[index - 1]?.at ?? event.at)),
        'life',
        `the run lay still for ${event.downMs} ms, which is not the time since the event before`,
      );
    if (event.type === 'run.end') ended = true;
  });
  return found.problems;
}
