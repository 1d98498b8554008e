import { closeSync, fdatasync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { openLog } from '../../files/database-file.ts';
import { SharedSync } from '../shared-sync.ts';
import { syncDirectory } from './sync-directory.ts';

const syncData = promisify(fdatasync);

/**
 * Syncs the write-ahead log of an open journal without SQLite and without blocking the event loop.
 *
 * 1. Everything committed before a request is on disk when the request resolves: SQLite has written it to the log, or has moved it
 *    from there into the file, which it syncs.
 * 2. Requests made during a sync share the next one.
 * 3. Only the log is opened: closing a second descriptor of the file itself would drop SQLite's locks on it.
 */
export class WalSync {
  readonly #file: string;
  #descriptor: number | undefined;
  #areNamesSynced = false;
  readonly #shared = new SharedSync(() => this.#sync());

  constructor(file: string) {
    this.#file = file;
  }

  /** Resolves when everything committed before is on disk. */
  request(): Promise<void> {
    return this.#shared.request();
  }

  /**
   * Makes the names of the file and its log survive a power cut: the log is a new file each time, and Node's SQLite build does not
   * sync its name.
   */
  syncNames(): void {
    if (this.#areNamesSynced) return;
    syncDirectory(dirname(this.#file));
    this.#areNamesSynced = true;
  }

  /** Closes the log. Returns a promise only while a sync is running. */
  close(): Promise<void> | undefined {
    const { last } = this.#shared;
    if (last !== undefined)
      return last.then(
        () => this.#closeLog(),
        () => this.#closeLog(),
      );
    this.#closeLog();
    return undefined;
  }

  async #sync(): Promise<void> {
    this.#descriptor ??= openLog(this.#file);
    await syncData(this.#descriptor);
    this.syncNames();
  }

  #closeLog(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
