import type { PendingRequest } from '../../core/state/pending.ts';
import type { Run } from '../../engine/run.ts';
import type { RequestCard } from '../../inspect/requests/request-card.ts';

/** Returns the card of a request; the request itself when it was decided meanwhile. */
export async function cardOf(run: Run, request: PendingRequest): Promise<PendingRequest | RequestCard> {
  return (await run.cards()).find(({ id }) => id === request.id) ?? request;
}
