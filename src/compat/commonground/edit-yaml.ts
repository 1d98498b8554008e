import { isMap, isScalar, isSeq, Pair, Scalar, type Document, type Node, type YAMLMap, type YAMLSeq } from 'yaml';

/** The pair of a key. */
export function pairAt(map: YAMLMap, key: string): Pair<Scalar, Node | null> | undefined {
  return map.items.find((pair): pair is Pair<Scalar, Node | null> => isScalar(pair.key) && pair.key.value === key);
}

/** The value of a key. */
export function nodeAt(map: YAMLMap, key: string): Node | undefined {
  return pairAt(map, key)?.value ?? undefined;
}

/** The map at a key. */
export function mapAt(map: YAMLMap, key: string): YAMLMap | undefined {
  const node = nodeAt(map, key);
  return isMap(node) ? node : undefined;
}

/** The list at a key. */
export function listAt(map: YAMLMap, key: string): YAMLSeq | undefined {
  const node = nodeAt(map, key);
  return isSeq(node) ? node : undefined;
}

/** The maps in the list at a key. */
export function mapsAt(map: YAMLMap, key: string): readonly YAMLMap[] {
  return (listAt(map, key)?.items ?? []).filter(isMap);
}

/** The scalar at a key, when it is a text. */
export function textAt(map: YAMLMap, key: string): Scalar<string> | undefined {
  const node = nodeAt(map, key);
  return isScalar(node) && typeof node.value === 'string' ? (node as Scalar<string>) : undefined;
}

/** The keys of a map, as texts. */
export function keysOf(map: YAMLMap): readonly string[] {
  return map.items.flatMap((pair) => (isScalar(pair.key) ? [String(pair.key.value)] : []));
}

/** The key itself, for its place. */
export function keyNode(map: YAMLMap, key: string): Node | undefined {
  return pairAt(map, key)?.key;
}

/** Removes a key. */
export function removeKey(map: YAMLMap, key: string): void {
  const at = map.items.findIndex((pair) => isScalar(pair.key) && pair.key.value === key);
  if (at >= 0) map.items.splice(at, 1);
}

/** Gives a key another name; its place, value and comments stay. */
export function renameKey(map: YAMLMap, from: string, to: string): void {
  const pair = pairAt(map, from);
  if (pair !== undefined) pair.key.value = to;
}

/** Sets a key to plain data, in place when it is there. */
export function setKey(document: Document, map: YAMLMap, key: string, value: unknown): void {
  const node = document.createNode(value) as Node;
  const pair = pairAt(map, key);
  if (pair === undefined) map.items.push(new Pair(new Scalar(key), node));
  else pair.value = node;
}

/** Puts another text into a scalar. One that fits on a line is written without quotes where YAML lets it. */
export function setText(scalar: Scalar, text: string): void {
  scalar.value = text;
  if (!text.includes('\n')) scalar.type = 'PLAIN';
  delete scalar.source;
}
