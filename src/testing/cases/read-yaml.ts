import path from 'node:path';
import { maxFileBytes, sizeText } from '../../profiles/files/file-limits.ts';
import type { Report } from '../../profiles/report.ts';
import { parseYaml } from '../../profiles/yaml/parse-yaml.ts';
import type { SourceNode } from '../../profiles/yaml/source-node.ts';
import { SourceText } from '../../profiles/yaml/source-text.ts';

/** Parses a file of tests or evals; undefined, with the problems reported, when it is too large or no YAML. `what`: `a test file`. */
export function readYaml(file: string, text: string, what: string, report: Report): SourceNode | undefined {
  const source = new SourceText(file, text.startsWith('\uFEFF') ? text.slice(1) : text);
  const size = Buffer.byteLength(text);
  if (size <= maxFileBytes) return parseYaml(source, report);
  report.error('FILE_TOO_LARGE', {
    at: { file: source, start: 0, end: 0 },
    message: `the file has ${sizeText(size)}, ${what} may have ${sizeText(maxFileBytes)}`,
    hint: 'split it',
  });
  return undefined;
}

/** Returns the path of a file for people: relative when it is below the working folder. */
export function shownPath(file: string): string {
  const below = path.relative('', file);
  const shown = below.startsWith('..') || path.isAbsolute(below) ? file : below;
  return shown.replaceAll(path.sep, '/');
}
