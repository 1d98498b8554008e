import { useEffect, useRef } from 'preact/hooks';
import type { PendingRequest } from '../../src/core/state/pending.ts';
import { deadlineText } from '../../src/inspect/format/turn/request-text.ts';
import { approvalFacts } from '../../src/inspect/approval-text.ts';
import { lookAlikes } from '../../src/inspect/look-alikes.ts';
import { Text } from '../kit/text.tsx';
import { Time } from '../kit/time.tsx';
import { useNow } from '../kit/use-now.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import { turnHref } from '../routing/route.ts';
import { useRun } from '../run/page-run.ts';
import { AnswerForm } from './answer-form.tsx';
import { ApprovalForm } from './approval-form.tsx';

/** A pending request: its question, agent, deadline, and the form to decide it. */
export function RequestCard(props: {
  readonly request: PendingRequest;
  readonly canControl: boolean;
  /** True when the address points to this request. */
  readonly isTarget: boolean;
}) {
  const { request, canControl, isTarget } = props;
  const { runId } = useRun();
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isTarget) card.current?.scrollIntoView({ block: 'nearest' });
  }, [isTarget]);
  const now = useNow(request.expiresAt !== undefined);
  const deadline = deadlineText(request, now);
  const what =
    request.kind === 'approval'
      ? `wants to call ${request.tool}`
      : request.tool === ''
        ? 'waits for a decision, as its profile says'
        : 'asks';
  const words = lookAlikes(`${request.tool} ${JSON.stringify(request.args)}`);
  return (
    <section ref={card} class="request panel" aria-label={`${request.kind} ${request.id}`}>
      <h3>
        {toVisibleText(request.agentId)} {toVisibleText(what)}
      </h3>
      <p class="small faint row">
        {request.path.length > 1 && <span>{request.path.map(toVisibleText).join(' → ')}</span>}
        {request.turnId !== '' && <a href={turnHref(runId, request.turnId)}>{toVisibleText(request.turnId)}</a>}
        <span>
          asked <Time at={request.since} />
        </span>
        {deadline !== undefined && <strong class="tone-waits">{deadline}</strong>}
      </p>
      {request.message !== undefined && <Text value={request.message} label="Request" />}
      <Facts request={request} />
      {words.length > 0 && <p class="problem">Contains lookalike characters: {words.join(', ')}</p>}
      {request.kind === 'approval' ? (
        <ApprovalForm request={request} canControl={canControl} />
      ) : (
        canControl && <AnswerForm request={request} />
      )}
    </section>
  );
}

/** Facts a person must know before approving a call. */
function Facts({ request }: { readonly request: PendingRequest }) {
  const facts = approvalFacts(request);
  if (facts.length === 0) return null;
  return (
    <ul class="request-facts small">
      {facts.map(({ text, isWarning }) => (
        <li key={text} class={isWarning ? 'problem' : 'faint'}>
          {toVisibleText(text)}
        </li>
      ))}
    </ul>
  );
}
