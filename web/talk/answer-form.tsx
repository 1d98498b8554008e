import { useState } from 'preact/hooks';
import type { JsonValue } from '../../src/core/json.ts';
import { pendingOf } from '../../src/core/state/pending.ts';
import { choicesOf, readAnswer } from '../../src/inspect/read-answer.ts';
import { runActions } from '../data/actions.ts';
import { until } from '../data/until.ts';
import { useAction } from '../kit/use-action.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import { useRun } from '../run/page-run.ts';
import type { DecisionProps } from './approval-form.tsx';
import { useReadGate } from './read-gate.ts';
import { ReadStatus } from './read-status.tsx';
import { useGrowing } from './use-growing.ts';
import { WholeText } from './whole-text.tsx';

/** A question in full, and the form for its answer once it was read: its choices, or a field for its schema. */
export function AnswerForm({ card, canDecide, assertStill }: DecisionProps) {
  const store = useRun();
  const [text, setText] = useState('');
  const gate = useReadGate('asked');
  const { run, isBusy, problem } = useAction();
  const answer = (value: JsonValue): void => {
    if (!gate.isOpenFor('asked') && !isRefusal(card, value)) return;
    run(async () => {
      await assertStill();
      await runActions(store.runId).answer(card.id, value);
      await until(store, (state) => !pendingOf(state).some(({ id }) => id === card.id));
    });
  };
  const choices: readonly JsonValue[] = card.schema?.['type'] === 'boolean' ? [true, false] : choicesOf(card);
  return (
    <>
      <div ref={gate.text} class="request-args request-question">
        <WholeText value={card.message ?? ''} />
      </div>
      {canDecide && (
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== '') answer(readAnswer(card, text.trim()));
          }}
        >
          <ReadStatus isRead={gate.isOpen} does="answer" />
          {choices.length > 0 ? (
            <div class="row" role="group" aria-label="Choices">
              {choices.map((choice) => (
                <button
                  key={JSON.stringify(choice)}
                  type="button"
                  class="choice"
                  disabled={isBusy || (!gate.isOpen && !isRefusal(card, choice))}
                  onClick={() => answer(choice)}
                >
                  {choiceText(choice)}
                </button>
              ))}
            </div>
          ) : (
            <div class="row">
              <AnswerField type={card.schema?.['type']} text={text} onText={setText} />
              <button type="submit" class="primary" disabled={isBusy || !gate.isOpen || text.trim() === ''}>
                Answer
              </button>
            </div>
          )}
        </form>
      )}
      {problem !== undefined && (
        <p role="alert" class="problem">
          {toVisibleText(problem)}
        </p>
      )}
    </>
  );
}

/** True for an answer that lets nothing happen: it may be given unread. */
function isRefusal({ asks }: DecisionProps['card'], value: JsonValue): boolean {
  return value === false || (asks === 'profile' && value === 'end');
}

interface AnswerFieldProps {
  readonly type: JsonValue | undefined;
  readonly text: string;
  readonly onText: (text: string) => void;
}

function AnswerField({ type, text, onText }: AnswerFieldProps) {
  const area = useGrowing(text);
  if (type === 'number' || type === 'integer')
    return (
      <input
        type="number"
        step={type === 'integer' ? 1 : 'any'}
        required
        aria-label="Your answer"
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    );
  return (
    <textarea
      ref={area}
      class="answer growing"
      rows={2}
      required
      aria-label={type === 'object' || type === 'array' ? `Your answer, as JSON (${type})` : 'Your answer'}
      value={text}
      onInput={({ currentTarget }) => onText(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
      }}
    />
  );
}

function choiceText(choice: JsonValue): string {
  if (typeof choice === 'boolean') return choice ? 'yes' : 'no';
  return toVisibleText(typeof choice === 'string' ? choice : JSON.stringify(choice));
}
