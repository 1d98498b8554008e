import { useMemo, useState } from 'preact/hooks';
import type { ContentPart } from '../../src/core/prompt/message.ts';
import { callIndex } from '../../src/inspect/call-index.ts';
import type { PromptSpan } from '../../src/inspect/turn/prompt-spans.ts';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { countText } from '../../src/inspect/format/text/quantity-text.ts';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import { useRun } from '../run/page-run.ts';
import { safe } from '../kit/safe.ts';
import { Lines, type LineLook } from './lines.tsx';
import { FileView } from './parts.tsx';
import { messageSizes, promptRows } from './prompt-rows.ts';
import { Section } from './section.tsx';
import { spanName, type SpanNames } from './span-name.ts';

/** The prompt: messages with their roles, each line marked with its source, and the offered tools. */
export function PromptSection({ record }: { readonly record: TurnRecord }) {
  const { spans } = record.prompt;
  if (spans.length === 0) return null;
  const messages = new Set(spans.map(({ messageIndex }) => messageIndex)).size;
  const tokens = spans.reduce((sum, span) => sum + span.tokens, 0);
  return (
    <Section
      name="prompt"
      note={`${countText(messages, 'message')}, about ${countText(tokens, 'token')}`}
      copy={() => ({ prompt: record.prompt, tools: record.tools, toolChoice: record.toolChoice, sources: record.sources })}
    >
      {() => (
        <>
          <Offered record={record} />
          <PromptText record={record} />
        </>
      )}
    </Section>
  );
}

function Offered({ record }: { readonly record: TurnRecord }) {
  const { tools, toolChoice, sources } = record;
  return (
    <div class="t-offered small">
      <p>
        <span class="faint">Tools offered</span>{' '}
        {tools.length === 0 ? (
          'none'
        ) : (
          <>
            {tools.map((tool) => (
              <code key={tool} class="t-chip">
                {safe(tool, 80)}
              </code>
            ))}
          </>
        )}
        {toolChoice !== undefined && <> · choice: {safe(toolChoice, 80)}</>}
      </p>
      <p>
        <span class="faint">From</span> {sources.sources.map((source) => safe(source, 60)).join(', ') || 'nothing'}
        {sources.untrusted.length > 0 && (
          <span class="tone-waits"> · untrusted: {sources.untrusted.map((source) => safe(source, 60)).join(', ')}</span>
        )}
      </p>
    </div>
  );
}

function PromptText({ record }: { readonly record: TurnRecord }) {
  const store = useRun();
  const { prompt } = record;
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set());
  const sizes = useMemo(() => messageSizes(prompt), [prompt]);
  const rows = useMemo(() => promptRows(prompt, folded), [prompt, folded]);
  const names = useMemo(
    (): SpanNames | undefined => (store.state === undefined ? undefined : { run: store.state, calls: callIndex(store.state) }),
    [prompt],
  );
  const fold = (message: number): void => {
    const next = new Set(folded);
    if (!next.delete(message)) next.add(message);
    setFolded(next);
  };
  const isAllFolded = folded.size === sizes.size;
  const look = (index: number): LineLook => {
    const row = rows[index];
    const span = row === undefined ? undefined : prompt.spans[row.span];
    if (row === undefined || span === undefined) return {};
    const name = row.isFirstOfSpan && names !== undefined ? spanName(names, span) : '';
    return {
      class: `from-${span.source}${span.ephemeral === true ? ' t-ephemeral' : ''}`,
      ...(row.message === undefined
        ? {}
        : { before: <MessageHead index={row.message} size={sizes.get(row.message)} isOpen={row.isFolded !== true} fold={fold} /> }),
      ...(name === '' ? {} : { note: <Note name={name} span={span} /> }),
      ...(row.isFolded === true || span.file === undefined
        ? {}
        : { instead: <FileView file={fileOf(store, span, prompt.spans) ?? span.file} /> }),
    };
  };
  return (
    <>
      <p class="small">
        <button type="button" class="quiet" onClick={() => setFolded(isAllFolded ? new Set() : new Set(sizes.keys()))}>
          {isAllFolded ? 'unfold all messages' : 'fold all messages'}
        </button>
        <span class="faint"> Click a line, or select text, to see where it came from.</span>
      </p>
      <Lines text={prompt.text} rows={rows} where="prompt" label="What the model saw" look={look} isNoted />
    </>
  );
}

function Note({ name, span }: { readonly name: string; readonly span: PromptSpan }) {
  return (
    <>
      <span class="t-line-name">{name}</span>
      {span.ephemeral === true && <span class="t-chip">this turn only</span>}
    </>
  );
}

function MessageHead({
  index,
  size,
  isOpen,
  fold,
}: {
  readonly index: number;
  readonly size: { readonly role: string; readonly tokens: number } | undefined;
  readonly isOpen: boolean;
  readonly fold: (message: number) => void;
}) {
  return (
    <h4 class="t-message-head">
      <button type="button" aria-expanded={isOpen} onClick={() => fold(index)}>
        <span class={`t-role role-${size?.role ?? ''}`}>{size?.role}</span>{' '}
        <span class="faint">
          message {index} · {grouped(size?.tokens ?? 0)} tokens
        </span>
      </button>
    </h4>
  );
}

/** Returns the file of a span from its item: the n-th file span of an item is its n-th file. */
function fileOf(store: ReturnType<typeof useRun>, span: PromptSpan, spans: readonly PromptSpan[]) {
  const content = store.state?.turns
    .get(span.turnId as Parameters<NonNullable<typeof store.state>['turns']['get']>[0])
    ?.start.inputs.find(({ itemId }) => itemId === span.ref)?.content;
  if (content === undefined || typeof content === 'string') return undefined;
  const place = spans.filter((other) => other.file !== undefined && other.ref === span.ref).indexOf(span);
  return content.filter((part: ContentPart) => part.type === 'file')[place];
}
