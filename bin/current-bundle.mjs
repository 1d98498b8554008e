// Says whether the bundle in dist/ was made of the sources as they are now.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
// Not imported: an import reads all a module exports, and Node loads what it keeps lazy for it.
const { readFileSync, statSync } = require('node:fs');
const path = require('node:path');

/** The file of a bundle that names the sources it was made of. */
export const fingerprintsFile = 'sources.txt';

/**
 * Returns what tells one state of a file from another: its size, and when its content and its place last changed. The latter cannot be
 * set back, so a file that is replaced by an older one differs, too.
 */
export function fingerprintOf(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? 'none' : `${found.size}:${found.mtimeMs}:${found.ctimeMs}`;
}

/** True when the bundle is there and each source it was made of is as it was. A new file counts when a source that imports it changes. */
export function bundleIsCurrent(root) {
  let lines;
  try {
    lines = readFileSync(path.join(root, 'dist', fingerprintsFile), 'utf8').split('\n');
  } catch {
    return false;
  }
  if (lines.length < 2 || lines.pop() !== '') return false;
  // Paths are joined by hand: a thousand files are looked at before each command.
  const start = `${root}${path.sep}`;
  return lines.every((line) => {
    const end = line.indexOf(' ');
    return fingerprintOf(start + line.slice(end + 1)) === line.slice(0, end);
  });
}
