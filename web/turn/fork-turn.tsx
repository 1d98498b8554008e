import { useState } from 'preact/hooks';
import { isJsonObject } from '../../src/core/json.ts';
import type { TurnInputView } from '../../src/inspect/turn/turn-inputs.ts';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { type ForkRequest, runActions } from '../data/actions.ts';
import { serverInfo } from '../data/server-info.ts';
import { Dialog } from '../kit/dialog.tsx';
import { safe } from '../kit/safe.ts';
import { useAction } from '../kit/use-action.ts';
import { runHref } from '../routing/route.ts';
import { go } from '../routing/router.ts';

/** A text that the turn read and that a person may change: a message, or the result of a call. */
interface Changeable {
  readonly key: string;
  readonly label: string;
  readonly text: string;
  readonly edit: (text: string) => NonNullable<ForkRequest['edits']>[number];
}

/** Button that opens the dialog for taking a turn again in a fork. */
export function ForkTurn({ record }: { readonly record: TurnRecord }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        Fork before…
      </button>
      {isOpen && <ForkTurnDialog record={record} onClose={() => setOpen(false)} />}
    </>
  );
}

function ForkTurnDialog({ record, onClose }: { readonly record: TurnRecord; readonly onClose: () => void }) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const [isCurrent, setCurrent] = useState(false);
  const [llmConfig, setLlmConfig] = useState('');
  const { run, isBusy, problem } = useAction();
  const changeable = record.inputs.flatMap(changeableOf);
  const fork = async (): Promise<void> => {
    const edits = changeable.flatMap(({ key, text, edit }) => {
      const now = texts[key];
      return now === undefined || now === text ? [] : [edit(now)];
    });
    const request: ForkRequest = {
      before: record.turnId,
      profiles: isCurrent ? 'current' : 'recorded',
      ...(llmConfig === '' ? {} : { llmConfig }),
      ...(edits.length === 0 ? {} : { edits }),
    };
    const runId = await runActions(record.runId).fork(request);
    onClose();
    go(runHref(runId));
  };
  return (
    <Dialog title={`Fork before ${safe(record.turnId)}`} onClose={onClose} class="fork-turn">
      <form class="stack" onSubmit={(event) => (event.preventDefault(), run(fork))}>
        <p>Starts a new run with the history before this turn. It takes the turn again, with what you change here.</p>
        {changeable.map(({ key, label, text }) => (
          <label key={key} class="field">
            <span>{label}</span>
            <textarea
              rows={Math.min(8, (texts[key] ?? text).split('\n').length + 1)}
              value={texts[key] ?? text}
              onInput={({ currentTarget }) => setTexts({ ...texts, [key]: currentTarget.value })}
            />
          </label>
        ))}
        <label class="row">
          <input type="checkbox" checked={isCurrent} onChange={({ currentTarget }) => setCurrent(currentTarget.checked)} />
          <span>with the profiles that the server uses now</span>
        </label>
        <label class="field">
          <span>LLM config</span>
          <select value={llmConfig} onChange={({ currentTarget }) => setLlmConfig(currentTarget.value)}>
            <option value="">as recorded</option>
            {(serverInfo.value?.llmConfigs ?? []).map((name) => (
              <option key={name} value={name}>
                {safe(name)}
              </option>
            ))}
          </select>
        </label>
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy}>
            Fork
          </button>
          {problem !== undefined && (
            <span role="alert" class="problem">
              {problem}
            </span>
          )}
        </div>
      </form>
    </Dialog>
  );
}

function changeableOf(input: TurnInputView): readonly Changeable[] {
  const { itemId, callId, source, payload, from } = input;
  if (callId !== undefined) {
    // The frame around text from outside is made again by the fork.
    const content = isJsonObject(payload) ? payload['content'] : undefined;
    const name = isJsonObject(payload) ? String(payload['tool_name'] ?? callId) : callId;
    if (content === undefined) return [];
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    const edit: Changeable['edit'] = (now) => ({ type: 'result', callId, content: now });
    return [{ key: itemId, label: `result of ${safe(name, 80)}`, text, edit }];
  }
  // Items of agents and observers are made again by the fork.
  if (from !== undefined || input.observerId !== undefined || input.ruleId !== undefined) return [];
  const text = textOf(payload);
  if (text === undefined) return [];
  const edit: Changeable['edit'] = (now) => ({
    type: 'message',
    itemId,
    payload: isJsonObject(payload) ? { ...payload, prompt: now } : now,
  });
  return [{ key: itemId, label: safe(source, 80), text, edit }];
}

/** Returns the text of a message; undefined when its payload has another shape. */
function textOf(payload: TurnInputView['payload']): string | undefined {
  if (typeof payload === 'string') return payload;
  const prompt = isJsonObject(payload) ? payload['prompt'] : undefined;
  return typeof prompt === 'string' ? prompt : undefined;
}
