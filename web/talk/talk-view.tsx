import { useState } from 'preact/hooks';
import { pendingOf } from '../../src/core/state/pending.ts';
import { conversation, type ConversationEntry } from '../../src/inspect/conversation.ts';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';
import { missingRole } from '../data/server-info.ts';
import { toVisibleText } from '../kit/visible-text.ts';
import { VirtualList } from '../kit/virtual-list.tsx';
import { RawSwitch } from '../kit/formatted-text.tsx';
import { RequestView } from '../run/lazy-view.tsx';
import { useView } from '../run/page-run.ts';
import { useControl } from '../run/use-control.ts';
import type { RouteQuery } from '../routing/route.ts';
import { type LiveEntry, Message } from './message.tsx';
import { SayBox } from './say-box.tsx';
import './talk.css';

/** The conversation with the user, the pending requests after it, all in one scroller, and a box for messages. */
export function TalkView({ query }: { readonly query: RouteQuery }) {
  const messages = useView(conversation).value ?? [];
  const isOver = useView((state) => state.outcome !== undefined).value ?? true;
  const live = useView(liveEntry).value;
  const [follows, setFollows] = useState(true);
  const entries: readonly (ConversationEntry | LiveEntry)[] = live === undefined ? messages : [...messages, live];
  const canControl = useControl();
  const isAsked = useView((state) => pendingOf(state).length > 0).value ?? false;
  const missing = missingRole('talk');
  return (
    <>
      <h2 class="seen-by-readers">Conversation</h2>
      <div class="toolbar">
        <span class="faint small number">{countText(messages.length, 'message')}</span>
        <span class="push" />
        <RawSwitch />
      </div>
      {entries.length === 0 && !isAsked ? (
        <p class="fill-rest empty faint">No messages yet.</p>
      ) : (
        <VirtualList
          class="talk"
          label="Conversation"
          count={entries.length}
          estimate={90}
          keyOf={(index) => keyOf(entries[index], index)}
          // A request that is being read must stay where it is.
          follow={follows && !isAsked}
          onScrollUp={() => setFollows(false)}
          row={(index) => {
            const entry = entries[index];
            return entry === undefined ? null : <Message entry={entry} />;
          }}
          after={isAsked ? <RequestView show={({ RequestList }) => <RequestList query={query} />} /> : undefined}
        />
      )}
      {canControl && !isOver && (
        <div class="talk-desk">
          {missing === undefined ? (
            <SayBox query={query} isShort={isAsked} onSaid={() => setFollows(true)} />
          ) : (
            <p class="small faint">{toVisibleText(missing)}</p>
          )}
        </div>
      )}
    </>
  );
}

/** Returns the reply that the root agent is writing. */
function liveEntry(...[state]: Parameters<typeof conversation>): LiveEntry | undefined {
  const root = state.rootAgentId === undefined ? undefined : state.agents.get(state.rootAgentId);
  const turn = root?.turn.currentId === undefined ? undefined : state.turns.get(root.turn.currentId);
  if (turn === undefined || turn.modelEnd !== undefined || turn.start.prompt === undefined) return undefined;
  return { kind: 'live', from: turn.agentId, turnId: turn.turnId, at: turn.start.at };
}

function keyOf(entry: ConversationEntry | LiveEntry | undefined, index: number): string {
  switch (entry?.kind) {
    case 'user':
      return entry.itemId;
    case 'agent':
    case 'live':
      return `${entry.kind} ${entry.turnId}`;
    case 'output':
      return 'output';
    case undefined:
      return String(index);
  }
}
