declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Identifies one run; made at the edge, from nanoid. */
export type RunId = Branded<'RunId'>;
/** Identifies one agent of a run, e.g. `Principal_2`; derived from a counter in state. */
export type AgentId = Branded<'AgentId'>;
/** Identifies one turn, e.g. `Principal_2.t7`; derived from a counter in state. */
export type TurnId = Branded<'TurnId'>;
/** The engine's own tool call id: nine letters and digits, unique in its run, valid for every provider. */
export type CallId = Branded<'CallId'>;
/** Identifies one inbox item. */
export type ItemId = Branded<'ItemId'>;
/** The address of a text in the content store: the start of its SHA-256, base64url. */
export type ContentHash = Branded<'ContentHash'>;

/** What every stored id must look like; anything else is refused before it reaches a store. Files and folders are called by ids: `.` and `..` are none. */
export const idPattern = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,100}$/;

/** Makes ids for what comes from outside the run: runs and posted items. */
export interface Ids {
  runId(): RunId;
  itemId(): ItemId;
  /** The seed of a run's frames: what the outside cannot guess (`frame-untrusted.ts`), random when absent. No tool gets it. */
  frameSeed?(): string;
}
