import { useMemo } from 'preact/hooks';
import type { ErrorRecord } from '../../src/core/error.ts';
import { type Content, type FilePart, contentParts, contentText } from '../../src/core/prompt/message.ts';
import { jsonIn } from '../kit/json-text.ts';
import { JsonView } from '../kit/json-view.tsx';
import { safe } from '../kit/safe.ts';
import { ScrollBox } from '../kit/scroll-box.tsx';
import { Text } from '../kit/text.tsx';
import { useMany } from '../kit/use-many.tsx';
import { turnHref } from '../routing/route.ts';
import { useRun } from '../run/page-run.ts';
import type { TurnSection } from './sections.ts';

/** An error: its code and message. */
export function ErrorLine({ error }: { readonly error: ErrorRecord }) {
  return (
    <p class="tone-bad t-error-line">
      <strong>{error.code}</strong> {safe(error.message, 2_000)}
    </p>
  );
}

/** A link to a turn of this run. */
export function TurnLink({
  turnId,
  section,
  name,
}: {
  readonly turnId: string;
  readonly section?: TurnSection;
  readonly name?: string;
}) {
  const { runId } = useRun();
  return <a href={turnHref(runId, turnId, section === undefined ? {} : { section })}>{name ?? safe(turnId, 60)}</a>;
}

/** A value as indented JSON. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  return (
    <ScrollBox class="t-clip">
      <JsonView value={value} label={label} />
    </ScrollBox>
  );
}

/** Text and files from outside. With `asJson`, JSON text is laid out, with the original below. */
export function ContentView(props: { readonly content: Content; readonly label: string; readonly asJson?: boolean }) {
  const { content, label, asJson = false } = props;
  const text = contentText(content);
  const json = useMemo(() => (asJson ? jsonIn(text) : undefined), [asJson, text]);
  const files = contentParts(content).filter((part) => part.type === 'file');
  const [shown, more] = useMany(files);
  return (
    <ScrollBox class="t-clip">
      {json !== undefined && <JsonView value={json} label={label} />}
      {text !== '' && json === undefined && <Text value={text} label={label} />}
      {json !== undefined && (
        <details class="t-more">
          <summary>as it came</summary>
          <Text value={text} label={`${label} as it came`} />
        </details>
      )}
      {shown.map((file, index) => (
        <FileView key={index} file={file} />
      ))}
      {more}
    </ScrollBox>
  );
}

/** Media types of images that browsers render without running or loading anything. */
const drawn = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);
const longestData = 8_000_000;

/** A file: its name, type and, when its data is loaded, the image. */
export function FileView({ file }: { readonly file: Pick<FilePart, 'mediaType' | 'filename'> & Partial<FilePart> }) {
  const { mediaType, filename, data } = file;
  const name = `${filename === undefined ? 'file' : safe(filename, 120)} · ${safe(mediaType, 80)}`;
  const isDrawn = data?.type === 'data' && drawn.has(mediaType) && data.data.length < longestData;
  return (
    <figure class="t-file">
      {isDrawn && <img src={`data:${mediaType};base64,${data.data}`} alt={name} loading="lazy" />}
      <figcaption class="faint">{name}</figcaption>
    </figure>
  );
}
