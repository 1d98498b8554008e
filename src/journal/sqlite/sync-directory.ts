import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * Makes the names in a directory survive a power cut, which syncing its files does not. Does nothing on Windows, where a directory
 * cannot be opened and the file system journals names itself.
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
