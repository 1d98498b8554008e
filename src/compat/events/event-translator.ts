import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { anges } from './anges-events.ts';
import type { Dialect, ForeignEvent } from './dialect.ts';
import { agentFramework } from './framework-events.ts';

export type { ForeignEvent } from './dialect.ts';

const dialects = { agent_framework: agentFramework, anges } as const satisfies Readonly<Record<string, Dialect>>;

/** A system whose names of events ours can be told by. */
export type EventDialect = keyof typeof dialects;

/** The systems whose names of events ours can be told by. */
export const eventDialects = Object.keys(dialects) as readonly EventDialect[];

/** How events are told. */
export interface TranslatorOptions {
  readonly as: EventDialect;
  /** The names that are told; `*` and nothing = all. */
  readonly allow?: readonly string[];
}

/**
 * Makes a function that says the events of a run by the names of another system (A4.4 event-bus, A5 event-types). It is told every
 * event of the run, in order from the first one, and answers each with those it comes to there: none, one, or several. It looks at
 * nothing but what it is told, so a recorded run and a live one sound alike. Throws OPTION_INVALID for names that there are not.
 */
export function eventTranslator({ as, allow }: TranslatorOptions): (event: CadreEvent) => readonly ForeignEvent[] {
  if (!isDialect(as)) throw invalid(`there is no dialect '${String(as)}'; known: ${eventDialects.join(', ')}`);
  const { names, create } = dialects[as];
  const wanted = allow === undefined || allow.includes('*') ? undefined : new Set(allow);
  const unknown = [...(wanted ?? [])].filter((name) => !names.includes(name));
  if (unknown.length > 0) throw invalid(`${as} has no event named ${unknown.join(', ')}; its names: ${names.join(', ')}`);
  const translate = create();
  // What is not told is looked at all the same: later events may be about it.
  return (event) => translate(event).filter((told) => wanted === undefined || wanted.has(told.event));
}

/** Tells whether a word names a system whose names of events are known. */
export function isDialect(word: string): word is EventDialect {
  return Object.hasOwn(dialects, word);
}

function invalid(message: string): CadreError {
  return new CadreError('OPTION_INVALID', message);
}
