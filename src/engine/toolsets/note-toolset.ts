import type { Env } from '../../core/env.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import type { ToolList } from './tool-list.ts';
import type { OfferedTools } from './toolset-hold.ts';
import type { ToolsetChange } from './toolset-instance.ts';

/** Records the tools that connecting toolsets offer, unless the run has already recorded them. */
export function recordTools(tx: Transaction, taken: readonly OfferedTools[], cause: number): void {
  for (const { toolset, tools, isInitial } of taken)
    if (tx.run.meta.toolsets.has(toolset) || !isInitial) recordList(tx, toolset, tools, cause);
}

function recordList(tx: Transaction, toolset: string, { text, hash }: ToolList, cause: number): void {
  if (tx.run.meta.toolsets.get(toolset) !== hash) tx.emit({ type: 'toolset.update', toolset, tools: tx.content(text) }, cause);
}

/** Records news of a toolset and notifies the agents that may call its tools, without waking them. */
export function noteToolset(tx: Transaction, env: Env, { toolset, tools, message, isFailure }: ToolsetChange): void {
  if (tx.run.outcome !== undefined) return;
  if (tools !== undefined) recordList(tx, toolset, tools, tx.run.seq);
  if (message === undefined) return;
  const code = isFailure ? 'TOOLSET_FAILED' : 'TOOLS_CHANGED';
  const note = tx.emit({ type: 'note.add', level: isFailure ? 'warning' : 'info', code, message }, tx.run.seq);
  for (const agent of tx.run.agents.values()) {
    const profile = env.profiles.get(agent.meta.profile);
    if (agent.status === 'ended' || profile === undefined || !mayCall(agent, profile, toolset)) continue;
    // The message may quote a server's output or tool names: untrusted text, never the user's words.
    tx.post(
      agent.meta.agentId,
      { source: 'TOOLS_CHANGED', payload: message, observerId: 'toolsets', trust: 'untrusted', taint: [toolset] },
      note.seq,
    );
  }
}

function mayCall({ meta }: SubContext, { allowedToolsets, allowedTools }: CompiledProfile, toolset: string): boolean {
  const toolsets = meta.allowedToolsets ?? allowedToolsets;
  return (
    toolsets.includes(toolset) ||
    toolsets.includes('*') ||
    allowedTools.some((name) => name === '*' || name.startsWith(`${toolset}_`))
  );
}
