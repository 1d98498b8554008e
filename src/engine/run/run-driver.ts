import type { CadreError } from '../../core/error.ts';
import type { AgentId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Subscribers } from '../subscribers.ts';
import type { UnwrittenEvents } from './commit-batch.ts';
import type { Input } from './input.ts';

/** What advances one run: an actor of this process (`RunActor`), or engines elsewhere (`RemoteRun`). */
export interface RunDriver {
  readonly state: RunContext;
  /** Set when the run cannot go on in this process. */
  readonly halted: CadreError | undefined;
  /** True when the journal holds the run's end. */
  readonly isOver: boolean;
  readonly subscribers: Subscribers;
  /** Commits the start of a run together with the decision on its first input. */
  begin(prefix: UnwrittenEvents, input: Input): Promise<void>;
  /** Submits an input; resolves once its decision is committed. */
  submit(input: Input): Promise<void>;
  /** Submits an input without waiting for its commit. */
  readonly tell: (input: Input) => void;
  /** Cancels the named agent or module, by default the run; resolves when their effects have stopped, or the grace period is over. */
  cancel(reason: string, what?: { readonly agentId?: AgentId; readonly moduleId?: string }): Promise<void>;
  /** Resolves when no effect runs and no input waits. */
  whenIdle(): Promise<void>;
  /** Resolves when no more results can come. */
  whenDetachedSettled(): Promise<void>;
  /** Leaves the run, which can be resumed; running tools get `drainMs` to end. */
  suspend(drainMs: number): Promise<void>;
}
