/**
 * Rules by which a profile overrides its bases.
 *
 * Owns: merging two trees of nodes. Does not own: which files inherit from which (resolve-bases.ts).
 *
 * 1. Maps merge key by key, deep; scalars, and values of different kinds, replace.
 * 2. Lists whose items all have an `id` merge by id, field by field; new items come last, or where `before` says; `remove: true`
 *    drops an item. Inbox strategies merge by their `source` in the same way.
 * 3. All other lists replace.
 * 4. An `action` whose `type` changes, and a value with `_type`, replace as a whole: fields of another type have no meaning there.
 * 5. Of two mutually exclusive keys (`content`, `content_key`) the later one wins.
 * 6. A merged node has the place of the overriding file; every leaf keeps the place where it was written.
 */
import type { Report } from '../report.ts';
import { nameHint, quote } from '../wording.ts';
import { childOf, type ListNode, type MapEntry, type MapNode, type SourceNode } from '../yaml/source-node.ts';

const exclusive: readonly (readonly [string, string])[] = [
  ['content', 'content_key'],
  ['base_url', 'api_base'],
  ['max_output_tokens', 'max_tokens'],
];

/** Merges a file over its base; reports removals of items that do not exist. */
export function mergeMaps(base: MapNode, over: MapNode, report: Report): MapNode {
  const entries = new Map<string, MapEntry>(base.entries);
  for (const [key, entry] of over.entries) {
    for (const [one, other] of exclusive) {
      if (key === one && !over.entries.has(other)) entries.delete(other);
      if (key === other && !over.entries.has(one)) entries.delete(one);
    }
    const inherited = base.entries.get(key);
    entries.set(key, {
      keyAt: entry.keyAt,
      value:
        inherited === undefined ? withoutRemoved(entry.value, report) : mergeValues(inherited.value, entry.value, { key, report }),
    });
  }
  return { kind: 'map', at: over.at, entries };
}

/** Returns a tree without a base; items marked `remove: true` are reported and left out. */
export function withoutRemoved(node: SourceNode, report: Report): SourceNode {
  if (node.kind === 'scalar') return node;
  if (node.kind === 'list') {
    if (!isIdList(node)) return node;
    return mergeIdLists({ kind: 'list', at: node.at, items: [] }, node, { report });
  }
  const entries = new Map<string, MapEntry>();
  for (const [key, entry] of node.entries) entries.set(key, { keyAt: entry.keyAt, value: withoutRemoved(entry.value, report) });
  return { ...node, entries };
}

function mergeValues(
  base: SourceNode,
  over: SourceNode,
  { key, report }: { readonly key: string; readonly report: Report },
): SourceNode {
  if (base.kind === 'map' && over.kind === 'map') {
    return replacesWhole(key, base, over) ? withoutRemoved(over, report) : mergeMaps(base, over, report);
  }
  if (base.kind === 'list' && over.kind === 'list') {
    const identity = key === 'inbox_handling_strategies' ? 'source' : 'id';
    if (isIdList(base, identity) && isIdList(over, identity)) return mergeIdLists(base, over, { report, identity });
  }
  return withoutRemoved(over, report);
}

function replacesWhole(key: string, base: MapNode, over: MapNode): boolean {
  if (over.entries.has('_type') || base.entries.has('_type')) return true;
  const type = textOf(over, 'type');
  return (key === 'action' || key === 'planner') && type !== undefined && type !== textOf(base, 'type');
}

function isIdList(node: ListNode, identity = 'id'): boolean {
  return node.items.every((item) => textOf(item, identity) !== undefined);
}

function mergeIdLists(
  base: ListNode,
  over: ListNode,
  { report, identity = 'id' }: { readonly report: Report; readonly identity?: string | undefined },
): ListNode {
  const items = new Map<string, SourceNode>();
  for (const item of base.items) items.set(textOf(item, identity) ?? '', item);
  for (const item of over.items) {
    const id = textOf(item, identity) ?? '';
    const inherited = items.get(id);
    const marker = childOf(item, 'remove');
    if (marker?.kind === 'scalar' && marker.value === true) {
      if (inherited === undefined)
        report.error('NOTHING_TO_REMOVE', {
          at: item.at,
          message: `there is no inherited item ${quote(id)} to remove`,
          hint: nameHint(id, items.keys(), 'inherited'),
        });
      items.delete(id);
    } else if (inherited?.kind === 'map' && item.kind === 'map') {
      items.set(id, mergeMaps(inherited, item, report));
    } else {
      items.set(id, withoutRemoved(item, report));
    }
  }
  return { kind: 'list', at: over.at, items: placed([...items], over, report) };
}

/** Moves items with `before` in front of the items they name; the others keep their order. */
function placed(items: [string, SourceNode][], over: ListNode, report: Report): readonly SourceNode[] {
  for (const item of over.items) {
    const before = childOf(item, 'before');
    if (before?.kind !== 'scalar' || typeof before.value !== 'string') continue;
    const from = items.findIndex(([id]) => id === textOf(item, 'id'));
    const moved = items[from];
    if (moved === undefined) continue;
    const others = items.toSpliced(from, 1);
    const to = others.findIndex(([id]) => id === before.value);
    if (to === -1) {
      const ids = others.map(([id]) => id);
      const message = `there is no item ${quote(before.value)} to place this one before`;
      report.error('NOTHING_TO_STAND_BEFORE', { at: before.at, message, hint: nameHint(before.value, ids, 'other') });
    } else items = others.toSpliced(to, 0, moved);
  }
  return items.map(([, item]) => item);
}

function textOf(node: SourceNode, key: string): string | undefined {
  const child = childOf(node, key);
  return child?.kind === 'scalar' && typeof child.value === 'string' ? child.value : undefined;
}
