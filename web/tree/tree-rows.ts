import type { AgentNodeView } from '../../src/inspect/tree.ts';

/** An agent in the list a tree is when it is drawn. */
export interface TreeRow {
  readonly node: AgentNodeView;
  /** 1 for agents that nobody started. */
  readonly level: number;
  /** Its place among those next to it, from 1, and how many they are. */
  readonly place: number;
  readonly siblings: number;
  readonly parent: number | undefined;
  readonly isOpen: boolean;
}

/** The agents of a tree that are to be seen: not below a closed one and, with a filter, only those it fits and what is above them. */
export function treeRows(roots: readonly AgentNodeView[], closed: ReadonlySet<string>, filter: string): readonly TreeRow[] {
  const wanted = filter.trim().toLowerCase();
  const fitting = wanted === '' ? undefined : fittingIds(roots, wanted);
  const rows: TreeRow[] = [];
  const add = (nodes: readonly AgentNodeView[], level: number, parent: number | undefined): void => {
    const seen = fitting === undefined ? nodes : nodes.filter((node) => fitting.has(node.agentId));
    seen.forEach((node, index) => {
      // What was looked for is not hidden again.
      const isOpen = fitting !== undefined || !closed.has(node.agentId);
      rows.push({ node, level, place: index + 1, siblings: seen.length, parent, isOpen });
      if (isOpen) add(node.children, level + 1, rows.length - 1);
    });
  };
  add(roots, 1, undefined);
  return rows;
}

/** What a key does at a row: goes to another one, or opens or closes it. */
export type TreeMove = { readonly to: number } | { readonly toggle: string } | undefined;

/** What a key does in a tree, as everywhere. */
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

/** The next row whose agent's name begins with what was typed. */
export function rowThatBegins(rows: readonly TreeRow[], at: number, typed: string): number | undefined {
  const wanted = typed.toLowerCase();
  // The row one is at counts while more is typed of the same name.
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
