import type { AgentNodeView } from '../../src/inspect/tree.ts';

/** An agent as a row of the rendered tree. */
export interface TreeRow {
  readonly node: AgentNodeView;
  /** Depth, 1 for root agents. */
  readonly level: number;
  /** Position among its siblings, from 1, and their number. */
  readonly place: number;
  readonly siblings: number;
  readonly parent: number | undefined;
  readonly isOpen: boolean;
}

/** Returns the visible agents: not below a closed one and, with a filter, only matches and their ancestors. */
export function treeRows(roots: readonly AgentNodeView[], closed: ReadonlySet<string>, filter: string): readonly TreeRow[] {
  const wanted = filter.trim().toLowerCase();
  const fitting = wanted === '' ? undefined : fittingIds(roots, wanted);
  const rows: TreeRow[] = [];
  const add = (nodes: readonly AgentNodeView[], level: number, parent: number | undefined): void => {
    const seen = fitting === undefined ? nodes : nodes.filter((node) => fitting.has(node.agentId));
    seen.forEach((node, index) => {
      // Matches of the filter stay visible below closed agents.
      const isOpen = fitting !== undefined || !closed.has(node.agentId);
      rows.push({ node, level, place: index + 1, siblings: seen.length, parent, isOpen });
      if (isOpen) add(node.children, level + 1, rows.length - 1);
    });
  };
  add(roots, 1, undefined);
  return rows;
}

/** Effect of a key at a row: moves to another one, or opens or closes it. */
export type TreeMove = { readonly to: number } | { readonly toggle: string } | undefined;

/** Returns the effect of a key, as usual in trees. */
export function treeMove(rows: readonly TreeRow[], at: number, key: string): TreeMove {
  const row = rows[at];
  if (row === undefined) return undefined;
  const hasChildren = row.node.children.length > 0;
  switch (key) {
    case 'ArrowDown':
      return { to: Math.min(rows.length - 1, at + 1) };
    case 'ArrowUp':
      return { to: Math.max(0, at - 1) };
    case 'Home':
      return { to: 0 };
    case 'End':
      return { to: rows.length - 1 };
    case 'ArrowRight':
      if (!hasChildren) return undefined;
      return row.isOpen ? { to: at + 1 } : { toggle: row.node.agentId };
    case 'ArrowLeft':
      if (hasChildren && row.isOpen) return { toggle: row.node.agentId };
      return row.parent === undefined ? undefined : { to: row.parent };
    default:
      return undefined;
  }
}

/** Returns the next row whose agent's name begins with the typed text. */
export function rowThatBegins(rows: readonly TreeRow[], at: number, typed: string): number | undefined {
  const wanted = typed.toLowerCase();
  // The current row counts while more of the same name is typed.
  const first = typed.length > 1 ? at : at + 1;
  for (let step = 0; step < rows.length; step++) {
    const index = (first + step) % rows.length;
    const node = rows[index]?.node;
    if (node !== undefined && [node.agentId, node.roleName ?? ''].some((name) => name.toLowerCase().startsWith(wanted)))
      return index;
  }
  return undefined;
}

function fittingIds(roots: readonly AgentNodeView[], wanted: string): ReadonlySet<string> {
  const ids = new Set<string>();
  const look = (node: AgentNodeView): boolean => {
    const { agentId, profile, roleName, moduleId, status, outcome } = node;
    const isOwn = [agentId, profile, roleName, moduleId, status, outcome].some((text) => text?.toLowerCase().includes(wanted));
    const isBelow = node.children.map(look).some(Boolean);
    if (isOwn || isBelow) ids.add(agentId);
    return isOwn || isBelow;
  };
  roots.forEach(look);
  return ids;
}
