import type { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { Effect } from '../../core/events/transaction.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Input } from '../run/input.ts';
import type { Subscribers } from '../subscribers.ts';

/** Links from the effects of a run to the run. */
export interface EffectLinks {
  readonly subscribers: Subscribers;
  readonly tell: (input: Input) => void;
  readonly halt: (error: CadreError) => void;
  readonly onIdle: () => void;
  /** True when others decide for the run: its deadlines are theirs, too. */
  readonly isFollowing?: true;
}

/** Effects of one run, as the run sees them: carried out in this process (`Effects`), or handed on (`CollectedEffects`). */
export interface RunEffects {
  /** Number of effects that run, and of resources that close. */
  readonly size: number;
  /** Starts an effect that a commit made due. */
  start(run: RunContext, effect: Effect): void;
  /** Follows a commit. */
  noteCommit(run: RunContext, events: readonly CadreEvent[]): void;
  /** Returns a jump of the wall clock, which shows `now`, as an input, once. */
  clockJump(run: RunContext, now: number): Input | undefined;
  abortAll(error: CadreError): void;
  /** Leaves the run, since its engine closes; running tools get `ms` milliseconds to end. */
  leave(error: CadreError, ms: number): Promise<void>;
  drain(): Promise<void>;
  whenDetachedSettled(): Promise<void>;
}
