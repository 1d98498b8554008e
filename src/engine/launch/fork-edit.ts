import type { JsonValue } from '../../core/json.ts';

/** A change that a fork begins with: to an item that its agents have not read there, or to a value of its state. */
export type ForkEdit =
  /** Another payload for an inbox item, such as a message of a person. */
  | { readonly type: 'message'; readonly itemId: string; readonly payload: JsonValue }
  /** Another result for a tool call. */
  | { readonly type: 'result'; readonly callId: string; readonly content: string; readonly isError?: boolean }
  /** Another value in `flags`, `values`, `deliverables` or `team.shared`; without `value` it is removed. `agentId`: the root agent when absent. */
  | { readonly type: 'state'; readonly path: string; readonly value?: JsonValue; readonly agentId?: string };
