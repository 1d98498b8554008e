import type { ItemTemplate } from '../../../core/profile/template.ts';
import { childOf, type SourceNode } from '../../yaml/source-node.ts';
import { ingestorName, type CompileContext } from '../compile-context.ts';
import { compileValue, constantValue } from '../compile-value.ts';
import { readNumber, readObject, readText, textNode } from '../read-node.ts';

/** Checks references from inbox items and segments to text definitions. */
export interface TextKeys {
  /** Reports a text definition that does not exist. */
  readonly check: (node: { readonly at: SourceNode['at']; readonly value: string }) => void;
}

/** Compiles an inbox item that an observer or decider rule declares. */
export function compileItem(
  context: CompileContext,
  node: SourceNode,
  { source, keys }: { readonly source: string; readonly keys: TextKeys },
): ItemTemplate {
  const payload = childOf(node, 'payload');
  const key = textNode(payload, 'content_key');
  if (key !== undefined && !key.value.includes('{{')) keys.check(key);
  const priority = readNumber(node, 'priority');
  const maxTurns = readNumber(node, 'max_turns');
  const ingestor = textNode(node, 'ingestor_id');
  const ingestorParams = readObject(node, 'ingestor_params');
  return {
    source,
    payload: payload === undefined ? constantValue({}) : compileValue(context, payload),
    consumption:
      readText(node, 'consumption_policy') === 'persistent_until_consumed' ? 'persistent_until_consumed' : 'consume_on_read',
    ...(priority === undefined ? {} : { priority }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(ingestor === undefined ? {} : { ingestorId: ingestorName(context, ingestor) }),
    ...(ingestorParams === undefined ? {} : { ingestorParams }),
  };
}
