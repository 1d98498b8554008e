import { isMap, isScalar, isSeq, Pair, Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { keyNode, keysOf, nodeAt, removeKey, setText, textAt } from './edit-yaml.ts';
import { find, type SourceFile } from './source-file.ts';

/** Gives every item of a list a unique id; removes items that are not maps. */
export function giveIds(file: SourceFile, list: YAMLSeq, what: string): void {
  const used = new Set<string>();
  dropOthers(file, list, what);
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
      find(file, 'changed', {
        at: id,
        message: `the id ${id.value} is now ${name}: ids are unique and consist of letters, digits and . : _ -`,
      });
      setText(id, name);
    }
  }
}

/** Removes the items of a list that are not maps, and notes them. */
export function dropOthers(file: SourceFile, list: YAMLSeq, what: string): void {
  list.items = list.items.filter((item) => {
    if (isMap(item)) return true;
    const node = isScalar(item) || isSeq(item) ? item : undefined;
    const isEmpty = isScalar(item) && item.value === null;
    find(file, isEmpty ? 'left_out' : 'not_converted', { at: node ?? list, message: `an item of ${what} is not a map` });
    return false;
  });
}

/** Keys that describe a file or item for people and that no generation reads. */
const annotations: ReadonlySet<string> = new Set([
  'author',
  'authors',
  'owner',
  'owners',
  'note',
  'notes',
  'comment',
  'comments',
  'created_at',
  'updated_at',
  'version',
  'title',
  'icon',
  'color',
  'colour',
  'license',
]);

/** True for a key that only people read, such as `author` or `x-reviewed`. */
export function isAnnotation(key: string): boolean {
  return annotations.has(key) || /^x[-_]/.test(key);
}

/**
 * Removes the keys that Cadre does not have. An unknown key has an unknown meaning and is noted as not converted; `idle` keys
 * belonged elsewhere in CommonGround and were ignored here.
 */
export function keepKeys(
  file: SourceFile,
  map: YAMLMap,
  {
    known,
    what,
    idle = [],
  }: { readonly known: readonly string[]; readonly what: string; readonly idle?: readonly string[] | undefined },
): void {
  for (const key of keysOf(map)) {
    if (known.includes(key)) continue;
    const node = nodeAt(map, key);
    const isEmpty = node === undefined || (isScalar(node) && node.value === null);
    if (isEmpty || isAnnotation(key))
      find(file, 'left_out', { at: keyNode(map, key), message: `${what} has no \`${key}\` in Cadre` });
    else if (idle.includes(key))
      find(file, 'left_out', { at: keyNode(map, key), message: `CommonGround ignored \`${key}\`: ${what} has no such key` });
    else
      find(file, 'not_converted', {
        at: keyNode(map, key),
        message: `${what} has no \`${key}\` in Cadre, and its meaning is unknown`,
        hint: known.length === 0 ? undefined : `allowed: ${known.join(', ')}`,
      });
    removeKey(map, key);
  }
}

/** Removes the value of a key that has the wrong form, and notes it unless it is empty. */
export function dropOtherForm(
  file: SourceFile,
  map: YAMLMap,
  { key, form }: { readonly key: string; readonly form: string },
): void {
  const node = nodeAt(map, key);
  if (node !== undefined && !(isScalar(node) && node.value === null))
    find(file, 'not_converted', { at: keyNode(map, key), message: `\`${key}\` is not ${form}`, hint: `write it as ${form}` });
  removeKey(map, key);
}
