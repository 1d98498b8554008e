import { isMap, type YAMLMap, type YAMLSeq } from 'yaml';
import { agentRoots } from '../../../core/expression/agent-roots.ts';
import { mapPath } from '../../python/map-path.ts';
import { convertConditionKey } from './convert-condition-key.ts';
import { convertIngestor } from './convert-item.ts';
import { convertTemplate } from './convert-template.ts';
import { keyNode, keysOf, listAt, mapAt, mapsAt, nodeAt, removeKey, setText, textAt } from '../edit-yaml.ts';
import { dropOtherForm, giveIds, keepKeys } from '../list-items.ts';
import { find, type SourceFile } from '../source-file.ts';
import type { SourceTree } from '../source-tree.ts';

const types: ReadonlySet<string> = new Set(['static_text', 'state_value', 'tool_description', 'tool_contributed_context']);
const ofAll = ['id', 'remove', 'type', 'order', 'condition', 'wrapper_tags', 'description'];
const keys: Readonly<Record<string, readonly string[]>> = {
  static_text: [...ofAll, 'content', 'content_key'],
  state_value: [...ofAll, 'source_state_path', 'ingestor_id', 'ingestor_params'],
  tool_description: ofAll,
  tool_contributed_context: ofAll,
};
const substance = ['content', 'content_key', 'source_state_path'] as const;
const anyKeys = [...new Set(Object.values(keys).flat())];

/** Converts the segments of the system prompt. `inherited` contains the ids of the bases' segments. */
export function convertSegments(file: SourceFile, tree: SourceTree, inherited: ReadonlySet<string>): void {
  const construction = mapAt(file.root, 'system_prompt_construction');
  if (construction === undefined)
    return dropOtherForm(file, file.root, { key: 'system_prompt_construction', form: 'a map with system_prompt_segments' });
  keepKeys(file, construction, {
    known: ['system_prompt_segments'],
    what: 'system_prompt_construction',
    idle: ['default_cli_associate_profile_names'],
  });
  const list = listAt(construction, 'system_prompt_segments');
  if (list === undefined) return dropOtherForm(file, construction, { key: 'system_prompt_segments', form: 'a list of segments' });
  giveIds(file, list, 'segment');
  for (const segment of mapsAt(construction, 'system_prompt_segments'))
    convertSegment(file, segment, { tree, list, overrides: inherited.has(textAt(segment, 'id')?.value ?? '') });
}

function convertSegment(
  file: SourceFile,
  segment: YAMLMap,
  { tree, list, overrides }: { readonly tree: SourceTree; readonly list: YAMLSeq; readonly overrides: boolean },
): void {
  const type = textAt(segment, 'type');
  if (type !== undefined && !types.has(type.value)) {
    const isEmpty = !substance.some((key) => nodeAt(segment, key) !== undefined);
    find(file, isEmpty ? 'left_out' : 'not_converted', {
      at: type,
      message: `${type.value} is not a type of segment in Cadre, and rendered nothing in v1`,
      hint: `the types are ${[...types].join(', ')}`,
    });
    list.items.splice(
      list.items.findIndex((item) => isMap(item) && item === segment),
      1,
    );
    return;
  }
  const allowed = type === undefined ? anyKeys : (keys[type.value] ?? anyKeys);
  keepKeys(file, segment, {
    known: allowed,
    what: `a segment${type === undefined ? '' : ` of type ${type.value}`}`,
    idle: anyKeys,
  });
  const content = textAt(segment, 'content');
  if (content !== undefined) convertTemplate(file, content, { tree });
  // With both keys, CommonGround used content_key.
  if (content !== undefined && nodeAt(segment, 'content_key') !== undefined) {
    find(file, 'left_out', { at: content, message: '`content` was ignored because of `content_key`' });
    removeKey(segment, 'content');
  } else if (content === undefined && nodeAt(segment, 'content') !== undefined) {
    dropOtherForm(file, segment, { key: 'content', form: 'a text' });
  }
  convertIngestor(file, segment, 'ingestor_id');
  convertSourcePath(file, tree, segment);
  if (textAt(segment, 'ingestor_id')?.value === 'available_associates') showAlways(file, segment);
  convertConditionKey(file, segment, { tree, phase: 'before_reply', roots: agentRoots, overrides });
  if (keysOf(segment).includes('wrapper_tags'))
    find(file, 'changed', {
      at: keyNode(segment, 'wrapper_tags'),
      message: 'CommonGround ignored the `wrapper_tags` of a segment; Cadre writes them',
    });
  if (type?.value === 'tool_contributed_context')
    find(file, 'changed', {
      at: type,
      message: 'this segment rendered nothing in CommonGround; in Cadre it contains the context that tools contribute',
    });
}

function convertSourcePath(file: SourceFile, tree: SourceTree, segment: YAMLMap): void {
  const path = textAt(segment, 'source_state_path');
  if (path === undefined) return;
  const mapped = mapPath(path.value, tree.ownState);
  if ('problem' in mapped || /\[meta\./.test(mapped.text)) {
    const { problem, hint } =
      'problem' in mapped
        ? mapped
        : { problem: 'this is not a plain path in Cadre', hint: `write a static_text with {{ ${mapped.text} }}` };
    find(file, 'not_converted', { at: path, message: `source_state_path: ${problem}`, hint });
    // This path has no value, so the segment stays empty until it is rewritten.
    setText(path, 'state.values.not_converted');
    return;
  }
  if (mapped.note !== undefined) find(file, 'changed', { at: path, message: `source_state_path: ${mapped.note}` });
  setText(path, mapped.text);
}

/**
 * Removes a condition on the list of staffable profiles, which CommonGround's server put into state; Cadre's ingestor knows them
 * itself.
 */
function showAlways(file: SourceFile, segment: YAMLMap): void {
  const condition = textAt(segment, 'condition');
  if (condition === undefined || nodeAt(segment, 'source_state_path') === undefined) return;
  const rest = condition.value
    .replaceAll(
      /get_nested_value_from_context\(\s*\w+\s*,\s*(["'])(?:state|team)\.profiles_list_instance_ids\1(?:\s*,\s*\[\])?\s*\)|v\[(["'])(?:state|team)\.profiles_list_instance_ids\2\]/g,
      'L',
    )
    .replaceAll(/\(L or \[\]\)/g, 'L')
    .replaceAll(/\s+/g, '');
  if (!/^(?:L|len\(L\)>0|LandL|Landlen\(L\)>0)$/.test(rest)) return;
  find(file, 'changed', {
    at: condition,
    message: 'Cadre knows the staffable profiles without a list in state: the segment is always shown',
  });
  removeKey(segment, 'condition');
}
