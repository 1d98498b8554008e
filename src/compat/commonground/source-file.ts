import { isScalar, parseDocument, visit, type Document, type Node, type YAMLMap, type YAMLSeq } from 'yaml';
import type { JsonObject } from '../../core/json.ts';
import type { Report } from '../../profiles/report.ts';
import { parseYaml } from '../../profiles/yaml/parse-yaml.ts';
import { scalarOffset } from '../../profiles/yaml/scalar-offset.ts';
import { type ScalarStyle, toPlainObject } from '../../profiles/yaml/source-node.ts';
import { SourceText } from '../../profiles/yaml/source-text.ts';
import type { Finding, FindingKind } from './finding.ts';

/** YAML file of the source tree, as data and as an editable document. */
export interface SourceFile {
  readonly path: string;
  readonly text: SourceText;
  readonly document: Document;
  readonly root: YAMLMap;
  /** Data of the file before any edit. */
  readonly data: JsonObject;
  readonly findings: Finding[];
  /** Number of converted conditions and texts. */
  readonly converted: { conditions: number; texts: number };
}

/**
 * Parses a file within all limits of the profile loader; problems go to the report. The document keeps comments, order and block
 * texts, and is parsed only after the loader's parser accepted the file.
 */
export function parseSourceFile(path: string, source: string, report: Report): SourceFile | undefined {
  const text = new SourceText(path, source);
  const node = parseYaml(text, report);
  if (node === undefined) return undefined;
  if (node.kind !== 'map') {
    report.error('NOT_A_MAP', { at: node.at, message: 'the file is not a map of keys' });
    return undefined;
  }
  const document = parseDocument(source, { version: '1.2', uniqueKeys: false, logLevel: 'silent' });
  return {
    path,
    text,
    document,
    root: document.contents as YAMLMap,
    data: toPlainObject(node),
    findings: [],
    converted: { conditions: 0, texts: 0 },
  };
}

/** Prints the edited file: long lines stay whole, and single-line collections are written `[a, b]` and `{ a: b }`. */
export function printDocument(file: SourceFile): string {
  visit(file.document, { Seq: (_key, node) => pad(node, ''), Map: (_key, node) => pad(node, ' ') });
  return file.document.toString({ lineWidth: 0 });
}

/** The printer has one padding option for lists and maps, so it is set per node. */
function pad(node: YAMLMap | YAMLSeq, padding: string): void {
  const print = node.toString.bind(node);
  node.toString = (context, ...rest) =>
    print(context === undefined ? context : { ...context, flowCollectionPadding: padding }, ...rest);
}

interface FindingParts {
  readonly at: Node | undefined;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly offset?: number;
}

/** Adds a finding. `offset` is a position inside the text of a scalar. */
export function find(file: SourceFile, kind: FindingKind, { at, message, hint, offset }: FindingParts): void {
  const { line, column } = file.text.refAt(placeOf(file, at, offset));
  file.findings.push({ kind, file: file.path, line, column, message, ...(hint === undefined ? {} : { hint }) });
}

const styles: Readonly<Record<string, ScalarStyle>> = {
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
  PLAIN: 'plain',
};

function placeOf(file: SourceFile, node: Node | undefined, offset: number | undefined): number {
  const [start, end] = node?.range ?? [0, 0];
  if (offset === undefined || !isScalar(node) || typeof node.value !== 'string') return start;
  const style = styles[node.type ?? 'PLAIN'] ?? 'plain';
  const at = { file: file.text, start, end };
  return scalarOffset({ kind: 'scalar', at, value: node.value, style, written: node.source ?? '' }, offset);
}
