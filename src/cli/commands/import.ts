import { hostname } from 'node:os';
import { nanoid } from 'nanoid';
import { createContentHash } from '../../engine/recovery/content-hash.ts';
import { importRun } from '../../engine/recovery/import-run.ts';
import { randomIds } from '../../engine/random-ids.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { createSqliteJournal } from '../../journal/sqlite/sqlite-journal.ts';
import type { ExitCode } from '../exit-code.ts';
import { readBundleFile } from '../runs/read-bundle-file.ts';
import { storePath } from '../options/store-path.ts';
import type { ReadingOptions } from '../runs/show.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { thisCommand } from '../options/this-command.ts';
import { jsonText } from '../terminal/json-text.ts';

/** Options of `import`. */
export interface ImportCommandOptions extends ReadingOptions {
  readonly asNew?: boolean;
}

/** Imports an exported run into the journal, read-only. */
export async function importCommand(file: string, options: ImportCommandOptions): Promise<ExitCode> {
  const terminal = openTerminal(options);
  // Reads and checks the whole file before opening the journal.
  const bundle = await readBundleFile(file);
  const journal = createSqliteJournal(storePath(options.store));
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
