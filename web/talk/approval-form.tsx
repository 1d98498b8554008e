import { useState } from 'preact/hooks';
import type { JsonObject } from '../../src/core/json.ts';
import { pendingOf } from '../../src/core/state/pending.ts';
import { scopeText } from '../../src/inspect/format/turn/request-text.ts';
import { readArguments } from '../../src/inspect/read-answer.ts';
import type { RequestCard } from '../../src/inspect/requests/request-card.ts';
import { runActions } from '../data/actions.ts';
import { until } from '../data/until.ts';
import { useAction } from '../kit/use-action.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import { useRun } from '../run/page-run.ts';
import { ChangeView, Fields } from './card-content.tsx';
import { DecideCall } from './decide-call.tsx';
import { useReadGate } from './read-gate.ts';
import { ReadStatus } from './read-status.tsx';
import { useGrowing } from './use-growing.ts';

/** What a form that decides a request is given. */
export interface DecisionProps {
  readonly card: RequestCard;
  readonly canDecide: boolean;
  /** Fails when the card is not any more as it is shown. */
  readonly assertStill: () => Promise<void>;
}

/** A call with its arguments in full; approves it once they were read, also with other arguments, or rejects it. */
export function ApprovalForm({ card, canDecide, assertStill }: DecisionProps) {
  const store = useRun();
  const asked = JSON.stringify(card.args, undefined, 2);
  const [edited, setEdited] = useState<string | undefined>();
  const [isAlways, setAlways] = useState(false);
  const gate = useReadGate(edited === undefined ? 'asked' : 'edited');
  const { run, isBusy, problem } = useAction();
  const actions = runActions(store.runId);
  const args = edited === undefined ? undefined : read(edited);
  const decide = (work: () => Promise<unknown>): void =>
    run(async () => {
      await work();
      await until(store, (state) => !pendingOf(state).some(({ id }) => id === card.id));
    });
  const approve = (): void => {
    if (!gate.isOpenFor(edited === undefined ? 'asked' : 'edited')) return;
    decide(async () => {
      await assertStill();
      await actions.approve([card.id], {
        ...(args?.value === undefined ? {} : { args: args.value }),
        ...(isAlways ? { always: true } : {}),
        fingerprint: card.fingerprint,
      });
    });
  };
  return (
    <>
      {edited === undefined ? (
        <div ref={gate.text} class="request-args">
          {card.changes.map((change) => (
            <ChangeView key={change.path} change={change} />
          ))}
          {card.fields.length === 0 ? <p class="faint">It has no arguments.</p> : <Fields fields={card.fields} label="Arguments" />}
        </div>
      ) : (
        <EditArguments text={edited} gate={gate.text} problem={args?.problem} onEdit={setEdited} />
      )}
      {canDecide && (
        <>
          <ReadStatus isRead={gate.isOpen} does={edited === undefined ? 'approve' : 'approve with these arguments'} />
          <div class="request-decide">
            <DecideCall
              key={edited === undefined ? 'asked' : 'edited'}
              tool={card.tool}
              isUnsafe={card.effect === 'unsafe'}
              label={edited === undefined ? 'Approve' : 'Approve with these arguments'}
              isRead={gate.isOpen}
              isBlocked={isBusy || args?.problem !== undefined}
              onApprove={approve}
            />
            <button type="button" onClick={() => setEdited(edited === undefined ? asked : undefined)}>
              {edited === undefined ? 'Edit arguments' : 'Discard the edit'}
            </button>
            <label class="small">
              <input type="checkbox" checked={isAlways} onChange={({ currentTarget }) => setAlways(currentTarget.checked)} /> always
            </label>
            <Reject
              isBusy={isBusy}
              onReject={(message) => decide(() => actions.reject([card.id], message === '' ? undefined : message))}
            />
          </div>
          {isAlways && <p class="small tone-waits">Always: {scopeText(card, toVisibleText)}.</p>}
        </>
      )}
      {problem !== undefined && (
        <p role="alert" class="problem">
          {toVisibleText(problem)}
        </p>
      )}
    </>
  );
}

function EditArguments(props: {
  readonly text: string;
  readonly gate: ReturnType<typeof useReadGate>['text'];
  readonly problem: string | undefined;
  readonly onEdit: (text: string) => void;
}) {
  const { text, gate, problem, onEdit } = props;
  const area = useGrowing(text);
  return (
    <>
      <div ref={gate} class="request-args">
        <label class="field">
          <span>All arguments, as one JSON object</span>
          <textarea
            ref={area}
            class="mono growing"
            spellcheck={false}
            aria-invalid={problem !== undefined}
            value={text}
            onInput={({ currentTarget }) => onEdit(currentTarget.value)}
          />
        </label>
      </div>
      {problem !== undefined && (
        <p role="alert" class="problem small">
          {problem}
        </p>
      )}
    </>
  );
}

function Reject({ isBusy, onReject }: { readonly isBusy: boolean; readonly onReject: (message: string) => void }) {
  const [message, setMessage] = useState('');
  return (
    <span class="request-reject">
      <input
        aria-label="Reason for the rejection; the model reads it"
        placeholder="reason (optional)"
        value={message}
        onInput={({ currentTarget }) => setMessage(currentTarget.value)}
      />
      <button type="button" class="danger" disabled={isBusy} onClick={() => onReject(message.trim())}>
        Reject
      </button>
    </span>
  );
}

function read(text: string): { readonly value?: JsonObject; readonly problem?: string } {
  try {
    return { value: readArguments(text) };
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
