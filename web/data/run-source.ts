import type { CadreEvent } from '../../src/core/events/event.ts';
import type { AgentId, CallId, ContentHash, TurnId } from '../../src/core/ids.ts';
import type { ModelDelta } from '../../src/core/model/model.ts';
import type { RequestCard } from '../../src/inspect/requests/request-card.ts';
import type { ProfileFacts } from '../../src/inspect/turn/profile-facts.ts';

/** Part of a reply, as it streams. */
export interface LiveDelta {
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly delta: ModelDelta;
}

/** Progress of a tool. */
export interface LiveProgress {
  readonly agentId: AgentId;
  readonly turnId: TurnId;
  readonly callId: CallId;
  readonly fraction: number;
  readonly note: string;
}

/** Connection to the source of the events. */
export type Connection =
  | { readonly kind: 'loading' }
  /** Events arrive as they happen. */
  | { readonly kind: 'live' }
  /** The server does not answer; the page retries. */
  | { readonly kind: 'lost' }
  /** No more events will come: the run has ended, or it is a file. */
  | { readonly kind: 'over' }
  | { readonly kind: 'failed'; readonly message: string };

/** Receiver of a source's events: whole batches, in order, each event once. */
export interface RunSink {
  readonly events: (events: readonly CadreEvent[]) => void;
  readonly delta: (delta: LiveDelta) => void;
  readonly progress: (progress: LiveProgress) => void;
  /** Replies in progress are sent from their beginning from here on. */
  readonly restart: () => void;
  /** Deltas of replies may be missing from here on. */
  readonly gap: () => void;
  readonly connection: (connection: Connection) => void;
}

/** Source of a run: a server, or the file of the page. */
export interface RunSource {
  /** True for a server, which may also accept actions; false for a file. */
  readonly isServed: boolean;
  /** Sends all events, then new ones, until the returned function is called. */
  open(sink: RunSink): () => void;
  /** Returns texts by hash; null for a missing one. */
  contents(hashes: readonly ContentHash[]): Promise<Readonly<Record<string, string | null>>>;
  /** Returns the cards of all pending requests, with their changes to files; absent in a file. */
  readonly cards?: () => Promise<readonly RequestCard[]>;
  /** Returns the facts that views need about the run's profiles, by name. */
  profiles(): Promise<ReadonlyMap<string, ProfileFacts>>;
}
