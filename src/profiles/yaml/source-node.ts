import type { Variable } from '../../core/expression/variables.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { SourceText } from './source-text.ts';

/** Range of offsets in a file. */
export interface Place {
  readonly file: SourceText;
  readonly start: number;
  readonly end: number;
}

/** Style of a scalar; determines how its characters map to those of the file. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

/** Text, number, boolean or null, with its place. */
export interface ScalarNode {
  readonly kind: 'scalar';
  readonly at: Place;
  readonly value: string | number | boolean | null;
  readonly style: ScalarStyle;
  /** Text as written, without quotes: `1.10` where the value is 1.1. */
  readonly written: string;
  /** Environment variable that supplied the value. */
  readonly variable?: string;
  /** Pieces the text was built from; a run's request may override the variables. */
  readonly variables?: readonly (string | Variable)[];
}

/** List with its place. */
export interface ListNode {
  readonly kind: 'list';
  readonly at: Place;
  readonly items: readonly SourceNode[];
}

/** One key of a map, with the place of the key. */
export interface MapEntry {
  readonly keyAt: Place;
  readonly value: SourceNode;
}

/** Map with its place; keys keep their order. */
export interface MapNode {
  readonly kind: 'map';
  readonly at: Place;
  readonly entries: ReadonlyMap<string, MapEntry>;
}

/** YAML value with the place where it was written. Immutable; merged trees share nodes of several files. */
export type SourceNode = ScalarNode | ListNode | MapNode;

/** Returns the plain value of a node. */
export function toPlain(node: SourceNode): JsonValue {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(toPlain);
    case 'map':
      return toPlainObject(node);
  }
}

/** Returns the plain value of a map; dangerous keys were refused while parsing. */
export function toPlainObject(node: MapNode): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [key, entry] of node.entries) result[key] = toPlain(entry.value);
  return result;
}

/** Returns the value at a key; undefined when the node is not a map or lacks the key. */
export function childOf(node: SourceNode | undefined, key: string): SourceNode | undefined {
  return node?.kind === 'map' ? node.entries.get(key)?.value : undefined;
}

/** Follows keys and indices down a tree as far as they exist; returns the last node reached. */
export function nodeAt(root: SourceNode, path: readonly string[]): SourceNode {
  let node = root;
  for (const step of path) {
    const next = node.kind === 'list' ? node.items[Number(step)] : childOf(node, step);
    if (next === undefined) return node;
    node = next;
  }
  return node;
}
