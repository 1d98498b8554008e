import { CadreError } from '../../core/error.ts';

/** Most characters of text in one input: about half of the tokens that a run may use by default. */
const maxInputChars = 10_000_000;

/** Most characters of base64 in the files of one input: 30 MB. */
const maxFileChars = 40_000_000;

/** Deepest nesting, and most values, that are counted; the record leaves out the rest, too. */
const maxDepth = 100;
const maxValues = 1_000_000;

/** Keys of a content part, or of an attachment, that hold a file. */
const fileKeys: ReadonlySet<string> = new Set(['data', 'image', 'url']);

/**
 * Refuses an input that is too large for any model, before anything is written. Checks the caller's original: its copy as JSON leaves out
 * the excess.
 *
 * @param what the input, for people: `launch: input`
 * @throws CadreError `OPTION_INVALID` with the size and the limit
 */
export function checkInputSize(what: string, input: unknown): void {
  const size = { words: 0, files: 0, values: maxValues };
  if (Array.isArray(input)) addParts(size, input);
  else if (isRecord(input)) {
    for (const [key, value] of entriesOf(input))
      if ((key === 'parts' || key === 'attachments') && Array.isArray(value)) addParts(size, value);
      else add(size, value, 1);
  } else add(size, input, 0);
  if (size.files > maxFileChars) throw tooLarge(what, `${size.files} characters of files`, `${maxFileChars} (30 MB in base64)`);
  if (size.words > maxInputChars) throw tooLarge(what, `${size.words} characters`, String(maxInputChars));
}

interface Size {
  words: number;
  files: number;
  values: number;
}

function addParts(size: Size, parts: readonly unknown[]): void {
  for (const part of parts) {
    if (!isRecord(part)) add(size, part, 1);
    else
      for (const [key, value] of entriesOf(part))
        if (typeof value === 'string' && fileKeys.has(key)) size.files += value.length;
        else add(size, value, 2);
  }
}

function add(size: Size, value: unknown, depth: number): void {
  if (typeof value === 'string') size.words += value.length;
  if (typeof value !== 'object' || value === null || depth > maxDepth || (size.values -= 1) < 0) return;
  if (Array.isArray(value)) for (const each of value as readonly unknown[]) add(size, each, depth + 1);
  else for (const [, each] of entriesOf(value)) add(size, each, depth + 1);
}

/** Returns the fields of an object; none when reading them throws, as in its record. Bytes and the like are not text. */
function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  if (ArrayBuffer.isView(value)) return [];
  try {
    return Object.entries(value);
  } catch {
    return [];
  }
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tooLarge(what: string, size: string, limit: string): CadreError {
  return new CadreError(
    'OPTION_INVALID',
    `${what} is too large: ${size}, at most ${limit} are taken. Put it into files of the workspace, which agents read in parts`,
  );
}
