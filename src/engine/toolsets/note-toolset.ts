import type { Env } from '../../core/env.ts';
import type { CompiledProfile, ToolGate } from '../../core/profile/profile.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import type { ToolList } from './tool-list.ts';
import type { OfferedTools } from './toolset-hold.ts';
import type { ToolsetChange } from './toolset-instance.ts';
import { isOtherName } from '../../core/tool/tool-naming.ts';
import { formatDiagnostic } from '../../profiles/format-diagnostics.ts';
import { checkGates } from '../../profiles/gates/check-gates.ts';
import { callableTools } from './callable-tools.ts';

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

/**
 * Records what is wrong with gates over tools of connected toolsets, which are known no earlier: gates that name a tool which such a toolset does
 * not have, and conditions over arguments that its tools do not have.
 */
export function noteGates(tx: Transaction, env: Env, toolsets: Iterable<string>): void {
  if (tx.run.outcome !== undefined) return;
  noteUnmetGates(tx, env);
  const connected = new Set(toolsets);
  if (connected.size === 0) return;
  const names = new Set([...tx.run.agents.values()].map(({ meta }) => meta.profile));
  const profiles = [...names].flatMap((name) => env.profiles.get(name) ?? []);
  const problems = checkGates(profiles, (profile) => ({
    tools: callableTools(profile, env).filter(({ toolset }) => connected.has(toolset)),
    open: [],
  }));
  for (const { code, source, message, hint } of problems) {
    if (code === 'UNREACHABLE_GATE') continue;
    const text = formatDiagnostic({ source, message, ...(hint === undefined ? {} : { hint }) });
    tx.emit({ type: 'note.add', level: 'warning', code, message: text }, tx.run.seq);
  }
}

function noteUnmetGates(tx: Transaction, env: Env): void {
  for (const profile of new Set([...tx.run.agents.values()].map(({ meta }) => meta.profile)))
    for (const gate of env.profiles.get(profile)?.toolGates ?? [])
      for (const name of gate.tools) {
        const toolset = unmetToolset(env, name);
        if (toolset !== undefined) note(tx, env, { profile, gate, name, toolset });
      }
}

/** Returns the connected toolset that a name must belong to, if it has no such tool. */
function unmetToolset({ catalog }: Env, name: string): string | undefined {
  if (catalog.get(name) !== undefined) return undefined;
  const toolsets = catalog.toolsets().map((toolset) => ({ toolset, tools: catalog.inToolset(toolset) }));
  const own = toolsets.find(
    ({ toolset, tools: [first, ...rest] }) =>
      name.startsWith(`${toolset}_`) && first !== undefined && ![first, ...rest].some((tool) => isOtherName(name, tool)),
  );
  if (own !== undefined) return own.toolset;
  // The name of a kind may mean a tool of any toolset of that kind, including one that is not connected yet.
  if (toolsets.some(({ tools }) => tools.length === 0 || tools.some((tool) => isOtherName(name, tool)))) return undefined;
  return toolsets.find(({ tools: [first] }) => first?.toolsetKind !== undefined && name.startsWith(`${first.toolsetKind}_`))
    ?.toolset;
}

function note(
  tx: Transaction,
  { catalog }: Env,
  unmet: { readonly profile: string; readonly gate: ToolGate; readonly name: string; readonly toolset: string },
): void {
  const { profile, gate, name, toolset } = unmet;
  const tools = catalog
    .inToolset(toolset)
    .map((tool) => tool.name)
    .slice(0, 20);
  const message = `gate '${gate.id}' of profile '${profile}' names '${name}', and '${toolset}' has no such tool: it guards nothing. Its tools: ${tools.join(', ')}`;
  tx.emit({ type: 'note.add', level: 'warning', code: 'MEANS_NO_TOOL', message }, tx.run.seq);
}
