import fs, { type NoParamCallback } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Told when the program syncs something below a folder. */
export interface SyncObserver {
  readonly folder: string;
  /** The names in a folder are on the disk. */
  onNames(path: string): void;
  /** A file is to be synced; `done` once it is. */
  onData(path: string, done: NoParamCallback): void;
}

let observer: SyncObserver | undefined;
let isObserving = false;
/** The files that are open, by their descriptors. */
const paths = new Map<number, string>();

/** From here on the syncs of files and folders below this one are the observer's; those of all other files are real. */
export function observeSyncs(next: SyncObserver | undefined): void {
  observer = next;
}

/**
 * Replaces what Node offers for syncing, so that the stores' own calls are seen. Once for each thread, before the
 * program is loaded.
 */
export function interceptSyncs(): void {
  if (isObserving) return;
  isObserving = true;
  const { openSync, closeSync, fsyncSync, fdatasync } = fs;
  const pathOf = (descriptor: number): string | undefined => {
    const path = paths.get(descriptor);
    return observer !== undefined && path?.startsWith(observer.folder) === true ? path : undefined;
  };
  fs.openSync = (path, ...rest) => {
    const descriptor = openSync(path, ...rest);
    paths.set(descriptor, String(path));
    return descriptor;
  };
  fs.closeSync = (descriptor) => {
    paths.delete(descriptor);
    closeSync(descriptor);
  };
  fs.fsyncSync = (descriptor) => {
    const path = pathOf(descriptor);
    if (path === undefined) fsyncSync(descriptor);
    else observer?.onNames(path);
  };
  const sync = (descriptor: number, callback: NoParamCallback): void => {
    const path = pathOf(descriptor);
    if (path === undefined) fdatasync(descriptor, callback);
    else observer?.onData(path, callback);
  };
  fs.fdatasync = Object.assign(sync, { __promisify__: fdatasync.__promisify__ });
  syncBuiltinESMExports();
}

/** Closes what a program left open below a folder: the system does so when a process dies, and here it was only simulated. */
export function closeLeftBelow(folder: string): void {
  for (const [descriptor, path] of paths) if (path.startsWith(folder)) fs.closeSync(descriptor);
}
