import { isMap, isScalar, Pair, Scalar, YAMLMap, type Node } from 'yaml';
import { convertPayloadText, convertPlainText } from './convert-template.ts';
import { keyNode, keysOf, mapAt, nodeAt, pairAt, removeKey, setKeys, setText, textAt } from '../edit-yaml.ts';
import { dropOtherForm } from '../list-items.ts';
import { newIngestor } from '../names.ts';
import { find, type SourceFile } from '../source-file.ts';
import type { SourceTree } from '../source-tree.ts';

/** Sources whose text comes from a text definition or `content`. */
const templated: ReadonlySet<string> = new Set(['SELF_REFLECTION_PROMPT', 'INTERNAL_DIRECTIVE', 'FIM_INSTRUCTION']);

/** Converts an inbox item of an observer or a loop rule. */
export function convertItem(
  file: SourceFile,
  item: YAMLMap,
  { tree, fallbackSource }: { readonly tree: SourceTree; readonly fallbackSource?: string | undefined },
): void {
  convertSource(file, item);
  convertPayload(file, item, { tree, source: textAt(item, 'source')?.value ?? fallbackSource });
  convertPolicy(file, item);
  convertMetadata(file, item);
  if (convertIngestor(file, item, 'ingestor_id'))
    find(file, 'changed', {
      at: keyNode(item, 'ingestor_id'),
      message: '`ingestor_id` and `ingestor_params` of an item had no effect in CommonGround; in Cadre they do',
    });
}

/** Converts the name of an ingestor; true when the key contains a known one. */
export function convertIngestor(file: SourceFile, map: YAMLMap, key: string): boolean {
  const name = textAt(map, key);
  if (name === undefined) return false;
  const known = newIngestor(name.value);
  if (known === undefined) {
    find(file, 'not_converted', {
      at: name,
      message: `Cadre has no ingestor ${name.value}`,
      hint: 'write it with defineIngestor and restore its name',
    });
    removeKey(map, key);
    return false;
  }
  setText(name, known);
  return true;
}

function convertSource(file: SourceFile, item: YAMLMap): void {
  const source = textAt(item, 'source');
  if (source === undefined || /^[A-Z][A-Z0-9_]{0,99}$/.test(source.value)) return;
  const upper = source.value
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+/g, '')
    .slice(0, 100);
  find(file, 'changed', {
    at: source,
    message: `the source ${source.value} is now ${upper === '' ? 'ITEM' : upper}: sources are in upper case`,
  });
  setText(source, upper === '' ? 'ITEM' : upper);
}

function convertPayload(
  file: SourceFile,
  item: YAMLMap,
  { tree, source }: { readonly tree: SourceTree; readonly source: string | undefined },
): void {
  const payload = nodeAt(item, 'payload');
  const text = textAt(item, 'payload');
  if (text === undefined) return convertTexts(file, payload);
  const isValue = /^\s*\{\{[^{}]*\}\}\s*$/.test(text.value);
  convertPayloadText(file, tree, text);
  if (isValue || source === undefined || !templated.has(source)) return;
  find(file, 'changed', {
    at: text,
    message: `a text as the payload of ${source} gave the model an error message in CommonGround; in Cadre, the model reads the text`,
  });
  const pair = pairAt(item, 'payload');
  if (pair === undefined) return;
  const map = new YAMLMap();
  map.items.push(new Pair(new Scalar('content'), text));
  pair.value = map;
}

/** Converts texts inside a payload, in which CommonGround filled in nothing. */
function convertTexts(file: SourceFile, node: Node | undefined): void {
  if (isScalar(node)) {
    if (typeof node.value === 'string') convertPlainText(file, node as Scalar<string>);
  } else if (isMap(node)) {
    for (const pair of node.items)
      if (!isScalar(pair.key) || pair.key.value !== 'content_key') convertTexts(file, pair.value as Node);
  } else if (node !== undefined && 'items' in node) {
    for (const each of node.items as readonly Node[]) convertTexts(file, each);
  }
}

const policies: ReadonlySet<string> = new Set(['consume_on_read', 'persistent_until_consumed']);

function convertPolicy(file: SourceFile, item: YAMLMap): void {
  const policy = textAt(item, 'consumption_policy');
  if (policy === undefined || policies.has(policy.value)) return;
  find(file, 'changed', {
    at: policy,
    message: `the consumption policy ${policy.value} kept the item for every turn, which is now persistent_until_consumed`,
  });
  setText(policy, 'persistent_until_consumed');
}

function convertMetadata(file: SourceFile, item: YAMLMap): void {
  const metadata = mapAt(item, 'metadata');
  if (!keysOf(item).includes('metadata')) return;
  const turns = metadata === undefined ? undefined : nodeAt(metadata, 'max_turns_in_inbox');
  if (isScalar(turns) && Number.isInteger(turns.value)) setKeys(file.document, item, { max_turns: turns.value });
  else if (turns !== undefined)
    find(file, 'not_converted', {
      at: turns,
      message: 'max_turns_in_inbox is not a whole number',
      hint: 'write max_turns: 3 in the item',
    });
  if (metadata === undefined) return dropOtherForm(file, item, { key: 'metadata', form: 'a map' });
  const others = keysOf(metadata).filter((key) => key !== 'max_turns_in_inbox');
  if (others.length > 0)
    find(file, 'left_out', {
      at: keyNode(item, 'metadata'),
      message: `items have no metadata in Cadre: ${others.join(', ')}`,
      hint: 'put a mark into the payload instead',
    });
  removeKey(item, 'metadata');
}
