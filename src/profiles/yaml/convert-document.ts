import type { ParsedNode, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import type { DiagnosticCode } from '../diagnostic-code.ts';
import type { Report } from '../report.ts';
import { quote } from '../wording.ts';
import type { MapEntry, Place, ScalarNode, ScalarStyle, SourceNode } from './source-node.ts';
import type { SourceText } from './source-text.ts';
import { yamlLibrary } from './yaml-library.ts';

/** Maximum number of alias uses in one file, and of values they expand to together. */
const maxAliases = 50;
const maxAliasedValues = 2_000;

const plainTags = new Set(['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`));
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Converts a parsed document to nodes with places. Reports valid YAML that profiles do not allow: tags, keys that are not texts,
 * duplicate and dangerous keys, aliases that multiply, numbers that lose digits.
 */
export function convertDocument(root: ParsedNode, file: SourceText, report: Report): SourceNode | undefined {
  const converter: Converter = { file, report, anchors: new Map(), open: new Set(), aliases: 0, aliased: 0, failed: false };
  const node = convert(converter, root);
  return converter.failed ? undefined : node;
}

interface Converter {
  readonly file: SourceText;
  readonly report: Report;
  readonly anchors: Map<string, { readonly node: SourceNode; readonly size: number }>;
  /** Anchors whose value is being converted; an alias to one of them would recurse forever. */
  readonly open: Set<string>;
  aliases: number;
  aliased: number;
  failed: boolean;
}

function convert(converter: Converter, node: ParsedNode): SourceNode {
  const at = placeOf(converter, node);
  const { isAlias, isMap, isSeq } = yamlLibrary();
  if (isAlias(node)) return convertAlias(converter, node.source, at);
  checkTag(converter, node, at);
  const { anchor } = node;
  if (anchor !== undefined) converter.open.add(anchor);
  const converted = isMap(node)
    ? convertMap(converter, node, at)
    : isSeq(node)
      ? convertList(converter, node, at)
      : convertScalar(converter, node, at);
  if (anchor !== undefined) {
    converter.open.delete(anchor);
    converter.anchors.set(anchor, { node: converted, size: sizeOf(converted, maxAliasedValues) });
  }
  return converted;
}

function placeOf(converter: Converter, node: ParsedNode): Place {
  return { file: converter.file, start: node.range[0], end: node.range[1] };
}

function fail(
  converter: Converter,
  code: DiagnosticCode,
  { at, message, hint }: { readonly at: Place; readonly message: string; readonly hint?: string | undefined },
): void {
  converter.failed = true;
  converter.report.error(code, { at, message, hint });
}

function convertAlias(converter: Converter, name: string, at: Place): SourceNode {
  const nothing: ScalarNode = { kind: 'scalar', at, value: null, style: 'plain', written: '' };
  converter.aliases += 1;
  if (converter.open.has(name)) {
    fail(converter, 'YAML_ALIAS', { at, message: `the alias *${name} is inside its own anchor` });
    return nothing;
  }
  const target = converter.anchors.get(name);
  if (target === undefined) {
    const hint = 'a text that starts with * must be quoted; an anchor must come before its aliases';
    fail(converter, 'YAML_ALIAS', { at, message: `no anchor &${name} comes before the alias *${name}`, hint });
    return nothing;
  }
  converter.aliased += target.size;
  if (converter.aliases > maxAliases || converter.aliased > maxAliasedValues) {
    if (!converter.failed) {
      const limit = `${maxAliases} aliases, expanding to ${maxAliasedValues} values together, are allowed`;
      fail(converter, 'YAML_ALIAS', { at, message: `too many aliases: ${limit}`, hint: 'share parts with base_profile' });
    }
    return nothing;
  }
  return target.node;
}

function sizeOf(node: SourceNode, cap: number): number {
  let size = 1;
  const children =
    node.kind === 'list' ? node.items : node.kind === 'map' ? [...node.entries.values()].map((entry) => entry.value) : [];
  for (const child of children) {
    if (size > cap) break;
    size += sizeOf(child, cap - size);
  }
  return size;
}

function checkTag(converter: Converter, node: ParsedNode, at: Place): void {
  const { tag } = node;
  // Maps and lists always have their default tag; a tag on a scalar was written.
  if (tag === undefined || plainTags.has(tag)) return;
  const short = tag.replace('tag:yaml.org,2002:', '!!');
  fail(converter, 'YAML_TAG', {
    at,
    message: `the tag ${short} is not supported`,
    hint: "a text that starts with ! must be quoted: '!…'",
  });
}

function convertList(converter: Converter, node: YAMLSeq.Parsed, at: Place): SourceNode {
  const items: SourceNode[] = [];
  for (const item of node.items) {
    // Inside `[ … ]`, a single pair `a: b` is a map.
    items.push('range' in item ? convert(converter, item) : convertScalar(converter, undefined, at));
  }
  return { kind: 'list', at, items };
}

function convertMap(converter: Converter, node: YAMLMap.Parsed, at: Place): SourceNode {
  const entries = new Map<string, MapEntry>();
  for (const pair of node.items) {
    const keyAt = placeOf(converter, pair.key);
    const key = keyText(converter, pair.key, keyAt);
    if (key === undefined) continue;
    const first = entries.get(key);
    if (first !== undefined) {
      const { line } = converter.file.refAt(first.keyAt.start);
      fail(converter, 'YAML_DUPLICATE_KEY', {
        at: keyAt,
        message: `the key ${quote(key)} appears twice here; it is already on line ${line}`,
        hint: 'keep one of them',
      });
      continue;
    }
    const value = pair.value === null ? emptyAfter(keyAt) : convert(converter, pair.value);
    entries.set(key, { keyAt, value });
  }
  return { kind: 'map', at, entries };
}

function emptyAfter(keyAt: Place): ScalarNode {
  return { kind: 'scalar', at: { ...keyAt, start: keyAt.end }, value: null, style: 'plain', written: '' };
}

function keyText(converter: Converter, key: ParsedNode, at: Place): string | undefined {
  if (!yamlLibrary().isScalar(key)) {
    const braces = converter.file.text.startsWith('{{', at.start - 1);
    const message = braces ? 'an unquoted `{{ … }}` is a YAML map' : 'a key must be a text, not a list, map or alias';
    const place = braces ? { ...at, start: at.start - 1 } : at;
    fail(converter, braces ? 'YAML_SYNTAX' : 'YAML_KEY', {
      at: place,
      message,
      hint: braces ? "quote the whole text: '{{ … }}'" : undefined,
    });
    return undefined;
  }
  checkTag(converter, key, at);
  const text = typeof key.value === 'string' ? key.value : (key.source ?? '');
  if (forbiddenKeys.has(text)) {
    fail(converter, 'FORBIDDEN_KEY', {
      at,
      message: `the key ${quote(text)} is not allowed anywhere`,
      hint: 'choose another name',
    });
    return undefined;
  }
  if (text === '<<') {
    fail(converter, 'YAML_KEY', { at, message: 'merge keys (`<<`) are not supported', hint: 'share parts with base_profile' });
    return undefined;
  }
  return text;
}

function convertScalar(converter: Converter, node: ParsedNode | undefined, at: Place): ScalarNode {
  if (node === undefined || !yamlLibrary().isScalar(node)) return { kind: 'scalar', at, value: null, style: 'plain', written: '' };
  const { value } = node;
  const written = node.source ?? '';
  const style = styleOf(node);
  if (typeof value === 'string') {
    if (!value.isWellFormed())
      fail(converter, 'FILE_NOT_UTF8', {
        at,
        message: 'the text has half of a character (a lone surrogate)',
        hint: 'write the character itself',
      });
    return { kind: 'scalar', at, value, style, written };
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value))
      fail(converter, 'NUMBER_INEXACT', {
        at,
        message: `${written} is not a number a profile can contain`,
        hint: 'quote it when it is a text',
      });
    else if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      fail(converter, 'NUMBER_INEXACT', {
        at,
        message: `the number ${quote(written)} loses digits`,
        hint: `quote it: '${written.slice(0, 60)}'`,
      });
    }
    return { kind: 'scalar', at, value, style, written };
  }
  return { kind: 'scalar', at, value: typeof value === 'boolean' ? value : null, style, written };
}

function styleOf(node: Scalar): ScalarStyle {
  switch (node.type ?? 'PLAIN') {
    case 'QUOTE_SINGLE':
      return 'single';
    case 'QUOTE_DOUBLE':
      return 'double';
    case 'BLOCK_LITERAL':
      return 'literal';
    case 'BLOCK_FOLDED':
      return 'folded';
    case 'PLAIN':
      return 'plain';
  }
}
