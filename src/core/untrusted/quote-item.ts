import type { ItemDraft } from '../events/transaction.ts';
import type { Scope } from '../expression/roots.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import type { ValueTemplate } from '../profile/template.ts';
import { type QuoteEnv, stateQuotes, stateReads } from './quote-state.ts';
import type { Reader } from './scope-origins.ts';

/** Payload of an item, and what its reader must know of its sources. */
export type QuotedPayload = Pick<ItemDraft, 'payload' | 'taint' | 'trust'>;

/**
 * Fills in the payload of an item of an observer or a rule. Untrusted text that its texts quote is framed in them. When it quotes untrusted
 * data, which ingestors must be able to read, the payload keeps it as it is, and the item is framed as a whole when it is read.
 */
export function quotedPayload(
  env: QuoteEnv,
  quoted: Reader,
  place: string,
  { template, scope }: { readonly template: ValueTemplate; readonly scope: Scope },
): QuotedPayload {
  if (template.constant) return { payload: template.build(scope) };
  const reads = stateReads(env, quoted);
  const payload = template.build(scope, reads.quote);
  const taint = reads.labels();
  if (taint.length === 0) return { payload };
  if (reads.holdsData()) return { payload, trust: 'untrusted', taint };
  return { payload: withKey(env, template.build(scope, stateQuotes(env, quoted, place).quote), payload), taint };
}

/** Leaves the name of a text definition as it is, which selects one of a profile's texts. Any other text there is only shown. */
function withKey({ profiles }: QuoteEnv, framed: JsonValue, plain: JsonValue): JsonValue {
  const { content_key: key } = isJsonObject(plain) ? plain : {};
  const isName = typeof key === 'string' && profiles.values().some(({ textDefinitions }) => textDefinitions.has(key));
  return isName && isJsonObject(framed) ? { ...framed, content_key: key } : framed;
}
