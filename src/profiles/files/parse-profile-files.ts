import { isCodeFile } from '../../core/tool/code-files.ts';
import type { ModelPrices } from '../../core/model/model-price.ts';
import type { ProfileFile } from '../../core/profile/profile.ts';
import { fileKindOf, type FileKind } from './file-kind.ts';
import { maxFileBytes, maxTotalBytes, sizeText } from './file-limits.ts';
import { isBesideProfiles } from './test-file-names.ts';
import { readPlainPrices } from './plain-prices.ts';
import type { Report } from '../report.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import type { MapNode } from '../yaml/source-node.ts';
import { SourceText } from '../yaml/source-text.ts';

/** Parsed profile files, by kind. */
export interface ParsedFiles {
  readonly roots: Readonly<Record<Exclude<FileKind, 'ignored' | 'prices'>, readonly MapNode[]>>;
  /** Price files in order; plain tables are already read. */
  readonly prices: readonly (MapNode | ModelPrices)[];
  readonly jsonFiles: ReadonlyMap<string, string>;
  /** Files of code, by path. */
  readonly codeFiles: ReadonlyMap<string, string>;
  /** Paths of the files that belong to the set. */
  readonly used: ReadonlySet<string>;
  /** Paths of files that are not valid YAML, or not a map of keys. */
  readonly unreadable: ReadonlySet<string>;
  /** Names declared by files that could not be read. */
  readonly broken: ReadonlySet<string>;
}

/** Parses files and sorts them by kind; problems go to the report. */
export function parseProfileFiles(files: readonly ProfileFile[], report: Report): ParsedFiles {
  const prices: (MapNode | ModelPrices)[] = [];
  const roots: Record<Exclude<FileKind, 'ignored' | 'prices'>, MapNode[]> = {
    profile: [],
    llm_config: [],
    handover_protocol: [],
    toolset: [],
    team: [],
    script: [],
  };
  const jsonFiles = new Map<string, string>();
  const codeFiles = new Map<string, string>();
  const used = new Set<string>();
  const broken = new Set<string>();
  const unreadable = new Set<string>();
  let total = 0;
  for (const { path, text } of files) {
    if (isBesideProfiles(path)) continue;
    if (path.toLowerCase().endsWith('.json')) {
      jsonFiles.set(path, text);
      continue;
    }
    if (isCodeFile(path)) {
      codeFiles.set(path, text);
      continue;
    }
    const file = new SourceText(path, text.startsWith('\uFEFF') ? text.slice(1) : text);
    const bytes = Buffer.byteLength(text);
    total += bytes;
    if (!checkFile(report, file, { bytes, total, isKnown: used.has(path) })) {
      if (bytes <= maxFileBytes && total > maxTotalBytes) break;
      continue;
    }
    const table = readPlainPrices(text);
    if (table !== undefined) {
      used.add(path);
      prices.push(table);
      continue;
    }
    const root = parseYaml(file, report);
    const kind = fileKindOf(path, root);
    if (kind === 'ignored') continue;
    used.add(path);
    if (root?.kind === 'map') {
      (kind === 'prices' ? prices : roots[kind]).push(root);
      continue;
    }
    unreadable.add(path);
    if (root === undefined) addBrokenNames(file.text, broken);
    else
      report.error('NOT_A_MAP', {
        at: root.at,
        message: 'the file must be a map of `key: value` lines',
        hint: 'a profile needs at least `name:`',
      });
  }
  return { roots, prices, jsonFiles, codeFiles, used, unreadable, broken };
}

/** Reports a file that is too large, exceeds the total size, or is loaded twice; true when it is fine. */
function checkFile(
  report: Report,
  file: SourceText,
  { bytes, total, isKnown }: { readonly bytes: number; readonly total: number; readonly isKnown: boolean },
): boolean {
  const at = { file, start: 0, end: 0 };
  if (bytes > maxFileBytes) {
    report.error('FILE_TOO_LARGE', {
      at,
      message: `the file has ${sizeText(bytes)}, a profile file may have ${sizeText(maxFileBytes)}`,
      hint: 'split it, and share parts with base_profile',
    });
    return false;
  }
  if (total > maxTotalBytes) {
    report.error('FOLDER_TOO_LARGE', {
      at,
      message: `the files have more than ${sizeText(maxTotalBytes)} together`,
      hint: 'load fewer files',
    });
    return false;
  }
  if (isKnown) report.error('DUPLICATE_NAME', { at, message: 'the file is loaded twice', hint: 'name it once' });
  return !isKnown;
}

/** Adds the probable name of a file that cannot be parsed, so that references to it are not reported as well. */
function addBrokenNames(text: string, broken: Set<string>): void {
  const match = /^(?:name|protocol_name):[ \t]*['"]?([\w.-]+)/m.exec(text.slice(0, 20_000));
  if (match?.[1] !== undefined) broken.add(match[1]);
}
