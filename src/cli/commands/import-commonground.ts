import path from 'node:path';
import { readdir, realpath } from 'node:fs/promises';
import { CadreError } from '../../core/error.ts';
import { writeOutput } from '../../files/output-file.ts';
import { placeOf } from '../../files/project-place.ts';
import { countText } from '../../inspect/format/text/quantity-text.ts';
import { toTerminalLine } from '../../inspect/format/text/terminal-text.ts';
import { convertFolder, type ConvertedFile, type ConvertedTree } from '../../compat/commonground/convert-tree.ts';
import { type Finding, sortFindings } from '../../compat/commonground/finding.ts';
import type { ExitCode } from '../exit-code.ts';
import { openTerminal, type Terminal } from '../terminal/terminal.ts';
import { thisCommand } from '../options/this-command.ts';
import { jsonText } from '../terminal/json-text.ts';
import { checkFolder } from './validate.ts';
import { findInText } from '../../inspect/bundle/find-secrets.ts';

/** Options of `import commonground`. */
export interface ImportCommonGroundOptions {
  readonly out?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly color?: boolean;
}

/** Converts a tree of CommonGround v1 profiles into a folder and reports each conversion; returns 1 when manual work remains. */
export async function importCommonGroundCommand(folder: string, options: ImportCommonGroundOptions): Promise<ExitCode> {
  const terminal = openTerminal(options);
  const out = path.resolve(options.out ?? 'agent_profiles');
  await checkOverlap(path.resolve(folder), out);
  placeOf(out, { isFolder: true });
  await checkEmpty(out, options.force ?? false);
  const written = withoutSecrets(await convertFolder(folder));
  await write(out, written);
  const converted = await withLoadErrors(written, out);
  const open = converted.findings.filter(({ kind }) => kind === 'not_converted').length;
  const isWhole = open === 0 && converted.files.length > 0;
  if (options.json === true) {
    const files = converted.files.map(({ text: _text, ...file }) => file);
    terminal.print(`${jsonText({ ok: isWhole, out: path.relative('', out), files, findings: converted.findings }, 2)}\n`);
  } else {
    print(terminal, converted, out);
  }
  return isWhole ? 0 : 1;
}

/** Fails when the output folder lies in the source tree, which must not change. */
async function checkOverlap(folder: string, out: string): Promise<void> {
  const source = await realpath(folder).catch(() => folder);
  const relative = path.relative(source, await realPathOf(out));
  if (relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) return;
  throw new CadreError(
    'OPTION_INVALID',
    `${out} lies in the tree that is converted, which must not change; name another folder with --out`,
  );
}

/** Resolves links in the existing part of a path; the path itself may not exist yet. */
async function realPathOf(target: string): Promise<string> {
  const parent = path.dirname(target);
  return await realpath(target).catch(async () =>
    parent === target ? target : path.join(await realPathOf(parent), path.basename(target)),
  );
}

async function checkEmpty(out: string, force: boolean): Promise<void> {
  const names = await readdir(out).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return [];
    throw new CadreError('OPTION_INVALID', `${out} cannot be written to: ${String(code)}; name a folder with --out`, {
      cause: error,
    });
  });
  const [first] = names;
  if (force || first === undefined) return;
  throw new CadreError(
    'OPTION_INVALID',
    `${out} is not empty (it holds ${first}); name an empty folder with --out, or use --force to write into it`,
  );
}

async function write(out: string, { files }: ConvertedTree): Promise<void> {
  for (const { path: name, text } of files) await writeOutput(path.join(out, name), text, { namedBy: 'project', projects: [out] });
}

/**
 * Loads the written folder as `validate` would. If the conversion reported no gap but the folder does not load, each error counts as NOT
 * CONVERTED: exit code 0 means a team that loads.
 */
async function withLoadErrors(tree: ConvertedTree, out: string): Promise<ConvertedTree> {
  if (tree.files.length === 0 || tree.findings.some(({ kind }) => kind === 'not_converted')) return tree;
  const { diagnostics } = await checkFolder(out);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const findings = errors.map(({ source, message, hint }): Finding => {
    const written = path.relative(out, path.resolve(source.file));
    const from = tree.files.find((file) => file.path === written)?.from ?? source.file;
    const text = `${written}:${source.line}:${source.column} does not load after the conversion: ${message}`;
    return { kind: 'not_converted', file: from, line: 1, column: 1, message: text, ...(hint === undefined ? {} : { hint }) };
  });
  return { ...tree, findings: [...tree.findings, ...findings] };
}

const titles: Readonly<Record<Finding['kind'], string>> = {
  changed: 'changed',
  left_out: 'left out',
  not_converted: 'NOT CONVERTED',
};

function convertedText({ conditions, texts }: ConvertedFile): string {
  const done = [
    ...(conditions === 0 ? [] : [countText(conditions, 'condition')]),
    ...(texts === 0 ? [] : [countText(texts, 'text')]),
  ];
  return done.length === 0 ? '' : ` (${done.join(', ')} converted)`;
}

function print(terminal: Terminal, { files, findings }: ConvertedTree, out: string): void {
  const style = terminal.outStyle;
  const colored = (kind: Finding['kind']): string =>
    kind === 'not_converted' ? style.red(titles[kind]) : kind === 'changed' ? style.yellow(titles[kind]) : style.dim(titles[kind]);
  const names = [...new Set([...files.map(({ from }) => from), ...findings.map(({ file }) => file)])].toSorted();
  for (const name of names) {
    const to = files.filter(({ from }) => from === name).map((file) => `${file.path}${convertedText(file)}`);
    terminal.print(`${toTerminalLine(`${name} -> ${to.length === 0 ? 'nothing' : to.join(', ')}`, 500)}\n`);
    for (const finding of findings.filter(({ file }) => file === name)) {
      const { kind, line, column, message, hint } = finding;
      const text = toTerminalLine(`${name}:${line}:${column}: ${message}${hint === undefined ? '' : ` (${hint})`}`, 2_000);
      terminal.print(`  ${colored(kind)} ${text}\n`);
    }
  }
  const count = (kind: Finding['kind']): number => findings.filter((finding) => finding.kind === kind).length;
  const counts = `${countText(files.length, 'file')} written; ${count('changed')} changed, ${count('left_out')} left out, ${count('not_converted')} not converted`;
  terminal.print(`${counts}\n`);
  if (files.length > 0) terminal.tell(`Check them with: ${thisCommand(['validate', path.relative('', out)])}\n`);
}

/** Placeholder for a secret. */
const placeholder = 'SECRET_LEFT_OUT';

/** Replaces everything that looks like a secret in a converted tree, under any key, and reports each place. */
export function withoutSecrets(tree: ConvertedTree): ConvertedTree {
  const findings: Finding[] = [...tree.findings];
  const files = tree.files.map((file) => {
    let { text } = file;
    for (const { kind, value } of findInText(file.text)) {
      if (!text.includes(value)) continue;
      findings.push(findingAt(file, kind, text.slice(0, text.indexOf(value)).split('\n').length));
      text = text.replaceAll(value, placeholder);
    }
    return { ...file, text };
  });
  return { ...tree, files, findings: sortFindings(findings) };
}

function findingAt(file: ConvertedFile, kind: string, line: number): Finding {
  return {
    kind: 'not_converted',
    file: file.from,
    line: 1,
    column: 1,
    message: `line ${line} of ${file.path} would contain text that looks like a secret (${kind}); it is replaced by ${placeholder}`,
    hint: 'read secrets from the environment: { _type: from_env, var: NAME }; revoke a key that others may have seen',
  };
}
