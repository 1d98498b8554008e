import type { RunId } from '../../../src/core/ids.ts';

/** Whose prompt it is, and which turn's, as its system message says. */
export function promptOwner(prompt: readonly { readonly role: string; readonly content: unknown }[]): {
  readonly runId: RunId;
  readonly turnId: string;
} {
  const [, runId = '', agentId = '', turns = ''] = /<<([^|]+)\|([^|]+)\|(\d+)>>/.exec(String(prompt[0]?.content)) ?? [];
  return { runId: runId as RunId, turnId: `${agentId}.t${Number(turns) + 1}` };
}
