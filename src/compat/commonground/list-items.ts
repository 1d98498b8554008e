import { isMap, isScalar, Pair, Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { keyNode, keysOf, removeKey, setText, textAt } from './edit-yaml.ts';
import { find, type SourceFile } from './source-file.ts';

/** Sees to it that every item of a list has an id of its own; items that are no maps are taken out. */
export function giveIds(file: SourceFile, list: YAMLSeq, what: string): void {
  const used = new Set<string>();
  list.items = list.items.filter((item) => {
    if (isMap(item)) return true;
    const node = isScalar(item) ? item : undefined;
    find(file, 'left_out', node, `an item of ${what} that is no map`);
    return false;
  });
  for (const [at, item] of list.items.filter(isMap).entries()) {
    const id = textAt(item, 'id');
    const wanted = (id?.value ?? `${what}_${at + 1}`).replaceAll(/[^\w.:-]+/g, '_').slice(0, 90);
    let name = wanted === '' ? `item_${at + 1}` : wanted;
    for (let round = 2; used.has(name); round += 1) name = `${wanted}_${round}`;
    used.add(name);
    if (id?.value === name) continue;
    if (id === undefined) {
      item.items.unshift(new Pair(new Scalar('id'), new Scalar(name)));
    } else {
      find(file, 'changed', id, `the id ${id.value} is ${name} here: ids are unique, of letters, digits and . : _ -`);
      setText(id, name);
    }
  }
}

/** Takes out keys that mean nothing here, and says so. */
export function keepKeys(file: SourceFile, map: YAMLMap, known: readonly string[], what: string): void {
  for (const key of keysOf(map)) {
    if (known.includes(key)) continue;
    find(file, 'left_out', keyNode(map, key), `${what} has no \`${key}\` here`);
    removeKey(map, key);
  }
}
