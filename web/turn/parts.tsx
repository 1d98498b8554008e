import { useMemo } from 'preact/hooks';
import type { ErrorRecord } from '../../src/core/error.ts';
import type { Content, FilePart } from '../../src/core/message.ts';
import { contentParts, contentText } from '../../src/core/message.ts';
import { safe } from '../kit/safe.ts';
import { ScrollBox } from '../kit/scroll-box.tsx';
import { Text } from '../kit/text.tsx';
import { useMany } from '../kit/use-many.tsx';
import { turnHref } from '../routing/route.ts';
import { useRun } from '../run/run-context.ts';
import type { TurnSection } from './sections.ts';

/** An error: its code and what it says. */
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

/** A value as JSON, laid out. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = useMemo(() => JSON.stringify(value, undefined, 2) ?? 'null', [value]);
  return (
    <ScrollBox class="t-clip">
      <Text value={text} label={label} />
    </ScrollBox>
  );
}

/** Text and files that came from outside. */
export function ContentView({ content, label }: { readonly content: Content; readonly label: string }) {
  const text = contentText(content);
  const files = contentParts(content).filter((part) => part.type === 'file');
  const [shown, more] = useMany(files);
  return (
    <ScrollBox class="t-clip">
      {text !== '' && <Text value={text} label={label} />}
      {shown.map((file, index) => (
        <FileView key={index} file={file} />
      ))}
      {more}
    </ScrollBox>
  );
}

/** Images a browser draws without running or loading anything. */
const drawn = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);
const longestData = 8_000_000;

/** A file: its name and type, and the image itself when its data is here. */
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
