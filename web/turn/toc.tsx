import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { turnHref, type RouteQuery } from '../routing/route.ts';
import { useRun } from '../run/page-run.ts';
import { showSection, type TurnSection, turnSections } from './sections.ts';

/** Links to the sections of a turn. */
export function Toc({
  record,
  query,
  isCompared,
}: {
  readonly record: TurnRecord;
  readonly query: RouteQuery;
  readonly isCompared: boolean;
}) {
  const isLive = useRun().live.replies.value.has(record.turnId);
  const names = (Object.keys(turnSections) as TurnSection[]).filter((name) =>
    name === 'diff' ? isCompared : isThere(record, name, isLive),
  );
  return (
    <nav class="t-toc small" aria-label="Sections of this turn">
      {names.map((name) => (
        <a
          key={name}
          href={turnHref(record.runId, record.turnId, { ...query, section: name })}
          aria-current={query['section'] === name ? 'true' : undefined}
          onClick={() => showSection(name)}
        >
          {turnSections[name]}
        </a>
      ))}
    </nav>
  );
}

function isThere(record: TurnRecord, name: Exclude<TurnSection, 'diff'>, isLive: boolean): boolean {
  switch (name) {
    case 'before':
    case 'after':
      return record.observers.some(({ phase }) => (phase === 'pre') === (name === 'before'));
    case 'system':
      return record.systemPrompt.segments.length > 0;
    case 'prompt':
      return record.prompt.spans.length > 0;
    case 'model':
      return record.attempts.length > 0;
    case 'reply':
      return isLive || record.reply.finishReason !== undefined || record.status === 'running';
    case 'calls':
      return record.toolInteractions.length > 0;
    case 'decision':
      return record.decision.action !== undefined;
    case 'state':
      return record.stateChanges.length > 0;
    case 'items':
    case 'raw':
      return true;
  }
}
