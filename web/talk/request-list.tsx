import type { RouteQuery } from '../routing/route.ts';
import { useDecision } from '../run/use-control.ts';
import { RequestCard } from './request-card.tsx';
import { useCards } from './use-cards.ts';

/** The pending requests, oldest first; the one from the address, or the first one, is brought into view. Has a script of its own. */
export function RequestList({ query }: { readonly query: RouteQuery }) {
  const { pending, problem, isStill } = useCards();
  const canDecide = useDecision();
  const target = query['request'] ?? pending[0]?.request.id;
  return (
    <div class="talk-requests">
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
