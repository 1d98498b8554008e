import type { JsonObject } from '../../core/json.ts';
import { mapAt, mapsAt, nodeAt, setKeys, textAt } from './edit-yaml.ts';
import { find, type SourceFile } from './source-file.ts';
import { chainOf, itemsOf, type SourceTree } from './source-tree.ts';

/** List in a profile whose items have ids. */
export type ItemList = 'segments' | 'pre_turn_observers' | 'post_turn_observers' | 'flow_decider';

const places: Readonly<Record<ItemList, readonly string[]>> = {
  segments: ['system_prompt_construction', 'system_prompt_segments'],
  pre_turn_observers: ['pre_turn_observers'],
  post_turn_observers: ['post_turn_observers'],
  flow_decider: ['flow_decider'],
};

/** Returns the items of a list that a profile inherits in CommonGround, by id: the nearest one replaces the others. */
export function inheritedItems(file: SourceFile, tree: SourceTree, list: ItemList): ReadonlyMap<string, JsonObject> {
  const items = new Map<string, JsonObject>();
  for (const base of (chainOf(file, tree.profiles) ?? []).slice(1).toReversed()) {
    for (const item of itemsOf(base.data, ...places[list])) {
      const { id } = item;
      if (typeof id === 'string') items.set(id, item);
    }
  }
  return items;
}

/** Keys of complete items: without one of these, an item only changes an inherited one. */
const substance: ReadonlySet<string> = new Set(['content', 'content_key', 'source_state_path', 'action', 'type']);

/**
 * Keeps items separate from inherited ones of the same id: CommonGround replaced the inherited item, but Cadre merges fields. A
 * complete item gets values that block inherited fields; a partial item was blank in CommonGround and changes the inherited one in
 * Cadre.
 */
export function keepApart(file: SourceFile, tree: SourceTree, list: ItemList): void {
  const inherited = inheritedItems(file, tree, list);
  const owner = list === 'segments' ? mapAt(file.root, 'system_prompt_construction') : file.root;
  if (owner === undefined) return;
  for (const item of mapsAt(owner, places[list].at(-1) ?? '')) {
    const id = textAt(item, 'id');
    const base = id === undefined ? undefined : inherited.get(id.value);
    if (id === undefined || base === undefined) continue;
    const missing = Object.keys(base).filter((key) => key !== 'id' && nodeAt(item, key) === undefined);
    const isWhole =
      [...substance].some((key) => key !== 'type' && nodeAt(item, key) !== undefined) || nodeAt(item, 'type') !== undefined;
    if (!isWhole) {
      find(file, 'changed', {
        at: id,
        message: `${id.value} replaced the inherited item and had only its own keys; in Cadre it inherits ${missing.join(', ')}`,
      });
      continue;
    }
    if (missing.includes('condition')) setKeys(file.document, item, { condition: list === 'flow_decider' ? 'False' : 'True' });
    if (missing.includes('order')) setKeys(file.document, item, { order: 99 });
    const kept = missing.filter((key) => !['condition', 'order', 'type', 'content', 'content_key'].includes(key));
    if (kept.length > 0)
      find(file, 'changed', {
        at: id,
        message: `${id.value} replaced the inherited item; in Cadre it also inherits ${kept.join(', ')}`,
      });
  }
}
