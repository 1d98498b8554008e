import type { RouteQuery } from '../routing/route.ts';
import { missingRole } from '../data/server-info.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import { useControl, useDecision } from '../run/use-control.ts';
import { RequestCard } from './request-card.tsx';
import { useCards } from './use-cards.ts';

/** The pending requests, oldest first; the one from the address, or the first one, is brought into view. Loaded with a separate script. */
export function RequestList({ query }: { readonly query: RouteQuery }) {
  const { pending, problem, isStill } = useCards();
  const canDecide = useDecision();
  const missing = useControl() ? missingRole('approve') : undefined;
  const target = query['request'] ?? pending[0]?.request.id;
  return (
    <div class="talk-requests">
      {pending.length > 0 && missing !== undefined && <p class="small faint">{toVisibleText(missing)}</p>}
      {pending.map((each) => (
        <RequestCard
          key={each.request.id}
          pending={each}
          canDecide={canDecide}
          isStill={isStill}
          problem={problem}
          isTarget={target === each.request.id}
        />
      ))}
    </div>
  );
}
