import { hostname } from 'node:os';
import { nanoid } from 'nanoid';
import { createContentHash } from '../../engine/recovery/content-hash.ts';
import { importRun } from '../../engine/recovery/imported-run.ts';
import { randomIds } from '../../engine/random-ids.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import type { ExitCode } from '../exit-code.ts';
import { openJournal } from '../options/open-journal.ts';
import { checkStorePlace } from '../options/store-path.ts';
import type { ReadingOptions } from '../runs/show.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { thisCommand } from '../options/this-command.ts';
import { jsonText } from '../terminal/json-text.ts';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { RunBundle } from '../../inspect/bundle.ts';
import { bundleLimits, readBundle } from '../../inspect/bundle/read-bundle.ts';

/** Options of `import`. */
export interface ImportCommandOptions extends ReadingOptions {
  readonly asNew?: boolean;
}

/** Imports an exported run into the journal, read-only. */
export async function importCommand(file: string, options: ImportCommandOptions): Promise<ExitCode> {
  const terminal = openTerminal(options);
  // Reads and checks the whole file before opening the journal.
  const bundle = await readBundleFile(file);
  await checkStorePlace(options.store);
  const journal = await openJournal(options.store);
  try {
    const runId = await importRun(journal, bundle, {
      from: file,
      at: Date.now(),
      hash: createContentHash(),
      owner: `${process.pid}@${hostname()}#${nanoid(8)}`,
      ...(options.asNew === true ? { asNew: randomIds.runId() } : {}),
    });
    const { title, status } = bundle.run;
    if (options.json === true)
      terminal.print(`${jsonText({ runId, title, status, events: bundle.events.length, redacted: bundle.redacted }, 2)}\n`);
    else {
      terminal.print(`${runId}\n`);
      terminal.tell(`Imported, read-only: ${safe(title, 200)}. Show it with: ${thisCommand(['show', runId], options.store)}\n`);
    }
    return 0;
  } finally {
    await journal.close();
  }
}

/** Reads the bundle in a file written by `cadre export`: JSON, or a page with the run inside. Fails with BUNDLE_INVALID. */
async function readBundleFile(file: string): Promise<RunBundle> {
  const say = (what: string, cause?: unknown): CadreError => new CadreError('BUNDLE_INVALID', `${file}: ${what}`, { cause });
  let text: string;
  try {
    const { size } = await stat(file);
    if (size > bundleLimits.chars) throw say(`the file has ${size} bytes; the maximum is ${bundleLimits.chars}`);
    text = await readFile(file, 'utf8');
  } catch (thrown) {
    throw thrown instanceof CadreError ? thrown : say(`the file cannot be read: ${describeThrown(thrown)}`, thrown);
  }
  const json = text.trimStart().startsWith('<') ? await inPage(text, say) : text.replace(/^\uFEFF/, '');
  return readBundle(json, { hash: createContentHash(), source: file });
}

const element = /<script type="application\/json" id="cadre-run"( data-encoding="gzip")?>([^<]*)<\/script>/;

async function inPage(page: string, say: (what: string, cause?: unknown) => CadreError): Promise<string> {
  const found = element.exec(page);
  if (found === null) throw say('this page contains no run; write one with: cadre export RUN -o run.html');
  const [, packed, data = ''] = found;
  if (packed === undefined) return data;
  try {
    return (await promisify(gunzip)(Buffer.from(data, 'base64'), { maxOutputLength: bundleLimits.chars })).toString('utf8');
  } catch (thrown) {
    throw say(`the run in this page cannot be unpacked: ${describeThrown(thrown)}; the file may be truncated`, thrown);
  }
}
