import type { JsonObject } from '../../core/json.ts';
import { childOf, toPlainObject, type ListNode, type MapNode, type ScalarNode, type SourceNode } from '../yaml/source-node.ts';

/**
 * Reading nodes whose shape was checked before. A value of the wrong type was reported then, and reads as absent here, so
 * that compiling goes on and finds the file's other problems.
 */

/** The text below a key, with its node. */
export function textNode(node: SourceNode | undefined, key: string): (ScalarNode & { readonly value: string }) | undefined {
  return asText(childOf(node, key));
}

/** A node when it is a text. */
export function asText(node: SourceNode | undefined): (ScalarNode & { readonly value: string }) | undefined {
  return node !== undefined && isText(node) ? node : undefined;
}

function isText(node: SourceNode): node is ScalarNode & { readonly value: string } {
  return node.kind === 'scalar' && typeof node.value === 'string';
}

/** The text below a key. */
export function readText(node: SourceNode | undefined, key: string): string | undefined {
  return textNode(node, key)?.value;
}

/** The number below a key. */
export function readNumber(node: SourceNode | undefined, key: string): number | undefined {
  const child = childOf(node, key);
  return child?.kind === 'scalar' && typeof child.value === 'number' ? child.value : undefined;
}

/** The boolean below a key. */
export function readFlag(node: SourceNode | undefined, key: string): boolean | undefined {
  const child = childOf(node, key);
  return child?.kind === 'scalar' && typeof child.value === 'boolean' ? child.value : undefined;
}

/** The map below a key, as plain data. */
export function readObject(node: SourceNode | undefined, key: string): JsonObject | undefined {
  const child = mapNode(node, key);
  return child === undefined ? undefined : toPlainObject(child);
}

/** The map below a key. */
export function mapNode(node: SourceNode | undefined, key: string): MapNode | undefined {
  const child = childOf(node, key);
  return child?.kind === 'map' ? child : undefined;
}

/** The list below a key. */
export function listNode(node: SourceNode | undefined, key: string): ListNode | undefined {
  const child = childOf(node, key);
  return child?.kind === 'list' ? child : undefined;
}

/** The maps of the list below a key. */
export function mapItems(node: SourceNode | undefined, key: string): readonly MapNode[] {
  return (listNode(node, key)?.items ?? []).filter((item) => item.kind === 'map');
}

/** The texts of the list below a key, with their nodes. */
export function textItems(node: SourceNode | undefined, key: string): readonly (ScalarNode & { readonly value: string })[] {
  return (listNode(node, key)?.items ?? []).map(asText).filter((item) => item !== undefined);
}

/** The texts below the keys of a map. */
export function readTextMap(node: MapNode | undefined): Readonly<Record<string, string>> | undefined {
  if (node === undefined) return undefined;
  return Object.fromEntries(
    [...node.entries].flatMap(([key, { value }]) => (asText(value) === undefined ? [] : [[key, String(asText(value)?.value)]])),
  );
}
