import { createTwoFilesPatch } from 'diff';

const context = 4;
const maxChars = 16_000;

/** Returns the unified diff between two texts of a file; `null` means no file. Cuts long diffs; for huge ones, only counts lines. */
export function diffText(path: string, before: string | null, after: string | null): string {
  const [from, to] = [before === null ? '/dev/null' : `a/${path}`, after === null ? '/dev/null' : `b/${path}`];
  const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, {
    context,
    timeout: 1_000,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
  });
  if (patch === undefined)
    return `${path}: ${countLines(before)} lines became ${countLines(after)}; the difference is too large to show`;
  const text = patch.trimEnd();
  return text.length > maxChars ? `${text.slice(0, maxChars)}\n… (a diff of ${text.length} characters, cut)` : text;
}

function countLines(text: string | null): number {
  return text === null || text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
