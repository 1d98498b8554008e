import type { AgentId, TurnId } from '../../src/core/ids.ts';
import type { ConversationEntry } from '../../src/inspect/conversation.ts';
import { serverInfo } from '../data/server-info.ts';
import { Time } from '../kit/time.tsx';
import { toVisibleText } from '../kit/visible-text.ts';
import { FormattedText } from '../kit/formatted-text.tsx';
import { runHref, turnHref } from '../routing/route.ts';
import { useRun } from '../run/page-run.ts';

/** A reply that is being written. */
export interface LiveEntry {
  readonly kind: 'live';
  readonly from: AgentId;
  readonly turnId: TurnId;
  readonly at: number;
}

/** A message, with the turn that read or wrote it. */
export function Message({ entry }: { readonly entry: ConversationEntry | LiveEntry }) {
  const { runId, eventAt } = useRun();
  const you = serverInfo.value?.you.name;
  switch (entry.kind) {
    case 'user': {
      const author = entry.by === undefined || entry.by === you ? undefined : toVisibleText(entry.by);
      return (
        <article class="message message-user" aria-label={`${author === undefined ? 'You' : author} to ${entry.to}`}>
          <header>
            <strong>{author ?? 'you'}</strong> <span class="faint">→ {toVisibleText(entry.to)}</span>
            {entry.turnId === undefined ? (
              <span class="tone-waits">waits to be read</span>
            ) : (
              <a href={turnHref(runId, entry.turnId)}>read by {toVisibleText(entry.turnId)}</a>
            )}
            <At at={eventAt(entry.seq)?.at} />
            {entry.seq > 0 && (
              <a class="faint push" href={runHref(runId, 'events', { seq: String(entry.seq) })}>
                #{entry.seq}
              </a>
            )}
          </header>
          <FormattedText value={entry.text} />
        </article>
      );
    }
    case 'agent':
      return (
        <article class="message" aria-label={entry.from}>
          <header>
            <strong>{toVisibleText(entry.from)}</strong>
            <a href={turnHref(runId, entry.turnId)}>{toVisibleText(entry.turnId)}</a>
            <At at={entry.at} />
            <a class="faint push" href={runHref(runId, 'events', { seq: String(entry.seq) })}>
              #{entry.seq}
            </a>
          </header>
          <FormattedText value={entry.text} />
        </article>
      );
    case 'live':
      return <LiveMessage entry={entry} />;
    case 'output':
      return (
        <article class="message" aria-label="Output of the run">
          <header>
            <strong>output of the run</strong>
          </header>
          <FormattedText value={entry.text} />
        </article>
      );
  }
}

function LiveMessage({ entry }: { readonly entry: LiveEntry }) {
  const { runId, live } = useRun();
  const reply = live.replies.value.get(entry.turnId);
  const doing =
    reply === undefined ? 'is thinking' : reply.text === '' && reply.toolInput !== '' ? 'is calling a tool' : 'is writing';
  return (
    <article class="message message-live" aria-label={`${entry.from} ${doing}`}>
      <header>
        <strong>{toVisibleText(entry.from)}</strong>
        <a href={turnHref(runId, entry.turnId)}>{toVisibleText(entry.turnId)}</a>
        <span class="tone-busy">{doing}</span>
      </header>
      {reply !== undefined && reply.text !== '' && <FormattedText value={reply.text} />}
      {reply !== undefined && reply.text === '' && reply.reasoning !== '' && (
        <div class="faint">
          <FormattedText value={reply.reasoning} />
        </div>
      )}
    </article>
  );
}

function At({ at }: { readonly at: number | undefined }) {
  return at === undefined ? null : (
    <span class="faint">
      <Time at={at} />
    </span>
  );
}
