import { useState } from 'preact/hooks';
import { launch } from '../data/actions.ts';
import type { ServerInfo } from '../data/server-info.ts';
import { Dialog } from '../kit/dialog.tsx';
import { useAction } from '../kit/use-action.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import { runHref } from '../routing/route.ts';
import { go } from '../routing/router.ts';

/** Limits with a field; others come from the profile and the engine. */
const limits = [
  ['maxTurns', 'Maximum turns', 1],
  ['maxTokens', 'Maximum tokens', 1],
  ['maxCostUsd', 'Maximum cost in US dollars', 0.01],
] as const;

/** Dialog that launches a run and opens it. Keeps the input when the server refuses it. */
export function LaunchDialog({ info, onClose }: { readonly info: ServerInfo; readonly onClose: () => void }) {
  const [profile, setProfile] = useState(info.defaultProfile ?? info.profiles[0]?.name ?? '');
  const [input, setInput] = useState('');
  const [title, setTitle] = useState('');
  const [bounds, setBounds] = useState<Readonly<Record<string, string>>>({});
  const { run, isBusy, problem } = useAction();
  const start = async (): Promise<void> => {
    const given = Object.entries(bounds).filter(([, value]) => value !== '');
    const runId = await launch({
      input,
      ...(profile === '' ? {} : { profile }),
      ...(title.trim() === '' ? {} : { title: title.trim() }),
      ...(given.length === 0 ? {} : { limits: Object.fromEntries(given.map(([name, value]) => [name, Number(value)])) }),
    });
    onClose();
    go(runHref(runId));
  };
  const chosen = info.profiles.find(({ name }) => name === profile);
  return (
    <Dialog title="New run" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          run(start);
        }}
      >
        <label class="field">
          <span>Task for the team</span>
          <textarea
            autoFocus
            required
            rows={6}
            value={input}
            onInput={({ currentTarget }) => setInput(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
            }}
          />
        </label>
        <label class="field">
          <span>Profile</span>
          <select value={profile} onChange={({ currentTarget }) => setProfile(currentTarget.value)}>
            {info.profiles.map(({ name }) => (
              <option key={name} value={name}>
                {toVisibleText(name)}
              </option>
            ))}
          </select>
          {chosen?.description !== undefined && <span class="faint small">{toVisibleText(chosen.description)}</span>}
        </label>
        <label class="field">
          <span>Title (default: the input)</span>
          <input value={title} onInput={({ currentTarget }) => setTitle(currentTarget.value)} />
        </label>
        <details>
          <summary class="small">Limits of this run</summary>
          <div class="row launch-limits">
            {limits.map(([name, label, step]) => (
              <label key={name} class="field">
                <span>{label}</span>
                <input
                  type="number"
                  min={step}
                  step={step === 1 ? 1 : 'any'}
                  value={bounds[name] ?? ''}
                  onInput={({ currentTarget }) => setBounds({ ...bounds, [name]: currentTarget.value })}
                />
              </label>
            ))}
          </div>
        </details>
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy || input.trim() === ''}>
            {isBusy ? 'Starting…' : 'Start'}
          </button>
          <span class="faint small">ctrl + enter</span>
          {problem !== undefined && (
            <p role="alert" class="problem">
              {toVisibleText(problem)}
            </p>
          )}
        </div>
      </form>
    </Dialog>
  );
}
