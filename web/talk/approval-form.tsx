import { useState } from 'preact/hooks';
import type { JsonObject } from '../../src/core/json.ts';
import { type PendingRequest, pendingOf } from '../../src/core/state/pending.ts';
import { scopeText } from '../../src/inspect/format/turn/request-text.ts';
import { readArguments } from '../../src/inspect/read-answer.ts';
import { runActions } from '../data/actions.ts';
import { until } from '../data/until.ts';
import { ScrollBox } from '../kit/scroll-box.tsx';
import { Text } from '../kit/text.tsx';
import { useAction } from '../kit/use-action.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import { useRun } from '../run/page-run.ts';

/** Form that approves a call, approves it with other arguments, or rejects it. */
export function ApprovalForm({ request, canControl }: { readonly request: PendingRequest; readonly canControl: boolean }) {
  const store = useRun();
  const asked = JSON.stringify(request.args, undefined, 2);
  const [edited, setEdited] = useState<string | undefined>();
  const [isAlways, setAlways] = useState(false);
  const [message, setMessage] = useState('');
  const { run, isBusy, problem } = useAction();
  const actions = runActions(store.runId);
  const args = edited === undefined ? undefined : read(edited);
  const decide = (work: () => Promise<unknown>): void =>
    run(async () => {
      await work();
      await until(store, (state) => !pendingOf(state).some(({ id }) => id === request.id));
    });
  const approve = (): void =>
    decide(() =>
      actions.approve([request.id], {
        ...(args?.value === undefined ? {} : { args: args.value }),
        ...(isAlways ? { always: true } : {}),
        ...(request.fingerprint === undefined ? {} : { fingerprint: request.fingerprint }),
      }),
    );
  return (
    <>
      {edited === undefined ? (
        <ScrollBox class="request-args">
          <Text value={asked} label="Arguments" whole />
        </ScrollBox>
      ) : (
        <label class="field">
          <span>All arguments, as one JSON object</span>
          <textarea
            class="mono"
            rows={Math.min(16, edited.split('\n').length + 1)}
            spellcheck={false}
            aria-invalid={args?.problem !== undefined}
            value={edited}
            onInput={({ currentTarget }) => setEdited(currentTarget.value)}
          />
        </label>
      )}
      {args?.problem !== undefined && (
        <p role="alert" class="problem small">
          {args.problem}
        </p>
      )}
      {isAlways && <p class="small faint">Always: {scopeText(request, toVisibleText)}</p>}
      {canControl && (
        <div class="row request-decide">
          <button type="button" class="primary" disabled={isBusy || args?.problem !== undefined} onClick={approve}>
            {edited === undefined ? 'Approve' : 'Approve with these arguments'}
          </button>
          <button type="button" onClick={() => setEdited(edited === undefined ? asked : undefined)}>
            {edited === undefined ? 'Edit arguments' : 'Discard the edit'}
          </button>
          <label class="small" title={scopeText(request, toVisibleText)}>
            <input type="checkbox" checked={isAlways} onChange={({ currentTarget }) => setAlways(currentTarget.checked)} /> always
          </label>
          <span class="request-reject">
            <input
              aria-label="Reason for the rejection; the model reads it"
              placeholder="reason (optional)"
              value={message}
              onInput={({ currentTarget }) => setMessage(currentTarget.value)}
            />
            <button
              type="button"
              class="danger"
              disabled={isBusy}
              onClick={() => decide(() => actions.reject([request.id], message.trim() === '' ? undefined : message.trim()))}
            >
              Reject
            </button>
          </span>
        </div>
      )}
      {problem !== undefined && (
        <p role="alert" class="problem">
          {toVisibleText(problem)}
        </p>
      )}
    </>
  );
}

function read(text: string): { readonly value?: JsonObject; readonly problem?: string } {
  try {
    return { value: readArguments(text) };
  } catch (thrown) {
    return { problem: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}
