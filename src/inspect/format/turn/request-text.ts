import type { PendingRequest } from '../../../core/state/pending.ts';
import { ownApprovalGate } from '../../../core/tool/wait-for.ts';
import { durationText } from '../text/quantity-text.ts';

/**
 * Describes the scope of an "always" answer before it is given; undefined when the request is not an approval. May hold untrusted
 * names.
 */
export function scopeText({ gate, tool }: PendingRequest, safe: (text: string) => string): string | undefined {
  if (gate === undefined) return undefined;
  const asks = gate.id === ownApprovalGate ? 'the tool itself' : `gate ${safe(gate.id)}`;
  return `every ${safe(tool)} that ${asks} asks about in profile ${safe(gate.profile)}, until the run ends`;
}

/** Describes the time left to decide; undefined for a request without a deadline. */
export function deadlineText({ expiresAt, onExpire }: PendingRequest, now: number): string | undefined {
  if (expiresAt === undefined) return undefined;
  const what = onExpire === 'allow' ? 'allowed' : 'denied';
  const left = expiresAt - now;
  if (left <= 0) return `has expired: it is ${what} when the run is resumed`;
  return `expires in ${left < 60_000 ? `${Math.ceil(left / 1000)} s` : durationText(left)} (then ${what})`;
}
