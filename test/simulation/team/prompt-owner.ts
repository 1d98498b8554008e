import type { RunId } from '../../../src/core/ids.ts';

/** Whose prompt it is, which turn's, and from which version of the files, as its system message says. */
export function promptOwner(prompt: readonly { readonly role: string; readonly content: unknown }[]): {
  readonly runId: RunId;
  readonly turnId: string;
  /** The version of the profile files it comes from. */
  readonly version: number;
} {
  const [, runId = '', agentId = '', turns = '', version = ''] =
    /<<([^|]+)\|([^|]+)\|(\d+)\|v(\d+)>>/.exec(String(prompt[0]?.content)) ?? [];
  return { runId: runId as RunId, turnId: `${agentId}.t${Number(turns) + 1}`, version: Number(version) };
}
