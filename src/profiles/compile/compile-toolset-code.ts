import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { type CodeFile, isCodeFile, localImports, type ToolsetCode } from '../../core/tool/code-files.ts';
import { codeKey } from '../files/read-code-files.ts';
import { Report } from '../report.ts';
import { quote } from '../wording.ts';
import type { MapNode } from '../yaml/source-node.ts';
import { findFile } from './file-lookup.ts';
import { mapNode, textNode } from './read-node.ts';
import type { ValueSources } from './configs/environment-values.ts';

/** Files that toolsets may load as code. */
export interface CodeSources {
  /** Files of code and JSON, by path. */
  readonly files: ReadonlyMap<string, string>;
  /** Locations of the files on this machine, by path. */
  readonly places: ReadonlyMap<string, string> | undefined;
  /** Reasons why files could not be read, by `codeKey`. */
  readonly problems: ReadonlyMap<string, string> | undefined;
}

interface CodeContext {
  readonly report: Report;
  readonly values: ValueSources;
  readonly code: CodeSources;
}

/** Finds the code of a toolset: the file that `path` names, and its local imports. Runs none of it. */
export function compileToolsetCode(context: CodeContext, root: MapNode, isChecked: boolean): ToolsetCode | undefined {
  const { report, values, code } = context;
  const node = textNode(mapNode(root, 'settings'), 'path');
  if (node === undefined) {
    const written = mapNode(root, 'settings')?.entries.get('path')?.value;
    if (isChecked && written?.kind === 'map')
      report.error('NOT_ALLOWED', {
        at: written.at,
        message: 'the path of code must be written literally',
        hint: 'write path: ./tools/weather.ts',
      });
    return undefined;
  }
  const problem = code.problems?.get(codeKey(node.at.file.path, node.value));
  if (problem !== undefined) {
    report.error('BAD_REFERENCE', { at: node.at, message: `${quote(node.value)} cannot be loaded as code: ${problem}` });
    return undefined;
  }
  const entry = findFile(code.files, isChecked ? report : new Report(), { from: node.at, reference: node.value })?.path;
  if (entry === undefined) return undefined;
  if (!isCodeFile(entry)) {
    report.error('BAD_REFERENCE', {
      at: node.at,
      message: `${quote(node.value)} is not code`,
      hint: 'name a .ts, .mts, .js or .mjs file',
    });
    return undefined;
  }
  const files = closureOf(entry, code);
  for (const { path } of files) values.onUsed(path);
  return toolsetCode(entry, files);
}

/** Returns the file and all its local imports, sorted by path. */
function closureOf(entry: string, { files, places }: CodeSources): readonly CodeFile[] {
  const found = new Map<string, CodeFile>();
  const waiting = [entry];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const text = files.get(path);
    if (text === undefined || found.has(path)) continue;
    const place = places?.get(path);
    found.set(path, { path, text, ...(place === undefined ? {} : { place }) });
    if (isCodeFile(path)) waiting.push(...localImports(path, text));
  }
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns code with its hash, which covers paths relative to the entry, so that moving the folder does not change it. */
export function toolsetCode(entry: string, files: readonly CodeFile[]): ToolsetCode {
  const texts = files.map(({ path, text }) => [posix.relative(posix.dirname(entry), path), text]);
  const hash = createHash('sha256')
    .update(JSON.stringify([posix.basename(entry), texts]))
    .digest('hex');
  return { entry, files, hash };
}
