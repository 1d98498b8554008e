import type { PeopleNote } from '../core/events/people-note.ts';
import type { LimitOptions } from './limit-options.ts';
import type { RunSubscriber } from './subscribers.ts';
import type { ExternalMessage } from './input/external-item.ts';

/** What to start. */
export interface LaunchRequest {
  readonly profile: string;
  /** Text, content parts, or a whole USER_PROMPT payload. */
  readonly input: unknown;
  readonly title?: string;
  /** An id of your own for the run, such as one that tells a launch that is repeated from a new one. Refused when there is such a run. */
  readonly runId?: string;
  /** Hash of the request the run answers; on record in `run.start`, so that a repeated request is told from another one under the same id. */
  readonly requestHash?: string;
}

/** How to run it. */
export interface LaunchOptions {
  /** Aborting it cancels the run. */
  readonly signal?: AbortSignal;
  readonly limits?: LimitOptions;
  /** Values for tools, in `context.context`; never journaled. */
  readonly context?: Readonly<Record<string, unknown>>;
  /**
   * The values of the request the run answers, by name: the root `request` of conditions and texts, `${NAME}` in texts and settings of tools,
   * and `context.request` of tools. On record, and so no place for credentials.
   */
  readonly request?: Readonly<Record<string, unknown>>;
  /** What agents are to know always, beside their profiles; a segment with the ingestor `notes` shows it. */
  readonly notes?: readonly PeopleNote[];
  /** The folder the run's tools work in, instead of one of its own; on record, so that a resumed run works there, too. */
  readonly workspace?: string;
  /** An LLM config used instead of every profile's own. */
  readonly llmConfig?: string;
  /** Watches the run as `run.subscribe` does, from its first event on: a model that answers at once may have spoken when `launch` returns. */
  readonly subscriber?: RunSubscriber;
}

/** How to go on with a run. */
export interface ResumeOptions extends Omit<
  LaunchOptions,
  'llmConfig' | 'limits' | 'workspace' | 'request' | 'notes' | 'subscriber'
> {
  /** `recorded`, the default: the profiles the run went by. `current`: those this engine was created with. */
  readonly profiles?: ProfileChoice;
  /**
   * When another process has the run and cannot be looked at from here (another host, another container), waits until it is known whether it
   * is gone: at most the expiry of its lease (30 s). `resume` does not wait unless told to, `recover` does unless told not to.
   */
  readonly waitForHolder?: boolean;
}

/** Where a fork leaves the run it is made from, and what is said to it. */
export interface ForkOptions extends Omit<LaunchOptions, 'request' | 'notes'> {
  /** A sequence number, rounded down to the end of a turn; the end of the run when absent. */
  readonly at?: number;
  /** An id of your own for the fork. Refused when there is such a run. */
  readonly runId?: string;
  /** What the fork goes on with: its root agent reads it before it does anything else. */
  readonly message?: ExternalMessage;
}

/** Which profiles a run goes on with: those recorded in its journal, or the ones the engine was created with. */
export type ProfileChoice = 'recorded' | 'current';
