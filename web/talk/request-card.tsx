import { useEffect, useRef, useState } from 'preact/hooks';
import type { PendingRequest } from '../../src/core/state/pending.ts';
import { ownApprovalGate } from '../../src/core/tool/wait-for.ts';
import { deadlineText } from '../../src/inspect/format/turn/request-text.ts';
import { effectWords } from '../../src/inspect/requests/effect-words.ts';
import type { RequestCard as Card } from '../../src/inspect/requests/request-card.ts';
import { safe } from '../kit/safe.ts';
import { Time } from '../kit/time.tsx';
import { useNow } from '../kit/use-now.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import { turnHref } from '../routing/route.ts';
import { useRun } from '../run/page-run.ts';
import { AnswerForm } from './answer-form.tsx';
import { ApprovalForm } from './approval-form.tsx';
import { keepCentred } from './keep-centred.ts';
import type { Cards, PendingCard } from './use-cards.ts';
import { WholeText } from './whole-text.tsx';

/** A pending request: who asks for what and why, all of its content, and the form to decide it. */
export function RequestCard(props: {
  readonly pending: PendingCard;
  readonly canDecide: boolean;
  readonly isStill: Cards['isStill'];
  /** Reason why the card could not be loaded. */
  readonly problem: string | undefined;
  /** True when the address points to this request. */
  readonly isTarget: boolean;
}) {
  const { pending, canDecide, isStill, problem, isTarget } = props;
  const { request, card, shown } = pending;
  const element = useRef<HTMLElement>(null);
  const [isChanged, setChanged] = useState(false);
  const isThere = card !== undefined;
  useEffect(() => (isTarget && element.current !== null ? keepCentred(element.current) : undefined), [isTarget, isThere]);
  const assertStill = async (): Promise<void> => {
    if (await isStill(pending)) return;
    setChanged(true);
    throw new Error('Nothing was sent: this request is not any more what was shown. Look at it again.');
  };
  return (
    <section ref={element} class="request panel" aria-label={`${request.kind} ${request.id}`} aria-busy={!isThere}>
      <Head request={request} />
      {card === undefined ? (
        <p class="faint">{problem === undefined ? 'Loading…' : `It cannot be shown, and so not be decided here: ${problem}`}</p>
      ) : (
        <>
          <Why card={card} />
          {isChanged && (
            <p role="alert" class="problem">
              What it would do has changed while it was shown. Read it again.
            </p>
          )}
          {/* Another content is another form: what was read and typed for the one before does not count. */}
          {card.kind === 'approval' ? (
            <ApprovalForm key={shown} card={card} canDecide={canDecide} assertStill={assertStill} />
          ) : (
            <AnswerForm key={shown} card={card} canDecide={canDecide} assertStill={assertStill} />
          )}
        </>
      )}
    </section>
  );
}

function Head({ request }: { readonly request: PendingRequest }) {
  const { runId } = useRun();
  const { kind, tool, agentId, path, turnId, since, effect } = request;
  const deadline = deadlineText(request, useNow(request.expiresAt !== undefined));
  return (
    <header class="request-head">
      <h3>
        {toVisibleText(agentId)}{' '}
        {kind === 'approval' ? (
          <>
            wants to call <code>{safe(tool, 200)}</code>
          </>
        ) : tool === '' ? (
          'waits for a decision, as its profile says'
        ) : (
          'asks'
        )}{' '}
        {effect !== undefined && <span class={`badge tone-${effect === 'unsafe' ? 'bad' : 'calm'}`}>{effectWords[effect]}</span>}
      </h3>
      <p class="small faint row">
        {path.length > 1 && <span>{path.map(toVisibleText).join(' → ')}</span>}
        {turnId !== '' && <a href={turnHref(runId, turnId)}>{toVisibleText(turnId)}</a>}
        <span>
          asked <Time at={since} />
        </span>
        {deadline !== undefined && <strong class="tone-waits">{deadline}</strong>}
      </p>
    </header>
  );
}

/** Returns the first sentence of a description: the rest tells a model how to call the tool. */
function firstSentence(text: string): string {
  return safe(text.split(/(?<=[.!?])\s/u)[0] ?? '', 200);
}

/** Why a call is asked about, and what a person must know before they let it run. */
function Why({ card }: { readonly card: Card }) {
  const { gate, message, taint = [], facts, description } = card;
  if (card.kind === 'question') return null;
  return (
    <>
      {description !== undefined && description !== '' && <p class="small faint">{firstSentence(description)}</p>}
      {gate !== undefined && (
        <div class="request-why">
          <p class="small faint">
            {gate.id === ownApprovalGate ? 'The tool itself asks' : `Gate ${safe(gate.id, 80)} of ${safe(gate.profile, 80)} asks`}
            {taint.length > 0 && (
              <span class="problem"> · it quotes untrusted text of {taint.map((from) => safe(from, 80)).join(', ')}</span>
            )}
          </p>
          {message !== undefined && <WholeText value={message} />}
        </div>
      )}
      {facts.length > 0 && (
        <ul class="request-facts small">
          {facts.map(({ text, isWarning }) => (
            <li key={text} class={isWarning ? 'problem' : 'faint'}>
              {toVisibleText(text)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
