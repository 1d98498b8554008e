import { readdirSync, statSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Download } from 'playwright-core';
import { describeThrown } from '../../core/error.ts';
import { writeInside } from '../files/write-inside.ts';

/** Target folder and size limit of downloads. */
export interface DownloadOptions {
  readonly workspace: string;
  /** Folder in which the browser keeps them during the transfer. */
  readonly incoming: string;
  readonly maxBytes: number;
}

const checkEveryMs = 200;

/** Saves a download to the folder `downloads` of the workspace, and returns a sentence about the outcome. Never throws. */
export async function saveDownload(download: Download, options: DownloadOptions): Promise<string> {
  const name = safeName(download.suggestedFilename());
  let isTooLarge = false;
  const timer = setInterval(() => {
    if (largestIn(options.incoming) <= options.maxBytes) return;
    isTooLarge = true;
    download.cancel().catch(() => undefined);
  }, checkEveryMs);
  try {
    const from = await download.path();
    if (statSync(from).size > options.maxBytes) isTooLarge = true;
    if (isTooLarge) return tooLarge(name, options);
    const file = `downloads/${name}`;
    await writeInside({ root: await realpath(options.workspace), file, what: 'the workspace', bytes: await readFile(from) });
    return `downloaded: ${file}`;
  } catch (thrown) {
    return isTooLarge ? tooLarge(name, options) : `the download ${name} failed: ${describeThrown(thrown).split('\n')[0]}`;
  } finally {
    clearInterval(timer);
    await download.delete().catch(() => undefined);
  }
}

function tooLarge(name: string, { maxBytes }: DownloadOptions): string {
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

function largestIn(folder: string): number {
  try {
    return Math.max(0, ...readdirSync(folder).map((name) => statSync(path.join(folder, name)).size));
  } catch {
    // Files appear and disappear while they are counted; the next check is soon.
    return 0;
  }
}
