import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import type { Diagnostic } from '../../core/profile/profile.ts';
import { createEngine } from '../../engine/create-engine.ts';
import { countText } from '../../inspect/format/text/quantity-text.ts';
import { toTerminalLine } from '../../inspect/format/text/terminal-text.ts';
import { knownDocumentTools } from '../options/known-document-tools.ts';
import type { ExitCode } from '../exit-code.ts';
import { folderText, profilesFolder } from '../options/profiles-folder.ts';
import { diagnosticLine } from '../terminal/loading-warnings.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { jsonText } from '../terminal/json-text.ts';

/** Options of `validate`. */
export interface ValidateOptions {
  readonly json?: boolean;
  /** Counts warnings as errors do: exit code 2. */
  readonly strict?: boolean;
  readonly color?: boolean;
}

/** Diagnostics of a profiles folder, and the number of its parts. */
export interface Checked {
  readonly diagnostics: readonly Diagnostic[];
  readonly profiles: number;
  readonly llmConfigs: number;
  readonly protocols: number;
  readonly toolsets: number;
}

/** Checks a profiles folder with the tools of the command line and prints every problem of every file. */
export async function validateCommand(folder: string | undefined, options: ValidateOptions): Promise<ExitCode> {
  const terminal = openTerminal(options);
  const root = profilesFolder(folder);
  const found = await checkFolder(root);
  const checked = { ...found, diagnostics: found.diagnostics.map((diagnostic) => withOpenablePath(diagnostic, root)) };
  const errors = checked.diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = checked.diagnostics.length - errors;
  const isOk = errors === 0 && (options.strict !== true || warnings === 0);
  if (options.json === true) {
    terminal.print(`${jsonText({ ok: isOk, errors, warnings, ...checked }, 2)}\n`);
    return isOk ? 0 : 2;
  }
  for (const diagnostic of checked.diagnostics) {
    const frame = codeFrame(diagnostic.source.file, diagnostic.source);
    terminal.print(`${diagnosticLine(diagnostic, terminal.outStyle)}\n`);
    if (frame !== undefined) terminal.print(`${terminal.outStyle.dim(frame)}\n`);
  }
  const counts = `${countText(errors, 'error')}, ${countText(warnings, 'warning')}`;
  const files = [
    countText(checked.profiles, 'profile'),
    countText(checked.llmConfigs, 'LLM config'),
    countText(checked.protocols, 'handover protocol'),
    // Most folders declare none and refer to toolsets by kind.
    ...(checked.toolsets === 0 ? [] : [countText(checked.toolsets, 'toolset')]),
  ].join(', ');
  // Without an argument, name the folder that was checked.
  const where = folder === undefined ? ` (${folderText(root)})` : '';
  terminal.print(isOk ? `${terminal.outStyle.green('ok')}: ${files}; ${counts}${where}\n` : `${counts}${where}\n`);
  return isOk ? 0 : 2;
}

/** Checks a profiles folder as `validate` does. */
export async function checkFolder(root: string): Promise<Checked> {
  try {
    await using engine = await createEngine({ profiles: root, tools: knownDocumentTools(), store: 'memory' });
    const { profiles, llmConfigs, protocols, toolsets } = engine.profiles;
    const counts = { profiles: profiles.size, llmConfigs: llmConfigs.size, protocols: protocols.size, toolsets: toolsets.size };
    return { diagnostics: engine.warnings, ...counts };
  } catch (error) {
    const diagnostics = error instanceof CadreError && error.code === 'PROFILE_INVALID' ? error.details['diagnostics'] : undefined;
    if (!Array.isArray(diagnostics)) throw error;
    return { diagnostics: diagnostics as readonly Diagnostic[], profiles: 0, llmConfigs: 0, protocols: 0, toolsets: 0 };
  }
}

/** Makes the file of a diagnostic openable: relative to the working folder, or absolute when outside. */
function withOpenablePath(diagnostic: Diagnostic, root: string): Diagnostic {
  const file = path.join(path.dirname(root), diagnostic.source.file);
  // Diagnostics about other files keep their path.
  if (!existsSync(file)) return diagnostic;
  const relative = path.relative('', file);
  return {
    ...diagnostic,
    source: { ...diagnostic.source, file: relative.startsWith('..') || path.isAbsolute(relative) ? file : relative },
  };
}

const maxColumns = 160;

/**
 * Renders the source line of a diagnostic with a caret below the column; undefined when the file is unreadable or has no such line.
 *
 * @param file a path that can be opened; `line` and `column` start at 1
 */
export function codeFrame(file: string, { line, column }: { readonly line: number; readonly column: number }): string | undefined {
  let text: string | undefined;
  try {
    text = readFileSync(file, 'utf8').split(/\r?\n/)[line - 1];
  } catch {
    return undefined;
  }
  if (text === undefined || text.trim() === '') return undefined;
  const before = toTerminalLine(text.slice(0, column - 1).replaceAll('\t', ' '), 100_000);
  const shown = toTerminalLine(text.replaceAll('\t', ' '), maxColumns);
  const number = String(line);
  const mark = before.length < maxColumns ? `\n  ${' '.repeat(number.length)} | ${' '.repeat(before.length)}^` : '';
  return `  ${number} | ${shown}${mark}`;
}
