import type { Env } from '../core/env.ts';
import type { ToolGate } from '../core/profile/profile.ts';
import { isOtherName } from '../core/tool/tool-naming.ts';
import type { Transaction } from '../core/events/transaction.ts';

/**
 * Records the gates that name a tool which a connected toolset does not have: a server's tools are known no earlier, and a gate that denies
 * such a tool protects nothing.
 */
export function noteUnmetGates(tx: Transaction, env: Env): void {
  if (tx.run.outcome !== undefined) return;
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
