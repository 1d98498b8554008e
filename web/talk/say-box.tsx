import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Delivery } from '../../src/core/inbox/inbox.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';
import { runActions } from '../data/actions.ts';
import { until } from '../data/until.ts';
import { useAction } from '../kit/use-action.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import type { RouteQuery } from '../routing/route.ts';
import { setQuery } from '../routing/router.ts';
import { useRun, useView } from '../run/page-run.ts';

/** Text being typed, by run, kept while the user looks at another view. */
const drafts = signal<ReadonlyMap<string, string>>(new Map());

const priorities: readonly (readonly [Delivery, string])[] = [
  ['next', 'with its next turn'],
  ['now', 'now, interrupting its reply'],
  ['idle', 'when it is idle'],
];

/** Box that sends a message to an agent, by default the one of the conversation. */
export function SayBox(props: {
  readonly query: RouteQuery;
  /** Takes little room: a request is read above it. */
  readonly isShort: boolean;
  readonly onSaid: () => void;
}) {
  const { query, isShort, onSaid } = props;
  const store = useRun();
  const agents = useView(livingAgents).value ?? [];
  const [priority, setPriority] = useState<Delivery>('next');
  const { run, isBusy, problem } = useAction();
  const text = drafts.value.get(store.runId) ?? '';
  const write = (words: string): void => {
    drafts.value = new Map(drafts.peek()).set(store.runId, words);
  };
  const to = agents.includes(query['to'] ?? '') ? query['to'] : agents[0];
  const send = async (): Promise<void> => {
    const itemId = await runActions(store.runId).send({ text, priority, ...(to === undefined ? {} : { to }) });
    write('');
    await until(store, (state) => hasItem(state, itemId));
    onSaid();
  };
  return (
    <form
      class="say"
      aria-label="Send a message"
      onSubmit={(event) => {
        event.preventDefault();
        run(send);
      }}
    >
      <textarea
        aria-label="Message"
        placeholder="Message to the team"
        rows={Math.min(10, Math.max(isShort ? 1 : 2, text.split('\n').length))}
        value={text}
        onInput={({ currentTarget }) => write(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
        }}
      />
      <div class="row small">
        <label>
          to{' '}
          <select value={to} onChange={({ currentTarget }) => setQuery({ to: currentTarget.value })}>
            {agents.map((agentId) => (
              <option key={agentId} value={agentId}>
                {toVisibleText(agentId)}
              </option>
            ))}
          </select>
        </label>
        <label>
          read{' '}
          <select
            value={priority}
            onChange={({ currentTarget }) => setPriority(priorities.find(([name]) => name === currentTarget.value)?.[0] ?? 'next')}
          >
            {priorities.map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
        {problem !== undefined && (
          <span role="alert" class="problem">
            {toVisibleText(problem)}
          </span>
        )}
        <span class="faint push for-keys">ctrl + enter</span>
        <button type="submit" class="primary" disabled={isBusy || text.trim() === ''}>
          {isBusy ? 'Sending…' : 'Send'}
        </button>
      </div>
    </form>
  );
}

/** Returns the agents that can read a message, the root first. */
function livingAgents(state: RunContext): readonly string[] {
  return [...state.agents.values()].filter(({ status }) => status !== 'ended').map(({ meta }) => meta.agentId);
}

/** True when the item is in an inbox, or a turn has read it. */
function hasItem(state: RunContext, itemId: string): boolean {
  for (const agent of state.agents.values()) if (agent.inbox.items.some(({ item }) => item.itemId === itemId)) return true;
  for (const turn of state.turns.values()) if (turn.items.some((item) => item?.itemId === itemId)) return true;
  return false;
}
