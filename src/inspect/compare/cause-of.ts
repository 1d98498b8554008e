import type { Differing } from '../rerender/compare-turn.ts';
import type { ChangedText } from '../rerender/rerendered-turn.ts';
import type { RecordedTurn } from './recorded-turns.ts';
import type { ComparedPart, DifferenceCause } from './run-comparison.ts';

/** What is known of the two turns and their runs. */
export interface TwoSides {
  readonly before: RecordedTurn | undefined;
  readonly after: RecordedTurn | undefined;
  readonly profilesDiffer: boolean;
  readonly inputDiffers: boolean;
}

/** A cause, and what it is in words. */
export interface Cause {
  readonly cause: DifferenceCause;
  readonly detail: string;
}

/** Says where the first difference of two runs came from: everything before it is the same, so the differing part itself shows it. */
export function causeOf(part: ComparedPart, difference: Differing, sides: TwoSides): Cause {
  switch (part) {
    case 'start':
      return causeOfAbsence(sides);
    case 'system prompt':
      return causeOfSegment(difference.systemPrompt?.[0], sides);
    case 'messages':
      return causeOfMessage(difference.messages?.[0], sides);
    case 'clock':
      return { cause: 'clock', detail: 'the turns are the same but for dates and times' };
    case 'model':
      return { cause: 'model', detail: `${sides.before?.figures.model ?? 'none'} → ${sides.after?.figures.model ?? 'none'}` };
    case 'reply':
      return { cause: 'model reply', detail: 'the same prompt got another reply' };
    case 'results': {
      const name = sides.before?.results.find((result, index) => result.text !== sides.after?.results[index]?.text)?.name ?? '';
      return { cause: 'tool result', detail: `the same call of ${name} ended otherwise` };
    }
    case 'history':
    case 'tools':
    case 'tool choice':
    case 'observers':
    case 'items':
    case 'state':
    case 'decision':
    case 'gates':
      return ofProfile(part, sides);
  }
}

function causeOfAbsence({ before, after }: TwoSides): Cause {
  const only = before === undefined ? 'the second' : 'the first';
  return {
    cause: 'length',
    detail: `${(before ?? after)?.turnId ?? 'the turn'} is in ${only} run only: the other one ended, waits, or began another agent`,
  };
}

/** The same reply, judged otherwise: by other profiles, or on other state. */
function ofProfile(part: ComparedPart, { profilesDiffer }: TwoSides): Cause {
  return profilesDiffer
    ? { cause: 'profile text', detail: `the runs have different profiles, and their ${part} differ first` }
    : {
        cause: 'state',
        detail: `the profiles are the same, and the ${part} differ: state, request or settings of the runs differ`,
      };
}

function causeOfSegment(segment: ChangedText | undefined, sides: TwoSides): Cause {
  const name = segment?.name ?? '';
  if (sides.profilesDiffer) return { cause: 'profile text', detail: `segment ${name} is written differently` };
  return { cause: 'state', detail: `the profiles are the same, and segment ${name} shows another state` };
}

const people: ReadonlySet<string> = new Set([
  'USER_PROMPT',
  'HUMAN_ANSWER',
  'WORK_MODULES_EDITED',
  'PROFILES_UPDATED_NOTIFICATION',
]);
function causeOfMessage(message: ChangedText | undefined, sides: TwoSides): Cause {
  const { name = '', kind = '' } = message ?? {};
  const item =
    sides.after?.turn.items.find((each) => each?.source === name) ?? sides.before?.turn.items.find((each) => each?.source === name);
  if (name === 'USER_PROMPT' && sides.inputDiffers) return { cause: 'input', detail: 'the runs began with different inputs' };
  if (kind.includes('→') && sides.profilesDiffer)
    return { cause: 'profile text', detail: `${name} goes through another ingestor: ${kind}` };
  if (name === 'TOOL_RESULT') return { cause: 'tool result', detail: 'a tool returned something else' };
  if (item?.observerId !== undefined || item?.ruleId !== undefined) return ofProfile('messages', sides);
  if (item?.from !== undefined) return { cause: 'another agent', detail: `${name} says something else` };
  if (people.has(name)) return { cause: 'person', detail: `${name}: a person wrote something else, or at another time` };
  return { cause: 'input', detail: `${name} came from outside, or did not` };
}
