import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { anges } from './anges-events.ts';
import type { Dialect, ForeignEvent } from './dialect.ts';
import { agentFramework } from './framework-events.ts';

export type { ForeignEvent } from './dialect.ts';

const dialects = { agent_framework: agentFramework, anges } as const satisfies Readonly<Record<string, Dialect>>;

/** Name of a system whose event names are supported. */
export type EventDialect = keyof typeof dialects;

/** Systems whose event names are supported. */
export const eventDialects = Object.keys(dialects) as readonly EventDialect[];

/** Options of a translator. */
export interface TranslatorOptions {
  readonly as: EventDialect;
  /** Names to emit; `*` or no list = all. */
  readonly allow?: readonly string[];
}

/**
 * Creates a function that translates the events of a run to the names of another system (A4.4 event-bus, A5 event-types). Call it
 * with every event of the run, in order, from the first; it returns the translated events: none, one, or several. It depends only
 * on these events, so a recorded run gives the same result as a live one. Throws OPTION_INVALID for unknown names.
 */
export function eventTranslator({ as, allow }: TranslatorOptions): (event: CadreEvent) => readonly ForeignEvent[] {
  if (!isDialect(as)) throw invalid(`there is no dialect '${String(as)}'; known: ${eventDialects.join(', ')}`);
  const { names, create } = dialects[as];
  const wanted = allow === undefined || allow.includes('*') ? undefined : new Set(allow);
  const unknown = [...(wanted ?? [])].filter((name) => !names.includes(name));
  if (unknown.length > 0) throw invalid(`${as} has no event named ${unknown.join(', ')}; its names: ${names.join(', ')}`);
  const translate = create();
  // Translate filtered events as well: later events may depend on them.
  return (event) => translate(event).filter((translated) => wanted === undefined || wanted.has(translated.event));
}

/** True when a word is a supported dialect. */
export function isDialect(word: string): word is EventDialect {
  return Object.hasOwn(dialects, word);
}

function invalid(message: string): CadreError {
  return new CadreError('OPTION_INVALID', message);
}
