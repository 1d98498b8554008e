import type { PeopleNote } from '../core/events/people-note.ts';
import type { LimitOptions } from './limit-options.ts';
import type { ForkEdit } from './launch/fork-edit.ts';
import type { RunSubscriber } from './subscribers.ts';
import type { ByOption } from './input/read-by.ts';
import type { ExternalMessage } from './input/external-item.ts';

/** Profile, input and title of a run to launch. */
export interface LaunchRequest {
  readonly profile: string;
  /** Text, content parts, or a whole USER_PROMPT payload. */
  readonly input: unknown;
  readonly title?: string;
  /** Your own id for the run, such as one that tells a repeated launch from a new one. Refused when the run exists. */
  readonly runId?: string;
  /** Hash of the request the run answers; recorded in `run.start` to tell a repeated request from another one under the same id. */
  readonly requestHash?: string;
}

/** Options of a launch. */
export interface LaunchOptions extends ByOption {
  /** Aborting it cancels the run. */
  readonly signal?: AbortSignal;
  readonly limits?: LimitOptions;
  /** Values for tools, in `context.context`; never journaled. */
  readonly context?: Readonly<Record<string, unknown>>;
  /**
   * Values of the request the run answers, by name: the root `request` of conditions and texts, `${NAME}` in texts and settings of tools,
   * and `context.request` of tools. Recorded, so they must not be credentials.
   */
  readonly request?: Readonly<Record<string, unknown>>;
  /** Notes added to every prompt of the run; a segment with the ingestor `notes` shows them. */
  readonly notes?: readonly PeopleNote[];
  /** Folder for the run's tools instead of the default one; recorded, so that a resumed run works there, too. */
  readonly workspace?: string;
  /** LLM config used instead of every profile's own. */
  readonly llmConfig?: string;
  /** Subscribes like `run.subscribe`, from the first event on: a model that answers immediately may have spoken when `launch` returns. */
  readonly subscriber?: RunSubscriber;
}

/** Options of a resumption. */
export interface ResumeOptions extends Omit<
  LaunchOptions,
  'llmConfig' | 'limits' | 'workspace' | 'request' | 'notes' | 'subscriber'
> {
  /** `recorded`, the default: the profiles the run used before. `current`: those this engine launches runs with now. */
  readonly profiles?: ProfileChoice;
  /**
   * True to wait when another process has the run and cannot be observed from here (another host, another container), until it is known
   * whether it is gone: at most the expiry of its lease (30 s). False by default for `resume`, true for `recover`.
   */
  readonly waitForHolder?: boolean;
}

/** Options of a fork: where it leaves the original run, and its first message. */
export interface ForkOptions extends Omit<LaunchOptions, 'request' | 'notes'> {
  /** A sequence number, rounded down to the end of a turn; the end of the run when absent. */
  readonly at?: number;
  /** A turn that the fork takes again, instead of `at`: its history ends before it, and what it read waits there. */
  readonly before?: string;
  /**
   * `recorded`, the default: the profiles the run used there. `current`: those this engine launches runs with now.
   */
  readonly profiles?: ProfileChoice;
  /** What a person changed before the fork goes on. Without `at` and `before`, it begins before the turn that read an edited item. */
  readonly edits?: readonly ForkEdit[];
  /** Turns after the fork point that take the answer recorded in the original instead of calling a model, as long as this engine runs it. */
  readonly recordedAnswers?: readonly string[];
  /** Your own id for the fork. Refused when the run exists. */
  readonly runId?: string;
  /** First message of the fork: its root agent reads it before it does anything else. */
  readonly message?: ExternalMessage;
}

/** Profiles that a run goes on with: those recorded in its journal, or the ones the engine was created with. */
export type ProfileChoice = 'recorded' | 'current';
