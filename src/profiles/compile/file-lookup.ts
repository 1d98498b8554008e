import { posix } from 'node:path';
import type { Report } from '../report.ts';
import { nameHint, quote } from '../wording.ts';
import type { Place } from '../yaml/source-node.ts';

/**
 * Finds the file of a reference, relative to the referring file or a folder above it. Only loaded files are found, so nothing
 * outside the profile folder is ever read.
 */
export function findFile<T>(
  files: ReadonlyMap<string, T>,
  report: Report,
  { from, reference }: { readonly from: Place; readonly reference: string },
): { readonly path: string; readonly file: T | undefined } | undefined {
  if (posix.isAbsolute(reference) || /^[A-Za-z]:|\\/.test(reference) || posix.normalize(reference).startsWith('..')) {
    report.error('BAD_REFERENCE', {
      at: from,
      message: `${quote(reference)} is not a path inside the profile folder`,
      hint: 'write a path like scripts/offline.yaml',
    });
    return undefined;
  }
  for (let folder = posix.dirname(from.file.path); ; folder = posix.dirname(folder)) {
    const path = posix.normalize(posix.join(folder, reference));
    if (files.has(path)) return { path, file: files.get(path) };
    if (folder === '.' || folder === '/') break;
  }
  const names = [...files.keys()].map((path) => path.split('/').slice(-2).join('/'));
  report.error('BAD_REFERENCE', {
    at: from,
    message: `there is no file ${quote(reference)} in the profile folder`,
    hint: nameHint(reference, names, 'files'),
  });
  return undefined;
}
