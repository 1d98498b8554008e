import type { LimitReach } from '../events/agent-events.ts';

/** Returns the key that identifies an announced limit. */
export function noticeKey({ stage, scope, limit }: Pick<LimitReach, 'stage' | 'scope' | 'limit'>): string {
  return `${stage} ${scope} ${limit}`;
}
