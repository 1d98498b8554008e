import { signal } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';
import { grouped } from '../../src/inspect/format/text/terminal-text.ts';
import type { MarkdownBlock } from '../../src/inspect/markdown/markdown-block.ts';
import type { Inline } from '../../src/inspect/markdown/markdown-inline.ts';
import { parseMarkdown } from '../../src/inspect/markdown/parse-markdown.ts';
import { jsonIn } from './json-text.ts';
import { JsonView } from './json-view.tsx';
import { ScrollBox } from './scroll-box.tsx';
import { Text } from './text.tsx';
import { startOf, toVisibleText } from './visible-text.ts';
import './formatted-text.css';

/** Number of characters laid out at first, and added per click on "more". */
const shownAtFirst = 20_000;
const shownMore = 40_000;

const storageKey = 'cadre-words';

/** True when texts are shown with their Markdown source. */
const isRaw = signal(storedRaw());

/** A text of a conversation or a report: Markdown and JSON laid out, or the source if the reader switched to it. */
export function FormattedText({ value, label }: { readonly value: string; readonly label?: string }) {
  const [length, setLength] = useState(shownAtFirst);
  const named = label === undefined ? {} : { label };
  const json = useMemo(() => jsonIn(value), [value]);
  const shown = startOf(value, length);
  const blocks = useMemo(() => (json === undefined ? parseMarkdown(shown) : []), [json, shown]);
  if (isRaw.value) return <Text value={value} {...named} />;
  if (json !== undefined) return <JsonView value={json} label={label ?? 'JSON'} />;
  const left = value.length - shown.length;
  return (
    <div class="words" dir="auto" {...(label === undefined ? {} : { role: 'group', 'aria-label': label })}>
      {blocks.map((block, index) => (
        <Block key={index} block={block} />
      ))}
      {left > 0 && (
        <button type="button" class="quiet" onClick={() => setLength(length + shownMore)}>
          show more ({grouped(left)} characters left)
        </button>
      )}
    </div>
  );
}

/** Switch between formatted texts and their source, for all texts and the next visit. */
export function RawSwitch() {
  const toggle = (): void => {
    isRaw.value = !isRaw.peek();
    try {
      localStorage.setItem(storageKey, isRaw.peek() ? 'raw' : '');
    } catch {
      // A browser without storage: the choice holds until the page is closed.
    }
  };
  return (
    <button type="button" class="small" aria-pressed={isRaw.value} onClick={toggle} title="show texts without formatting">
      raw
    </button>
  );
}

function Block({ block }: { readonly block: MarkdownBlock }) {
  switch (block.kind) {
    case 'heading':
      return (
        <div class={`words-heading words-heading-${block.level}`} role="heading" aria-level={Math.min(6, block.level + 2)}>
          <Pieces words={block.words} />
        </div>
      );
    case 'paragraph':
      return (
        <p>
          <Pieces words={block.words} />
        </p>
      );
    case 'quote':
      return (
        <blockquote>
          <Pieces words={block.words} />
        </blockquote>
      );
    case 'list':
      return (
        <ul>
          {block.items.map(({ depth, marker, words }, index) => (
            <li key={index} style={{ marginInlineStart: `${depth * 1.4}rem` }}>
              <span class="words-marker">{marker}</span>
              <span>
                <Pieces words={words} />
              </span>
            </li>
          ))}
        </ul>
      );
    case 'code':
      return (
        <pre>
          {block.info !== '' && <span class="faint">{`${toVisibleText(block.info)}\n`}</span>}
          {toVisibleText(block.text)}
        </pre>
      );
    case 'table':
      return <Table {...block} />;
    case 'rule':
      return <hr />;
  }
}

function Table({ head, rows }: Extract<MarkdownBlock, { readonly kind: 'table' }>) {
  return (
    <ScrollBox class="words-table" label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                <Pieces words={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, index) => (
                <td key={index}>
                  <Pieces words={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function Pieces({ words }: { readonly words: readonly Inline[] }) {
  return (
    <>
      {words.map((piece, index) => (
        <Piece key={index} piece={piece} />
      ))}
    </>
  );
}

function Piece({ piece }: { readonly piece: Inline }) {
  switch (piece.kind) {
    case 'text':
      return <>{toVisibleText(piece.text)}</>;
    case 'code':
      return <code>{toVisibleText(piece.text)}</code>;
    case 'target':
      return <span class="words-target"> ({toVisibleText(piece.text)})</span>;
    case 'strong':
      return (
        <strong>
          <Pieces words={piece.words} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <Pieces words={piece.words} />
        </em>
      );
  }
}

function storedRaw(): boolean {
  try {
    return localStorage.getItem(storageKey) === 'raw';
  } catch {
    // As above.
    return false;
  }
}
