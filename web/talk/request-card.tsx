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
import { useRun } from '../run/run-context.ts';
import { AnswerForm } from './answer-form.tsx';
import { ApprovalForm } from './approval-form.tsx';

/** A pending request: its question, agent, deadline, and the form to decide it. */
export function RequestCard(props: {
  readonly request: PendingRequest;
  readonly canControl: boolean;
  /** True when the address points to this request. */
  readonly isMeant: boolean;
}) {
  const { request, canControl, isMeant } = props;
  const { runId } = useRun();
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isMeant) card.current?.scrollIntoView({ block: 'nearest' });
  }, [isMeant]);
  const now = useNow(request.expiresAt !== undefined);
  const deadline = deadlineText(request, now);
  const what =
    request.kind === 'approval'
      ? `wants to call ${request.tool}`
      : request.tool === ''
        ? 'waits: its profile asks what to do'
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
      {request.message !== undefined && <Text value={request.message} label="What is asked" />}
      <Facts request={request} />
      {words.length > 0 && <p class="problem">Looks like another word: {words.join(', ')}</p>}
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
