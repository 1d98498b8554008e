import type { RunId } from '../ids.ts';
import { recordOf } from '../schema/records.ts';
import type { RecordOf, Schema, SchemaFields } from '../schema/schema.ts';
import { agentId, callId, turnId } from './common-parts.ts';
import { optional } from '../schema/records.ts';

/** Place of an event in the journal. */
export interface EventPlace {
  readonly runId: RunId;
  /** 1 for a run's first event, without gaps. */
  readonly seq: number;
  /** Wall time in milliseconds since 1970. */
  readonly at: number;
  /** Sequence number of the event that caused this one; absent for input from outside. */
  readonly cause?: number;
}

/** Ids of an event that usually repeat those of the event before it. */
export type PlaceId = 'agentId' | 'turnId' | 'callId';

/** Ids that an event names, and which of them the stored form guesses from the events before. */
export interface EventSubject<Ids extends SchemaFields> {
  readonly fields: Ids;
  readonly guessed: readonly PlaceId[];
}

/** Subjects of events: the run as a whole, an agent, a turn, a call. */
export const ofRun = { fields: {}, guessed: [] } satisfies EventSubject<SchemaFields>;
export const ofAgent = { fields: { agentId }, guessed: ['agentId'] } satisfies EventSubject<SchemaFields>;
export const ofTurn = { fields: { agentId, turnId }, guessed: ['agentId', 'turnId'] } satisfies EventSubject<SchemaFields>;
export const ofCall = {
  fields: { agentId, turnId, callId },
  guessed: ['agentId', 'turnId', 'callId'],
} satisfies EventSubject<SchemaFields>;
/** A turn, where the event belongs to one. */
export const ofAnyTurn = {
  fields: { agentId: optional(agentId), turnId: optional(turnId) },
  guessed: ['agentId', 'turnId'],
} satisfies EventSubject<SchemaFields>;

/**
 * Definition of an event type: its type in TypeScript, the check of rows and bundles, the stored form, its schema in the HTTP API, and
 * its sentence in views all derive from it.
 */
export interface EventDefinition<Type extends string = string, Fields extends SchemaFields = SchemaFields> {
  readonly type: Type;
  /** What the event records, in a sentence. */
  readonly about: string;
  /** Replaces the type in stored commits. Part of the file layout, as are the short keys of the fields. */
  readonly code: string;
  readonly guessed: readonly PlaceId[];
  readonly schema: Schema<RecordOf<Fields>>;
  /** Describes one event in a short sentence; the text is untrusted. */
  describe(event: EventPlace & { readonly type: Type } & RecordOf<Fields>): string;
}

/** The content of an event, before it has a place in the journal. */
export type DraftOf<Definition> =
  Definition extends EventDefinition<infer Type, infer Fields> ? Flat<{ readonly type: Type } & RecordOf<Fields>> : never;

/** Intersections as one object type, which editors show field by field. */
type Flat<T> = { [Key in keyof T]: T[Key] };

/** Defines an event type. `keys` are the short keys of its stored fields; a field without one keeps its name. */
export function defineEvent<const Type extends string, Ids extends SchemaFields, Fields extends SchemaFields>(
  type: Type,
  parts: {
    readonly about: string;
    readonly code: string;
    readonly subject: EventSubject<Ids>;
    readonly fields: Fields;
    readonly keys?: { readonly [Key in keyof Fields]?: string };
    readonly describe: (event: EventPlace & RecordOf<Ids & Fields>) => string;
  },
): EventDefinition<Type, Ids & Fields> {
  const { about, code, subject, fields, keys, describe } = parts;
  const schema = recordOf({ ...subject.fields, ...fields }, { ...keys } as Readonly<Record<string, string>>);
  return { type, about, code, guessed: subject.guessed, schema: schema as Schema<RecordOf<Ids & Fields>>, describe };
}
