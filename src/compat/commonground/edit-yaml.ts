import { isMap, isScalar, isSeq, Pair, Scalar, type Document, type Node, type YAMLMap, type YAMLSeq } from 'yaml';

/** Returns the pair of a key. */
export function pairAt(map: YAMLMap, key: string): Pair<Scalar, Node | null> | undefined {
  return map.items.find((pair): pair is Pair<Scalar, Node | null> => isScalar(pair.key) && pair.key.value === key);
}

/** Returns the value of a key. */
export function nodeAt(map: YAMLMap, key: string): Node | undefined {
  return pairAt(map, key)?.value ?? undefined;
}

/** Returns the map at a key. */
export function mapAt(map: YAMLMap, key: string): YAMLMap | undefined {
  const node = nodeAt(map, key);
  return isMap(node) ? node : undefined;
}

/** Returns the list at a key. */
export function listAt(map: YAMLMap, key: string): YAMLSeq | undefined {
  const node = nodeAt(map, key);
  return isSeq(node) ? node : undefined;
}

/** Returns the maps in the list at a key. */
export function mapsAt(map: YAMLMap, key: string): readonly YAMLMap[] {
  return (listAt(map, key)?.items ?? []).filter(isMap);
}

/** Returns the text scalar at a key. */
export function textAt(map: YAMLMap, key: string): Scalar<string> | undefined {
  const node = nodeAt(map, key);
  return isScalar(node) && typeof node.value === 'string' ? (node as Scalar<string>) : undefined;
}

/** Returns the keys of a map as texts. */
export function keysOf(map: YAMLMap): readonly string[] {
  return map.items.flatMap((pair) => (isScalar(pair.key) ? [String(pair.key.value)] : []));
}

/** Returns the node of the key itself, for its place. */
export function keyNode(map: YAMLMap, key: string): Node | undefined {
  return pairAt(map, key)?.key;
}

/** Removes a key. */
export function removeKey(map: YAMLMap, key: string): void {
  const at = map.items.findIndex((pair) => isScalar(pair.key) && pair.key.value === key);
  if (at >= 0) map.items.splice(at, 1);
}

/** Renames a key; its place, value and comments stay. */
export function renameKey(map: YAMLMap, from: string, to: string): void {
  const pair = pairAt(map, from);
  if (pair !== undefined) pair.key.value = to;
}

/** Sets keys to plain data, replacing existing values in place. */
export function setKeys(document: Document, map: YAMLMap, values: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(values)) {
    const node = document.createNode(value) as Node;
    const pair = pairAt(map, key);
    if (pair === undefined) map.items.push(new Pair(new Scalar(key), node));
    else pair.value = node;
  }
}

/** Replaces the text of a scalar. Single-line text is written without quotes where YAML allows it. */
export function setText(scalar: Scalar, text: string): void {
  scalar.value = text;
  if (!text.includes('\n')) scalar.type = 'PLAIN';
  delete scalar.source;
}
