import { readdirSync, type Stats, statSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Download } from 'playwright-core';
import { describeThrown } from '../../core/error.ts';
import { writeInside } from '../../files/write-inside.ts';

/** Target folder and size limit of downloads. */
export interface DownloadOptions {
  readonly workspace: string;
  /** Folder in which the browser keeps them during the transfer, each under a name that the browser chooses. */
  readonly incoming: string;
  readonly maxBytes: number;
}

const checkEveryMs = 200;

/** The downloads of one browser, several at a time. */
export class Downloads {
  readonly #options: DownloadOptions;
  /** Names of files in `incoming` that belong to a download. The browser tells which one it was only at the end of the transfer. */
  readonly #taken = new Set<string>();

  constructor(options: DownloadOptions) {
    this.#options = options;
  }

  /** Saves a download to the folder `downloads` of the workspace, and returns a sentence about the outcome. Never throws. */
  async save(download: Download): Promise<string> {
    const { workspace, maxBytes } = this.#options;
    const name = safeName(download.suggestedFilename());
    const began = Date.now();
    let own: string | undefined;
    let isTooLarge = false;
    const timer = setInterval(() => {
      const files = this.#incomingFiles();
      // A file that is gone was that of a download that ended before it took one.
      if (own === undefined || !files.has(own)) own = this.#take(files, began);
      if (own === undefined || (files.get(own)?.size ?? 0) <= maxBytes) return;
      isTooLarge = true;
      download.cancel().catch(() => undefined);
    }, checkEveryMs);
    try {
      const from = await download.path();
      if (statSync(from).size > maxBytes) isTooLarge = true;
      if (isTooLarge) return tooLarge(name, maxBytes);
      const file = `downloads/${name}`;
      await writeInside({ root: await realpath(workspace), file, what: 'the workspace', bytes: await readFile(from) });
      return `downloaded: ${file}`;
    } catch (thrown) {
      return isTooLarge ? tooLarge(name, maxBytes) : `the download ${name} failed: ${describeThrown(thrown).split('\n')[0]}`;
    } finally {
      clearInterval(timer);
      await download.delete().catch(() => undefined);
    }
  }

  /** Takes the file that was made nearest to the begin of a download. */
  #take(files: ReadonlyMap<string, Stats>, began: number): string | undefined {
    const distance = ([, { birthtimeMs }]: [string, Stats]): number => Math.abs(birthtimeMs - began);
    const free = [...files].filter(([name]) => !this.#taken.has(name));
    const nearest = free.sort((a, b) => distance(a) - distance(b))[0]?.[0];
    if (nearest !== undefined) this.#taken.add(nearest);
    return nearest;
  }

  /** Returns the files of `incoming` by their names, which during the transfer have a suffix. */
  #incomingFiles(): Map<string, Stats> {
    const { incoming } = this.#options;
    const files = new Map<string, Stats>();
    for (const name of namesIn(incoming)) {
      const stats = statSync(path.join(incoming, name), { throwIfNoEntry: false });
      if (stats !== undefined) files.set(name.replace(/\.crdownload$/, ''), stats);
    }
    return files;
  }
}

/** Returns nothing for a folder that is not there: the browser makes it with the first file, and removes it as it closes. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function tooLarge(name: string, maxBytes: number): string {
  return `the download ${name} is larger than ${maxBytes} bytes and was cancelled`;
}

/** Returns the name a page suggests, without characters that could lead elsewhere or hide. */
function safeName(suggested: string): string {
  const name = path
    .basename(suggested.replaceAll('\\', '/'))
    .replace(/[^\w .()-]/g, '_')
    .replace(/^[. ]+/, '')
    .slice(0, 100);
  return name === '' ? 'download' : name;
}
