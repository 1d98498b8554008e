import { quote } from '../../wording.ts';
import { childOf, type MapNode, type SourceNode } from '../../yaml/source-node.ts';
import type { CompileContext } from '../compile-context.ts';

/** The value below a key that must be there after inheritance; reported when it is not. */
export function requireKey(context: CompileContext, node: MapNode, key: string, owner: string): SourceNode | undefined {
  const child = childOf(node, key);
  if (child === undefined) context.report.error('MISSING_KEY', node.at, `${quote(key)} is missing in ${owner}`);
  return child;
}
