import { homedir } from 'node:os';
import path from 'node:path';
import { CadreError, describeThrown } from '../../core/error.ts';
import { writeOutput } from '../../files/output-file.ts';
import { exportRun, type ExportedRun } from '../../engine/recovery/export-run.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { redactionText } from '../../inspect/format/redaction-text.ts';
import type { ExitCode } from '../exit-code.ts';
import { openRecordedRun } from '../runs/recorded-run.ts';
import type { ReadingOptions } from '../runs/show.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { escapeControls, jsonText } from '../terminal/json-text.ts';

/** Options of `export`. */
export interface ExportCommandOptions extends ReadingOptions {
  readonly out?: string;
  /** False with `--no-redact`. */
  readonly redact?: boolean;
}

/** Writes a run to a file that others can open (`.html`) or import (`.json`); without a file, as JSON to stdout. */
export async function exportCommand(reference: string, options: ExportCommandOptions): Promise<ExitCode> {
  const terminal = openTerminal(options);
  const kind = options.out === undefined ? 'json' : kindOf(options.out);
  using run = await openRecordedRun(options.store, reference);
  const exported = await exportRun(run, {
    at: Date.now(),
    redact: options.redact !== false,
    env: process.env,
    homes: [homedir()],
  });
  const text = await render(exported, kind);
  if (options.out === undefined) {
    terminal.print(escapeControls(text));
    terminal.tell(redactionText(exported.report));
    return 0;
  }
  await replaceFile(options.out, text);
  const { report } = exported;
  if (options.json === true) {
    const facts = { runId: run.state.meta.runId, file: path.resolve(options.out), bytes: Buffer.byteLength(text) };
    terminal.print(`${jsonText({ ...facts, redacted: exported.bundle.redacted, report: report ?? null }, 2)}\n`);
  } else {
    terminal.tell(redactionText(report));
    terminal.print(`${safe(options.out, 500)}\n`);
  }
  return 0;
}

async function render({ bundle }: ExportedRun, kind: 'json' | 'html'): Promise<string> {
  if (kind === 'json') return `${JSON.stringify(bundle)}\n`;
  const { toPageFile } = await import('../../server/export/page-file.ts');
  return await toPageFile(bundle);
}

function kindOf(file: string): 'json' | 'html' {
  const extension = path.extname(file).toLowerCase();
  if (extension === '.json') return 'json';
  if (extension === '.html' || extension === '.htm') return 'html';
  throw new CadreError(
    'OPTION_INVALID',
    `-o ${file}: the extension selects the format: .html is a page to open, .json a bundle to import`,
  );
}

/** Replaces a file atomically: readers see the old or the new content. */
async function replaceFile(file: string, text: string): Promise<void> {
  try {
    await writeOutput(file, text, { namedBy: 'user', makesFolders: false });
  } catch (thrown) {
    if (thrown instanceof CadreError) throw thrown;
    throw new CadreError('OPTION_INVALID', `${file} cannot be written: ${describeThrown(thrown)}`, { cause: thrown });
  }
}
