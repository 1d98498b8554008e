import type { Env } from '../core/env.ts';
import type { CompiledProfile } from '../core/profile.ts';
import type { AgentState } from '../core/state.ts';
import type { Transaction } from '../core/transaction.ts';
import type { ToolsetNews } from './toolsets.ts';

/** Puts news of a toolset on record, and tells the agents that may call its tools; it wakes nobody. */
export function noteToolset(tx: Transaction, env: Env, { toolset, message, isFailure }: ToolsetNews): void {
  if (tx.run.outcome !== undefined) return;
  const code = isFailure ? 'TOOLSET_FAILED' : 'TOOLS_CHANGED';
  const note = tx.emit({ type: 'note.add', level: isFailure ? 'warning' : 'info', code, message }, tx.run.seq);
  for (const agent of tx.run.agents.values()) {
    const profile = env.profiles.get(agent.meta.profile);
    if (agent.status === 'ended' || profile === undefined || !mayCall(agent, profile, toolset)) continue;
    tx.post(agent.meta.agentId, { source: 'TOOLS_CHANGED', payload: message, observerId: 'toolsets' }, note.seq);
  }
}

function mayCall({ meta }: AgentState, { allowedToolsets, allowedTools }: CompiledProfile, toolset: string): boolean {
  const toolsets = meta.allowedToolsets ?? allowedToolsets;
  return (
    toolsets.includes(toolset) ||
    toolsets.includes('*') ||
    allowedTools.some((name) => name === '*' || name.startsWith(`${toolset}_`))
  );
}
