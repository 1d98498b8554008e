import { isScalar, type Scalar, type YAMLMap } from 'yaml';
import { agentRoots } from '../../../core/expression/agent-roots.ts';
import { mapPath } from '../../python/map-path.ts';
import { convertConditionKey } from './convert-condition-key.ts';
import { keyNode, keysOf, listAt, mapAt, mapsAt, nodeAt, removeKey, renameKey, setKeys, setText, textAt } from '../edit-yaml.ts';
import { dropOtherForm, dropOthers, keepKeys } from '../list-items.ts';
import { find, type SourceFile } from '../source-file.ts';
import type { SourceTree } from '../source-tree.ts';

const roots = { ...agentRoots, params: { kind: 'open' } } as const;

/** Parameters whose names differ in Cadre's tools. */
const parameters: Readonly<Record<string, string>> = { confirmed_associate_profiles_details_list: 'confirmed_associate_profiles' };

/** Converts one handover protocol in place. */
export function convertProtocol(file: SourceFile, tree: SourceTree): void {
  const { root } = file;
  const version = nodeAt(root, 'version');
  if (isScalar(version) && typeof version.value !== 'string')
    setKeys(file.document, root, { version: version.source ?? String(version.value) });
  if (keysOf(root).includes('context_inheritance')) joinInheritance(file);
  keepKeys(file, root, {
    known: ['protocol_name', 'version', 'description', 'context_parameters', 'inheritance', 'target_inbox_item'],
    what: 'a handover protocol',
  });
  for (const key of keysOf(root)) if (nodeAt(root, key) === undefined) removeKey(root, key);
  convertParameters(file);
  const target = mapAt(root, 'target_inbox_item');
  if (target !== undefined) keepKeys(file, target, { known: ['source'], what: 'target_inbox_item' });
  else dropOtherForm(file, root, { key: 'target_inbox_item', form: 'a map with a source' });
  const rules = listAt(root, 'inheritance');
  if (rules === undefined) dropOtherForm(file, root, { key: 'inheritance', form: 'a list of rules' });
  else dropOthers(file, rules, 'inheritance');
  for (const rule of mapsAt(root, 'inheritance')) convertRule(file, tree, rule);
}

/** Merges `context_inheritance` into `inheritance`: CommonGround ignored it, so nothing was inherited. */
function joinInheritance(file: SourceFile): void {
  const { root } = file;
  find(file, 'changed', {
    at: keyNode(root, 'context_inheritance'),
    message: 'CommonGround ignored `context_inheritance`, so nothing was inherited; Cadre applies it',
  });
  const own = listAt(root, 'inheritance');
  const other = listAt(root, 'context_inheritance');
  if (own === undefined) {
    dropOtherForm(file, root, { key: 'inheritance', form: 'a list of rules' });
    return renameKey(root, 'context_inheritance', 'inheritance');
  }
  if (other === undefined) return dropOtherForm(file, root, { key: 'context_inheritance', form: 'a list of rules' });
  own.items.push(...other.items);
  removeKey(root, 'context_inheritance');
}

function convertParameters(file: SourceFile): void {
  const schema = mapAt(file.root, 'context_parameters');
  const properties = schema === undefined ? undefined : mapAt(schema, 'properties');
  if (schema === undefined || properties === undefined) return;
  for (const [from, to] of Object.entries(parameters)) {
    if (!keysOf(properties).includes(from)) continue;
    find(file, 'changed', { at: keyNode(properties, from), message: `the parameter ${from} is now ${to}` });
    renameKey(properties, from, to);
    for (const item of listAt(schema, 'required')?.items ?? []) if (isScalar(item) && item.value === from) item.value = to;
  }
}

function convertRule(file: SourceFile, tree: SourceTree, rule: YAMLMap): void {
  keepKeys(file, rule, {
    known: ['from_source', 'as_payload_key', 'x-handover-title', 'schema', 'condition'],
    what: 'a rule of inheritance',
  });
  convertConditionKey(file, rule, { tree, phase: 'after_reply', roots, overrides: false });
  const source = mapAt(rule, 'from_source');
  if (source === undefined) return dropOtherForm(file, rule, { key: 'from_source', form: 'a map with a path' });
  keepKeys(file, source, { known: ['path', 'replace', 'path_to_iterate', 'iterate_on'], what: 'from_source' });
  const paths = [
    textAt(source, 'path'),
    textAt(source, 'path_to_iterate'),
    ...valuesOf(source, 'replace'),
    ...valuesOf(source, 'iterate_on'),
  ];
  for (const path of paths) if (path !== undefined) convertPath(file, tree, path);
  if (nodeAt(source, 'replace') === undefined && nodeAt(source, 'path') !== undefined)
    find(file, 'changed', {
      at: keyNode(source, 'path'),
      message: 'CommonGround ignored a path without `replace`; Cadre reads it',
    });
}

function valuesOf(map: YAMLMap, key: string): readonly Scalar<string>[] {
  const values = mapAt(map, key)?.items.map(({ value }) => value) ?? [];
  return values.filter((value): value is Scalar<string> => isScalar(value) && typeof value.value === 'string');
}

/** Converts a path, in which `{{ variables }}` represent keys. */
function convertPath(file: SourceFile, tree: SourceTree, path: Scalar<string>): void {
  const variables: string[] = [];
  const plain = path.value.replaceAll(/\{\{\s*([\w.-]+)\s*\}\}/g, (whole) => `VARIABLE_${variables.push(whole) - 1}_`);
  const mapped = mapPath(plain, tree.ownState);
  const text =
    'problem' in mapped ? '' : mapped.text.replaceAll(/VARIABLE_(\d+)_/g, (_, at: string) => variables[Number(at)] ?? '');
  if ('problem' in mapped || /\[(?!-?\d+\])/.test(text)) {
    const { problem, hint } =
      'problem' in mapped ? mapped : { problem: 'this is not a plain path in Cadre', hint: 'write a path like team.work_modules' };
    find(file, 'not_converted', { at: path, message: `${path.value}: ${problem}`, hint });
    return setText(path, 'state.values.not_converted');
  }
  if (mapped.note !== undefined) find(file, 'changed', { at: path, message: `${path.value}: ${mapped.note}` });
  if (text !== path.value) setText(path, text);
}
