import type { SourceRef } from '../../core/profile/source-ref.ts';
import type { SourceNode } from '../yaml/source-node.ts';

/**
 * Returns the place where each leaf of a tree was written, by path; list items with an id are named by it:
 * `flow_decider[stop].action.type`.
 */
export function originsOf(root: SourceNode): ReadonlyMap<string, SourceRef> {
  const origins = new Map<string, SourceRef>();
  walk(root, '', origins);
  return origins;
}

function walk(node: SourceNode, path: string, origins: Map<string, SourceRef>): void {
  const isEmpty = (node.kind === 'list' && node.items.length === 0) || (node.kind === 'map' && node.entries.size === 0);
  if (node.kind === 'scalar' || isEmpty) {
    origins.set(path, node.at.file.refAt(node.at.start));
    return;
  }
  if (node.kind === 'list') {
    for (const [index, item] of node.items.entries()) walk(item, `${path}[${itemLabel(item, index)}]`, origins);
    return;
  }
  for (const [key, entry] of node.entries) walk(entry.value, path === '' ? key : `${path}.${key}`, origins);
}

/** Returns an item's label in paths: its id, else its index. */
function itemLabel(item: SourceNode, index: number): string {
  const id = item.kind === 'map' ? item.entries.get('id')?.value : undefined;
  return id?.kind === 'scalar' && typeof id.value === 'string' ? id.value : String(index);
}
