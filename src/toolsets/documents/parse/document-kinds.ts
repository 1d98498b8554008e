import { plainName } from '../../files/plain-name.ts';
import { secretFiles } from '../../files/guard/secret-files.ts';

/** Endings of files that are documents, in lower case; names are compared without regard to case. */
export const documentEndings: readonly string[] = ['.md', '.mdx', '.markdown', '.txt', '.rst', '.html', '.htm', '.xhtml'];

/** Kind of the files that have no ending and are no text, as it is counted. */
export const binaryKind = 'binary files';

/**
 * What a file is by its name: a `document`; `plain`, which has no ending and is a document when it is text (LICENSE, Makefile); or one that
 * is left out, with the kind it is counted under, such as `.pdf`.
 */
export type NamedKind = 'document' | 'plain' | { readonly leftOut: string };

/** The kind of a file by its name alone. */
export function kindOfName(name: string): NamedKind {
  const lower = name.toLowerCase();
  if (secretFiles.groupOf([], plainName(name)) !== undefined) return { leftOut: 'files with secrets' };
  if (documentEndings.some((ending) => lower.endsWith(ending))) return 'document';
  const ending = /.(\.[\p{L}\p{N}_+~-]{1,12})$/u.exec(lower)?.[1];
  return ending === undefined ? 'plain' : { leftOut: ending };
}
