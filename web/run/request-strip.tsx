import type { RunOverview } from '../../src/inspect/run-overview.ts';
import { safe } from '../kit/safe.ts';
import { runHref } from '../routing/route.ts';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';

/** Number of requests listed by name; further ones are counted. */
const named = 3;

/** Pending requests, on every view except the one where they are decided. */
export function RequestStrip({ overview }: { readonly overview: RunOverview }) {
  const { pending, runId } = overview;
  if (pending.length === 0) return null;
  return (
    <section class="request-strip" aria-label="Waiting for you">
      <strong>{countText(pending.length, 'request')} for you</strong>
      {pending.slice(0, named).map((request) => (
        <a key={request.id} href={runHref(runId, 'talk', { request: request.id })}>
          {request.kind === 'approval' ? `approve ${safe(request.tool, 80)}` : 'answer a question'}
          <span class="faint"> {safe(request.agentId, 80)}</span>
        </a>
      ))}
      {pending.length > named && <a href={runHref(runId, 'talk')}>and {pending.length - named} more</a>}
    </section>
  );
}
