import type { JsonObject } from '../../core/json.ts';
import { childOf, toPlainObject, type ListNode, type MapNode, type ScalarNode, type SourceNode } from '../yaml/source-node.ts';

/**
 * Functions that read nodes whose shape was checked before. A value of the wrong type was reported then and reads as absent here,
 * so that compiling continues and finds the file's other problems.
 */

/** Returns the text node at a key. */
export function textNode(node: SourceNode | undefined, key: string): (ScalarNode & { readonly value: string }) | undefined {
  return asText(childOf(node, key));
}

/** Returns the node if it is a text. */
export function asText(node: SourceNode | undefined): (ScalarNode & { readonly value: string }) | undefined {
  return node !== undefined && isText(node) ? node : undefined;
}

function isText(node: SourceNode): node is ScalarNode & { readonly value: string } {
  return node.kind === 'scalar' && typeof node.value === 'string';
}

/** Returns the text at a key. */
export function readText(node: SourceNode | undefined, key: string): string | undefined {
  return textNode(node, key)?.value;
}

/** Returns the number at a key. */
export function readNumber(node: SourceNode | undefined, key: string): number | undefined {
  const child = childOf(node, key);
  return child?.kind === 'scalar' && typeof child.value === 'number' ? child.value : undefined;
}

/** Returns the boolean at a key. */
export function readFlag(node: SourceNode | undefined, key: string): boolean | undefined {
  const child = childOf(node, key);
  return child?.kind === 'scalar' && typeof child.value === 'boolean' ? child.value : undefined;
}

/** Returns the map at a key as plain data. */
export function readObject(node: SourceNode | undefined, key: string): JsonObject | undefined {
  const child = mapNode(node, key);
  return child === undefined ? undefined : toPlainObject(child);
}

/** Returns the map at a key. */
export function mapNode(node: SourceNode | undefined, key: string): MapNode | undefined {
  const child = childOf(node, key);
  return child?.kind === 'map' ? child : undefined;
}

/** Returns the list at a key. */
export function listNode(node: SourceNode | undefined, key: string): ListNode | undefined {
  const child = childOf(node, key);
  return child?.kind === 'list' ? child : undefined;
}

/** Returns the maps in the list at a key. */
export function mapItems(node: SourceNode | undefined, key: string): readonly MapNode[] {
  return (listNode(node, key)?.items ?? []).filter((item) => item.kind === 'map');
}

/** Returns the text nodes in the list at a key. */
export function textItems(node: SourceNode | undefined, key: string): readonly (ScalarNode & { readonly value: string })[] {
  return (listNode(node, key)?.items ?? []).map(asText).filter((item) => item !== undefined);
}

/** Returns the texts of a map, by key. */
export function readTextMap(node: MapNode | undefined): Readonly<Record<string, string>> | undefined {
  if (node === undefined) return undefined;
  return Object.fromEntries(
    [...node.entries].flatMap(([key, { value }]) => (asText(value) === undefined ? [] : [[key, String(asText(value)?.value)]])),
  );
}
