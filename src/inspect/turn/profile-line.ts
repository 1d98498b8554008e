import { isJsonObject } from '../../core/json.ts';
import type { ProfileFile } from '../../core/profile/profile.ts';
import type { SourceRef } from '../../core/profile/source-ref.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { readList, type ReadContent } from '../read-content.ts';
import type { ProfileFacts, SegmentFacts } from './profile-facts.ts';

/** Returns the run's profile files as of its start. */
export function profileFiles(run: RunContext, content: ReadContent): readonly ProfileFile[] {
  return readList(content, run.meta.profiles).flatMap((file) => {
    const [path, text] = isJsonObject(file) ? [file['path'], file['text']] : [];
    return typeof path === 'string' && typeof text === 'string' ? [{ path, text }] : [];
  });
}

/** Returns the lines around a place in a profile file of the run; empty when the file is not available. */
export function profileExcerpt(
  run: RunContext,
  content: ReadContent,
  { file, line }: SourceRef,
): readonly { readonly line: number; readonly text: string }[] {
  const found = profileFiles(run, content).find((candidate) => sameFile(candidate.path, file));
  if (found === undefined) return [];
  const first = Math.max(1, line - 2);
  return found.text
    .split('\n')
    .slice(first - 1, line + 2)
    .map((text, index) => ({ line: first + index, text }));
}

/**
 * Returns the profile place of one line of a rendered `static_text` segment: `offset` is the number of characters into `rendered`.
 * Searches the line in the profile's file if its text is available, otherwise counts lines. Falls back to the segment's place, also
 * for segments whose text is not in a profile.
 */
export function segmentLine(
  profile: ProfileFacts,
  segment: SegmentFacts,
  at: { readonly rendered: string; readonly offset: number; readonly files: readonly ProfileFile[] },
): SourceRef {
  const template = segment.content?.source;
  if (template === undefined) return segment.source;
  const declared = contentPlace(profile, segment);
  const lines = template.split('\n');
  const index = templateLine(lines, renderedLine(segment, at.rendered, at.offset));
  const file = at.files.find((candidate) => sameFile(candidate.path, (declared ?? segment.source).file));
  const found = file === undefined ? undefined : searchLine(file.text.split('\n'), declared ?? segment.source, lines, index);
  if (found !== undefined) return found;
  if (declared === undefined) return segment.source;
  // A text of several lines is nearly always a block scalar, whose first line is below its key.
  return lines.length > 1 ? { ...declared, line: declared.line + 1 + index, column: 1 } : declared;
}

/** Returns the place of the text: under the segment, or in the text definition it names. */
function contentPlace(profile: ProfileFacts, segment: SegmentFacts): SourceRef | undefined {
  return profile.origins.get(
    segment.contentKey === undefined
      ? `system_prompt_construction.system_prompt_segments[${segment.id}].content`
      : `text_definitions.${segment.contentKey}`,
  );
}

function sameFile(a: string, b: string): boolean {
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

interface RenderedLine {
  readonly text: string;
  readonly index: number;
}

/** The rendered line at an offset, counted without the opening wrapper tag. */
function renderedLine(segment: SegmentFacts, rendered: string, offset: number): RenderedLine {
  const open = segment.wrapperTags?.[0];
  const skipped = open !== undefined && rendered.startsWith(`${open}\n`) ? open.length + 1 : 0;
  const at = Math.max(offset, skipped);
  const start = rendered.lastIndexOf('\n', at - 1) + 1;
  const end = rendered.indexOf('\n', at);
  const index = rendered.slice(skipped, at).split('\n').length - 1;
  return { text: rendered.slice(Math.max(start, skipped), end < 0 ? undefined : end), index };
}

/** Returns the template line a rendered line came from; multi-line values push later lines down, never up. */
function templateLine(lines: readonly string[], line: RenderedLine): number {
  let best = Math.min(line.index, lines.length - 1);
  if (couldRender(lines[best] ?? '', line.text)) return best;
  for (let index = best - 1; index >= 0; index--) {
    if (couldRender(lines[index] ?? '', line.text)) return index;
    if ((lines[index] ?? '').includes('{{')) best = index;
  }
  return best;
}

/** True when a template's line could render the line: its fixed pieces occur in order, from start to end. */
function couldRender(template: string, line: string): boolean {
  const pieces = fixedPieces(template);
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (pieces.length === 1) return template.trim() === line.trim();
  if (!line.startsWith(first) || !line.endsWith(last)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = line.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= line.length - last.length && pieces.some((piece) => piece.trim() !== '');
}

/** Splits a line into the fixed text around its expressions; an unterminated expression counts as text. */
function fixedPieces(template: string): readonly string[] {
  // Splits only up to the last `}}`: a line may hold a million unclosed expressions.
  const end = template.lastIndexOf('}}') + 2;
  if (end < 2) return [template];
  const pieces = template.slice(0, end).split(/\{\{.*?\}\}/u);
  return [...pieces.slice(0, -1), `${pieces.at(-1) ?? ''}${template.slice(end)}`];
}

/** Returns the file's line that matches the template's line, nearest to the counted position. */
function searchLine(file: readonly string[], place: SourceRef, lines: readonly string[], index: number): SourceRef | undefined {
  const wanted = (lines[index] ?? '').trim();
  if (wanted === '') return undefined;
  const expected = place.line + (lines.length > 1 ? 1 : 0) + index;
  let best: SourceRef | undefined;
  for (let line = place.line; line <= Math.min(file.length, expected + 40); line++) {
    const column = (file[line - 1] ?? '').indexOf(wanted);
    if (column < 0) continue;
    if (best === undefined || Math.abs(line - expected) < Math.abs(best.line - expected))
      best = { file: place.file, line, column: column + 1 };
  }
  return best;
}
