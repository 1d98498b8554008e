import { isScalar, parseDocument, visit, type Document, type Node, type YAMLMap, type YAMLSeq } from 'yaml';
import type { JsonObject } from '../../core/json.ts';
import type { Report } from '../../profiles/report.ts';
import { parseYaml } from '../../profiles/yaml/parse-yaml.ts';
import { scalarOffset } from '../../profiles/yaml/scalar-offset.ts';
import { type ScalarStyle, toPlainObject } from '../../profiles/yaml/source-node.ts';
import { SourceText } from '../../profiles/yaml/source-text.ts';
import type { Finding, FindingKind } from './finding.ts';

/** A YAML file of the source tree, as data and as a document that is edited. */
export interface SourceFile {
  readonly path: string;
  readonly text: SourceText;
  readonly document: Document;
  readonly root: YAMLMap;
  /** What the file says, before anything was edited. */
  readonly data: JsonObject;
  readonly findings: Finding[];
  /** How many conditions and texts were converted. */
  readonly converted: { conditions: number; texts: number };
}

/**
 * Reads a file with all the bounds of the profile loader; what is wrong with it goes to the report. The document keeps comments,
 * order and block texts, and is read only after the loader's parser found nothing in it that is dangerous or unclear.
 */
export function parseSourceFile(path: string, source: string, report: Report): SourceFile | undefined {
  const text = new SourceText(path, source);
  const node = parseYaml(text, report);
  if (node === undefined) return undefined;
  if (node.kind !== 'map') {
    report.error('NOT_A_MAP', node.at, 'the file holds no map of keys');
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

/** The text of a file as it was edited: long lines stay whole, and what stood on one line is written `[a, b]` and `{ a: b }`. */
export function printDocument(file: SourceFile): string {
  visit(file.document, { Seq: (_key, node) => pad(node, ''), Map: (_key, node) => pad(node, ' ') });
  return file.document.toString({ lineWidth: 0 });
}

/** The printer has one option for lists and maps, read from what it hands each node. */
function pad(node: YAMLMap | YAMLSeq, padding: string): void {
  const print = node.toString.bind(node);
  node.toString = (context, ...rest) =>
    print(context === undefined ? context : { ...context, flowCollectionPadding: padding }, ...rest);
}

/** Notes what became of something. `offset` is a place inside the text of a scalar. */
export function find(
  file: SourceFile,
  kind: FindingKind,
  at: Node | undefined,
  message: string,
  more: { readonly hint?: string | undefined; readonly offset?: number } = {},
): void {
  const { line, column } = file.text.refAt(placeOf(file, at, more.offset));
  file.findings.push({ kind, file: file.path, line, column, message, ...(more.hint === undefined ? {} : { hint: more.hint }) });
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
