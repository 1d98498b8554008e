import type { Writable } from '../json.ts';
import type { Schema, Problem } from '../schema/schema.ts';
import * as agentEvents from './agent-events.ts';
import * as contextEvents from './context-events.ts';
import type { DraftOf, EventDefinition, EventPlace } from './define-event.ts';
import * as runEvents from './run-events.ts';
import * as teamEvents from './team-events.ts';
import * as toolEvents from './tool-events.ts';
import * as turnEvents from './turn-events.ts';
import { optional, record } from '../schema/records.ts';
import { count, oneOf, time } from '../schema/values.ts';
import { runId } from './common-parts.ts';

export type { EventPlace } from './define-event.ts';

const eventFiles = { ...runEvents, ...agentEvents, ...turnEvents, ...toolEvents, ...contextEvents, ...teamEvents };

/** Every exported definition of the event files. */
type Definition = Extract<(typeof eventFiles)[keyof typeof eventFiles], { readonly schema: unknown; readonly code: string }>;

/** The content of an event, before it has a place in the journal. */
export type EventDraft = {
  [Type in Definition['type']]: DraftOf<Extract<Definition, { readonly type: Type }>>;
}[Definition['type']];

/** One entry of a run's journal: the closed union of all events. */
export type CadreEvent = EventDraft & EventPlace;

/** Name of an event type. */
export type EventType = CadreEvent['type'];

/** The event of one type. */
export type EventOf<Type extends EventType> = Extract<CadreEvent, { readonly type: Type }>;

/** A definition as readers of all types see it. */
interface AnyDefinition extends Omit<EventDefinition, 'describe' | 'schema'> {
  readonly schema: Schema;
  describe(event: CadreEvent): string;
}

/** The definitions of all event types, by type. */
export const eventDefinitions: ReadonlyMap<string, AnyDefinition> = new Map(
  Object.values(eventFiles)
    .filter((each): each is Definition => typeof each === 'object')
    .map((each) => [each.type, each]),
);

/** Describes an event in one short sentence; the text is untrusted. */
export function describeEvent(event: CadreEvent): string {
  return eventDefinitions.get(event.type)?.describe(event) ?? event.type;
}

/**
 * Placeholder for the place of an event in the making. The events of every turn name these fields in their literals, and
 * `Transaction.emit` fills them in: adding fields later costs an extra object each time. `at` is no number yet, so that V8 keeps the one
 * number of the transaction in all of its events instead of a copy in each.
 */
export const emptyPlace: Required<EventPlace> = {
  runId: '' as EventPlace['runId'],
  seq: 0,
  at: undefined as unknown as number,
  cause: 0,
};

/** Draft of an event with room for its place. */
export type PlaceableDraft<Draft> = Writable<Draft & typeof emptyPlace>;

const place = record<EventPlace & { readonly type: string }>({
  type: oneOf(...eventDefinitions.keys()),
  runId,
  seq: count,
  at: time,
  cause: optional(count),
});

/** Checks an event from outside, of any type; returns its first fault. */
export function checkEvent(event: unknown): Problem | undefined {
  const problem = place.check(event);
  if (problem !== undefined) return problem;
  const { type } = event as { readonly type: string };
  return eventDefinitions.get(type)?.schema.check(event);
}
