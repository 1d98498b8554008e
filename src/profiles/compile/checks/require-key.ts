import { quote } from '../../wording.ts';
import { childOf, type MapNode, type SourceNode } from '../../yaml/source-node.ts';
import type { CompileContext } from '../compile-context.ts';

/** Returns the value at a key that is required after inheritance; reports it when missing. */
export function requireKey(
  context: CompileContext,
  node: MapNode,
  { key, owner }: { readonly key: string; readonly owner: string },
): SourceNode | undefined {
  const child = childOf(node, key);
  if (child === undefined) context.report.error('MISSING_KEY', { at: node.at, message: `${quote(key)} is missing in ${owner}` });
  return child;
}
