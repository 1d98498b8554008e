import type { CadreEvent } from '../../src/core/events/event.ts';
import type { AgentId, CallId, ContentHash, TurnId } from '../../src/core/ids.ts';
import type { ModelDelta } from '../../src/core/model/model.ts';
import type { ProfileFacts } from '../../src/inspect/turn/profile-facts.ts';

/** A piece of a reply, as it streams. */
export interface LiveDelta {
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly delta: ModelDelta;
}

/** How far a tool says it is. */
export interface LiveProgress {
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly fraction: number;
  readonly note: string;
}

/** Where the events come from, at the moment. */
export type Connection =
  | { readonly kind: 'loading' }
  /** Events come as they happen. */
  | { readonly kind: 'live' }
  /** The server does not answer; it is asked again. */
  | { readonly kind: 'lost' }
  /** Nothing more will come: the run has ended, or it is a file. */
  | { readonly kind: 'over' }
  | { readonly kind: 'failed'; readonly message: string };

/** What a source hands over: whole batches of events, in order, each event once. */
export interface RunSink {
  readonly events: (events: readonly CadreEvent[]) => void;
  readonly delta: (delta: LiveDelta) => void;
  readonly progress: (progress: LiveProgress) => void;
  /** Replies under way are told from their beginnings from here on. */
  readonly retold: () => void;
  /** Pieces of replies may be missing from here on. */
  readonly gap: () => void;
  readonly connection: (connection: Connection) => void;
}

/** Where a run is read from: a server, or the file the page came in. */
export interface RunSource {
  /** A server tells of the run, and may be asked to do something with it; else it is a file. */
  readonly isServed: boolean;
  /** Hands over all events and goes on with those that come, until the returned function is called. */
  open(sink: RunSink): () => void;
  /** Texts by their hash; null for one that is not there. */
  contents(hashes: readonly ContentHash[]): Promise<Readonly<Record<string, string | null>>>;
  /** What the views need to know of the run's profiles, by name. */
  profiles(): Promise<ReadonlyMap<string, ProfileFacts>>;
}
