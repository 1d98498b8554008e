import { regexLibrary } from '../../core/regex-library.ts';
import { CadreError } from '../../core/error.ts';
import { compileGlob } from '../../files/glob-pattern.ts';
import { readAhead } from '../../files/read-ahead.ts';
import { readInside } from '../../files/read-inside.ts';
import { splitLines } from '../../files/text-lines.ts';
import { walkFiles } from './walk-files.ts';
import type { InsidePath } from '../../files/resolve-inside.ts';
import { readablePath, type ReadContext } from './workspace-files.ts';

/** Arguments of `search_files`. */
export interface SearchFilesRequest {
  readonly query: string;
  readonly regex: boolean;
  readonly ignoreCase: boolean;
  readonly path: string;
  readonly glob: string | undefined;
  readonly context: number;
  readonly maxResults: number;
  readonly hidden: boolean;
}

type LineTest = (line: string) => boolean;

const maxLineChars = 400;
const maxOutputChars = 50_000;
/** Maximum number of characters one search reads; regular expressions cost about fifty times as much. */
const maxSearchedChars = { text: 200_000_000, regex: 10_000_000 };

/**
 * Searches the lines of the workspace's text files, like grep: `path:line: text`, and `path-line- text` for lines around it.
 *
 * @throws CadreError `PATH_REFUSED`; `TOOL_FAILED` for a pattern that cannot be used
 */
export async function searchFiles(request: SearchFilesRequest, context: ReadContext): Promise<string> {
  const { workspace, settings } = context;
  const test = lineTest(request);
  const inside = await readablePath(workspace, request.path, settings);
  const found = new Findings(request);
  let left = request.regex ? maxSearchedChars.regex : maxSearchedChars.text;
  const files = filesOf(inside, request, context);
  for await (const [file, read] of readAhead(files, async (path) => await readInside(inside.root, path, settings.maxFileBytes))) {
    if ('reason' in read) {
      found.skipped.push(`${file} (${read.reason})`);
      continue;
    }
    left -= read.text.length;
    found.addFile(file, splitLines(read.text), test);
    if (left < 0) found.stop(`the search ended at ${file}: too much text for one search; name a folder or a glob`);
    if (found.stopped !== undefined) break;
  }
  return found.report();
}

async function* filesOf(
  inside: InsidePath,
  { hidden, glob }: SearchFilesRequest,
  { settings, signal }: ReadContext,
): AsyncGenerator<string> {
  const { root, path } = inside;
  const { isUnreadable } = settings;
  const matches = glob === undefined ? undefined : compileGlob(glob);
  if (inside.found !== 'folder') {
    if (matches?.(path) !== false) yield path;
    return;
  }
  for await (const entry of walkFiles({ root, start: path, maxDepth: 50, hidden, isUnreadable, signal }))
    if (entry.kind === 'file' && matches?.(path === '' ? entry.path : entry.path.slice(path.length + 1)) !== false)
      yield entry.path;
}

function lineTest({ query, regex, ignoreCase }: SearchFilesRequest): LineTest {
  if (!regex) {
    const wanted = ignoreCase ? query.toLowerCase() : query;
    return (line) => (ignoreCase ? line.toLowerCase() : line).includes(wanted);
  }
  try {
    const { RE2JS } = regexLibrary();
    const compiled = RE2JS.compile(RE2JS.translateRegExp(query), ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return (line) => compiled.test(line);
  } catch (error) {
    throw new CadreError(
      'TOOL_FAILED',
      `The pattern ${JSON.stringify(query.slice(0, 200))} cannot be used: ${error instanceof Error ? error.message : String(error)}. Patterns are RE2: no look-around and no back-references.`,
      { cause: error },
    );
  }
}

/** Collects hits within the limits. */
class Findings {
  readonly skipped: string[] = [];
  stopped: string | undefined;
  readonly #request: SearchFilesRequest;
  readonly #lines: string[] = [];
  #hits = 0;
  #files = 0;
  #chars = 0;

  constructor(request: SearchFilesRequest) {
    this.#request = request;
  }

  stop(why: string): void {
    this.stopped ??= why;
  }

  addFile(file: string, lines: readonly string[], test: LineTest): void {
    const { context, maxResults } = this.#request;
    let shownTo = -1;
    let isFirst = true;
    for (const [index, line] of lines.entries()) {
      if (!test(line)) continue;
      if (this.#hits >= maxResults) return this.stop(`there are more than ${maxResults} hits; this is the first part`);
      this.#hits += 1;
      if (isFirst) this.#files += 1;
      const from = Math.max(shownTo + 1, index - context);
      if (context > 0 && (!isFirst || this.#lines.length > 0) && from > shownTo + 1) this.#add('--');
      for (let at = from; at < index; at += 1) this.#add(`${file}-${at + 1}- ${clip(lines[at])}`);
      if (index > shownTo) this.#add(`${file}:${index + 1}: ${clip(line)}`);
      shownTo = Math.max(shownTo, index);
      for (let at = index + 1; at <= Math.min(index + context, lines.length - 1) && !test(lines[at] ?? ''); at += 1) {
        this.#add(`${file}-${at + 1}- ${clip(lines[at])}`);
        shownTo = at;
      }
      isFirst = false;
      if (this.#chars > maxOutputChars) return this.stop('the answer was full; this is the first part');
    }
  }

  report(): string {
    const { query } = this.#request;
    const passed =
      this.skipped.length === 0
        ? ''
        : `\nNot searched: ${this.skipped.slice(0, 5).join(', ')}${this.skipped.length > 5 ? ` and ${this.skipped.length - 5} more` : ''}.`;
    const stopped = this.stopped === undefined ? '' : `\n(${this.stopped})`;
    if (this.#hits === 0) return `Nothing found for ${JSON.stringify(query)}.${stopped}${passed}`;
    return `${this.#hits} hits in ${this.#files} files\n${this.#lines.join('\n')}${stopped}${passed}`;
  }

  #add(line: string): void {
    this.#chars += line.length + 1;
    this.#lines.push(line);
  }
}

function clip(line = ''): string {
  return line.length > maxLineChars ? `${line.slice(0, maxLineChars)}… (${line.length} characters)` : line;
}
