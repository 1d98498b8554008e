import type { Variable } from '../../core/expression/variables.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { SourceText } from './source-text.ts';

/** A stretch of a file. */
export interface Place {
  readonly file: SourceText;
  readonly start: number;
  readonly end: number;
}

/** How a scalar is written; decides how its characters map to the file's. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

/** A text, number, boolean or null, with its place. */
export interface ScalarNode {
  readonly kind: 'scalar';
  readonly at: Place;
  readonly value: string | number | boolean | null;
  readonly style: ScalarStyle;
  /** The text as written, without quotes: `1.10` where the value is 1.1. */
  readonly written: string;
  /** The environment variable the value came from. */
  readonly variable?: string;
  /** The text it was put together from, whose variables a run's request may set otherwise. */
  readonly variables?: readonly (string | Variable)[];
}

/** A list, with its place. */
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

/** A map, with its place; keys keep their order. */
export interface MapNode {
  readonly kind: 'map';
  readonly at: Place;
  readonly entries: ReadonlyMap<string, MapEntry>;
}

/** A YAML value that knows where it was written. Immutable; merged trees share nodes of several files. */
export type SourceNode = ScalarNode | ListNode | MapNode;

/** The plain value of a node. */
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

/** The plain value of a map; dangerous keys were refused while parsing. */
export function toPlainObject(node: MapNode): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [key, entry] of node.entries) result[key] = toPlain(entry.value);
  return result;
}

/** The value below a key, or undefined when the node is no map or lacks the key. */
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
