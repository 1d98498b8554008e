import { plainName } from '../../files/plain-name.ts';
import { secretFiles } from '../../files/guard/secret-files.ts';

/** Endings of document files, in lower case; names are compared case-insensitively. */
export const documentEndings: readonly string[] = ['.md', '.mdx', '.markdown', '.txt', '.rst', '.html', '.htm', '.xhtml'];

/** Kind under which files without an ending that are not text are counted. */
export const binaryKind = 'binary files';

/**
 * Classification of a file by its name: a `document`; `plain`, without an ending and a document when it is text (LICENSE, Makefile); or
 * left out, with the kind it is counted under, such as `.pdf`.
 */
export type NamedKind = 'document' | 'plain' | { readonly leftOut: string };

/** Returns the kind of a file by its name alone. */
export function kindOfName(name: string): NamedKind {
  const lower = name.toLowerCase();
  if (secretFiles.groupOf([], plainName(name)) !== undefined) return { leftOut: 'files with secrets' };
  if (documentEndings.some((ending) => lower.endsWith(ending))) return 'document';
  const ending = /.(\.[\p{L}\p{N}_+~-]{1,12})$/u.exec(lower)?.[1];
  return ending === undefined ? 'plain' : { leftOut: ending };
}
