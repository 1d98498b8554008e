import type { YAMLMap } from 'yaml';
import { convertIngestor } from './convert-item.ts';
import { convertTemplate } from './convert-template.ts';
import { keyNode, listAt, mapAt, mapsAt, nodeAt, setKeys, setText, textAt } from '../edit-yaml.ts';
import { dropOtherForm, dropOthers, keepKeys } from '../list-items.ts';
import { find, type SourceFile } from '../source-file.ts';
import { chainOf, itemsOf, type SourceTree } from '../source-tree.ts';

const key = 'inbox_handling_strategies';

/** Converts inbox strategies; includes those of the bases, since Cadre replaces such lists. */
export function convertStrategies(file: SourceFile, tree: SourceTree): void {
  const list = listAt(file.root, key);
  if (list === undefined) return dropOtherForm(file, file.root, { key, form: 'a list of strategies' });
  const inherited = (chainOf(file, tree.profiles) ?? [])
    .slice(1)
    .toReversed()
    .flatMap((base) => itemsOf(base.data, key));
  if (inherited.length > 0) {
    find(file, 'changed', {
      at: keyNode(file.root, key),
      message: 'CommonGround joined lists with those of the bases; Cadre replaces them, so this list now contains all of them',
    });
    list.items.unshift(...inherited.map((item) => file.document.createNode(item)));
  }
  dropOthers(file, list, key);
  const seen = new Set<string>();
  for (const strategy of mapsAt(file.root, key)) {
    const source = textAt(strategy, 'source')?.value ?? '';
    if (seen.has(source)) {
      find(file, 'left_out', { at: strategy, message: `the first strategy for ${source} applied; this one was never used` });
      list.items.splice(list.items.indexOf(strategy), 1);
      continue;
    }
    seen.add(source);
    convertStrategy(file, tree, strategy);
  }
}

function convertStrategy(file: SourceFile, tree: SourceTree, strategy: YAMLMap): void {
  keepKeys(file, strategy, { known: ['id', 'source', 'ingestor', 'injection_mode', 'params'], what: 'a strategy' });
  convertIngestor(file, strategy, 'ingestor');
  const mode = textAt(strategy, 'injection_mode');
  if (mode !== undefined && mode.value !== 'append_as_new_message' && mode.value !== 'prepend_to_role') {
    find(file, 'changed', { at: mode, message: `${mode.value} is not an injection mode: the text is appended` });
    setText(mode, 'append_as_new_message');
  }
  if (mode?.value === 'prepend_to_role')
    find(file, 'changed', {
      at: mode,
      message: 'the text was put before the first message of the role permanently; in Cadre, before the last one for this turn',
    });
  const params = mapAt(strategy, 'params');
  // CommonGround's default was false; in Cadre, it would come from the global table.
  if (params === undefined) {
    dropOtherForm(file, strategy, { key: 'params', form: 'a map' });
    return setKeys(file.document, strategy, { params: { is_persistent_in_memory: false } });
  }
  if (nodeAt(params, 'is_persistent_in_memory') === undefined) setKeys(file.document, params, { is_persistent_in_memory: false });
  const role = textAt(params, 'role');
  if (role !== undefined && role.value !== 'user' && role.value !== 'tool') {
    find(file, 'changed', { at: role, message: `a history has no messages of the role ${role.value}: the role is now user` });
    setText(role, 'user');
  }
  const template = textAt(params, 'content_template');
  if (template !== undefined) convertTemplate(file, template, { tree, own: ['payload'] });
}
