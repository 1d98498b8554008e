import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Transaction } from '../../core/events/transaction.ts';

/** Result of a node: the name of the edge to follow. */
export type Action = string;

/** Dependencies of a node that executes: everything that may wait or fail. */
export interface ExecPorts {
  readonly run: RunContext;
  readonly agent: SubContext;
  readonly signal: AbortSignal;
}

/**
 * One step of a flow, in three parts.
 *
 * `prep` and `post` decide: synchronous and pure, they read state and emit events into the transaction. `exec` is the
 * effect between them: it may wait, it never touches state, and what it returns is handed to `post`. A node whose
 * `prep` returns nothing had nothing to execute.
 */
export interface Node<Ticket, Outcome, Ports extends ExecPorts = ExecPorts> {
  readonly name: string;
  prep(tx: Transaction, agent: SubContext): Ticket | undefined;
  exec(ticket: Ticket, ports: Ports): Promise<Outcome>;
  post(tx: Transaction, agent: SubContext, ticket: Ticket, outcome: Outcome): Action;
}

/** Graph of steps by action, checked as it is built. */
export class Flow<Step extends string> {
  readonly #edges = new Map<Step, Map<Action, Step>>();

  /** Adds an edge. Two edges for one action of one step are a mistake. */
  on(from: Step, action: Action, to: Step): this {
    const edges = this.#edges.get(from) ?? new Map<Action, Step>();
    if (edges.has(action)) throw new Error(`step '${from}' already has a successor for '${action}'`);
    edges.set(action, to);
    this.#edges.set(from, edges);
    return this;
  }

  /** The step that follows an action. An action without a successor is a fault, never a silent end. */
  next(from: Step, action: Action): Step {
    const to = this.#edges.get(from)?.get(action);
    if (to === undefined)
      throw new Error(
        `step '${from}' has no successor for '${action}'; it has: ${[...(this.#edges.get(from)?.keys() ?? [])].join(', ')}`,
      );
    return to;
  }
}
