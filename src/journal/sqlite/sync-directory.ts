import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Makes the names in a directory survive a power cut, which syncing the files in it does not promise. Does nothing on Windows,
 * where a directory cannot be opened and names are kept by the file system's own journal.
 */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
