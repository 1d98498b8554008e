import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import type { Delivery } from '../../src/core/inbox/inbox.ts';
import { postJson } from './api.ts';

/** Profile, input and options of a launch. */
export interface LaunchRequest {
  readonly profile?: string;
  readonly input: string;
  readonly title?: string;
  readonly limits?: Readonly<Record<string, number>>;
}

/** A message to an agent. */
export interface MessageRequest {
  readonly text: string;
  readonly to?: string;
  readonly priority?: Delivery;
}

/** Place of a fork, and what it begins with instead of what the run had there. */
export interface ForkRequest {
  readonly at?: number;
  /** The turn that it takes again. */
  readonly before?: string;
  readonly profiles?: 'recorded' | 'current';
  readonly llmConfig?: string;
  readonly edits?: readonly (
    | { readonly type: 'message'; readonly itemId: string; readonly payload: JsonValue }
    | { readonly type: 'result'; readonly callId: string; readonly content: string }
  )[];
}

/** Launches a run and returns its id. */
export async function launch(request: LaunchRequest): Promise<string> {
  return (await postJson<{ readonly runId: string }>('/api/runs', request)).runId;
}

/** Returns the actions on a run that the server offers. Their effects arrive through the run's journal. */
export function runActions(runId: string) {
  const base = `/api/runs/${encodeURIComponent(runId)}`;
  return {
    /** Returns the id of the item with the message. */
    send: async (message: MessageRequest): Promise<string> =>
      (await postJson<{ readonly itemId: string }>(`${base}/messages`, message)).itemId,
    approve: (
      ids: readonly string[],
      options: { readonly args?: JsonObject; readonly always?: boolean; readonly fingerprint?: string } = {},
    ) => postJson(`${base}/approve`, { ids, ...options }),
    reject: (ids: readonly string[], message?: string) =>
      postJson(`${base}/reject`, { ids, ...(message === undefined ? {} : { message }) }),
    answer: (id: string, value: JsonValue) => postJson(`${base}/answer`, { id, value }),
    /** Cancels the run, or one agent with all agents below it. */
    cancel: (reason?: string, agentId?: string) =>
      postJson(`${base}/cancel`, {
        ...(reason === undefined ? {} : { reason }),
        ...(agentId === undefined ? {} : { agentId }),
      }),
    resume: () => postJson(`${base}/resume`, {}),
    /** Returns the id of the new run. */
    fork: async (point: ForkRequest): Promise<string> => (await postJson<{ readonly runId: string }>(`${base}/fork`, point)).runId,
  };
}
