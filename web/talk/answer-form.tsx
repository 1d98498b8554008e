import { useState } from 'preact/hooks';
import type { JsonValue } from '../../src/core/json.ts';
import { type PendingRequest, pendingOf } from '../../src/core/state/pending.ts';
import { choicesOf, readAnswer } from '../../src/inspect/read-answer.ts';
import { runActions } from '../data/actions.ts';
import { until } from '../data/until.ts';
import { useAction } from '../kit/use-action.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import { useRun } from '../run/page-run.ts';

/** Form for the answer to a question: its choices, or a field for its schema. */
export function AnswerForm({ request }: { readonly request: PendingRequest }) {
  const store = useRun();
  const [text, setText] = useState('');
  const { run, isBusy, problem } = useAction();
  const answer = (value: JsonValue): void =>
    run(async () => {
      await runActions(store.runId).answer(request.id, value);
      await until(store, (state) => !pendingOf(state).some(({ id }) => id === request.id));
    });
  const type = request.schema?.['type'];
  const choices: readonly JsonValue[] = type === 'boolean' ? [true, false] : choicesOf(request);
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        answer(readAnswer(request, text.trim()));
      }}
    >
      {choices.length > 0 ? (
        <div class="row" role="group" aria-label="Choices">
          {choices.map((choice) => (
            <button key={JSON.stringify(choice)} type="button" class="choice" disabled={isBusy} onClick={() => answer(choice)}>
              {choiceText(choice)}
            </button>
          ))}
        </div>
      ) : (
        <div class="row">
          {type === 'number' || type === 'integer' ? (
            <input
              type="number"
              step={type === 'integer' ? 1 : 'any'}
              required
              aria-label="Your answer"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          ) : (
            <textarea
              class="answer"
              rows={2}
              required
              aria-label={type === 'object' || type === 'array' ? `Your answer, as JSON (${type})` : 'Your answer'}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
              }}
            />
          )}
          <button type="submit" class="primary" disabled={isBusy || text.trim() === ''}>
            Answer
          </button>
        </div>
      )}
      {problem !== undefined && (
        <p role="alert" class="problem">
          {toVisibleText(problem)}
        </p>
      )}
    </form>
  );
}

function choiceText(choice: JsonValue): string {
  if (typeof choice === 'boolean') return choice ? 'yes' : 'no';
  return toVisibleText(typeof choice === 'string' ? choice : JSON.stringify(choice));
}
