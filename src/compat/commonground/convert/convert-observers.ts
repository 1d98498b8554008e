import { isScalar, type Scalar, type YAMLMap } from 'yaml';
import { agentRoots } from '../../../core/expression/agent-roots.ts';
import { convertConditionKey } from './convert-condition-key.ts';
import { convertItem } from './convert-item.ts';
import { convertPlainText } from './convert-template.ts';
import { keysOf, listAt, mapAt, mapsAt, nodeAt, setKeys, setText, textAt } from '../edit-yaml.ts';
import { dropOtherForm, dropOthers, giveIds, keepKeys } from '../list-items.ts';
import { find, type SourceFile } from '../source-file.ts';
import type { SourceTree } from '../source-tree.ts';

/** Flow decider actions that were listed among observers, where they had no effect. */
const deciderActions: ReadonlySet<string> = new Set([
  'end_agent_turn',
  'continue_with_tool',
  'loop_with_inbox_item',
  'await_user_input',
]);

/** Converts the observers of one phase. `inherited` contains the ids of the bases' observers. */
export function convertObservers(
  file: SourceFile,
  tree: SourceTree,
  { key, inherited }: { readonly key: 'pre_turn_observers' | 'post_turn_observers'; readonly inherited: ReadonlySet<string> },
): void {
  const list = listAt(file.root, key);
  if (list === undefined) return dropOtherForm(file, file.root, { key, form: 'a list of observers' });
  giveIds(file, list, key);
  const phase = key === 'pre_turn_observers' ? 'before_reply' : 'after_reply';
  for (const observer of mapsAt(file.root, key)) {
    const overrides = inherited.has(textAt(observer, 'id')?.value ?? '');
    if (!convertAction(file, observer, { tree, overrides })) {
      list.items.splice(list.items.indexOf(observer), 1);
      continue;
    }
    keepKeys(file, observer, { known: ['id', 'remove', 'type', 'condition', 'action', 'description'], what: 'an observer' });
    const type = textAt(observer, 'type');
    if (type !== undefined && type.value !== 'declarative') {
      find(file, 'changed', {
        at: type,
        message: `observers of type ${type.value} were ignored in CommonGround; this one is now declarative`,
      });
      setText(type, 'declarative');
    }
    convertConditionKey(file, observer, { tree, phase, roots: agentRoots, overrides });
  }
}

/** Converts the action; false when the observer had no effect and must be removed. */
function convertAction(
  file: SourceFile,
  observer: YAMLMap,
  { tree, overrides }: { readonly tree: SourceTree; readonly overrides: boolean },
): boolean {
  const action = mapAt(observer, 'action');
  const type = action === undefined ? undefined : textAt(action, 'type');
  switch (type?.value) {
    case 'add_to_inbox': {
      const item = action === undefined ? undefined : mapAt(action, 'inbox_item');
      if (action !== undefined) convertTarget(file, action);
      if (action !== undefined)
        keepKeys(file, action, { known: ['type', 'target_agent_id', 'inbox_item'], what: 'the action add_to_inbox' });
      if (item === undefined) break;
      keepKeys(file, item, { known: itemKeys, what: 'an inbox item' });
      convertItem(file, item, { tree });
      return true;
    }
    case 'update_state':
      if (action === undefined || nodeAt(action, 'updates') === undefined) break;
      keepKeys(file, action, { known: ['type', 'updates'], what: 'the action update_state' });
      convertUpdates(file, action);
      return true;
    default:
      break;
  }
  const id = textAt(observer, 'id')?.value ?? '';
  // Without its own action, it changes the inherited one.
  if (action === undefined && overrides) return true;
  if (action === undefined && nodeAt(observer, 'action') !== undefined) {
    dropOtherForm(file, observer, { key: 'action', form: 'a map with a type' });
    return false;
  }
  const name = type?.value ?? 'none';
  if (action !== undefined && !deciderActions.has(name)) {
    const rest = keysOf(action).length > (type === undefined ? 0 : 1);
    const what =
      type?.value === 'add_to_inbox' || type?.value === 'update_state'
        ? 'has nothing to do'
        : 'is not an action of observers in Cadre';
    find(file, rest ? 'not_converted' : 'left_out', {
      at: type ?? action,
      message: `the observer ${id}: ${name} ${what}`,
      hint: 'observers post items (add_to_inbox with an inbox_item) and change state (update_state with updates)',
    });
    return false;
  }
  const hint = deciderActions.has(name)
    ? `write a rule of flow_decider with the condition of ${id}, if that was intended`
    : undefined;
  find(file, 'left_out', {
    at: type ?? observer,
    message: `the observer ${id}: ${name} is not an action of observers and had no effect`,
    hint,
  });
  return false;
}

const itemKeys = ['source', 'payload', 'consumption_policy', 'ingestor_id', 'ingestor_params', 'metadata', 'priority'];

function convertTarget(file: SourceFile, action: YAMLMap): void {
  const target = textAt(action, 'target_agent_id');
  if (target === undefined || target.value === 'self') return;
  const known = /^(?:partner|principal|parent)$/i.test(target.value);
  find(file, 'changed', {
    at: target,
    message: `CommonGround ignored \`target_agent_id\` and sent items to the agent itself; in Cadre, this one goes to ${target.value}`,
  });
  if (known) setText(target, target.value.toLowerCase());
}

/** Converts update paths, which were relative to `state`; in Cadre, each part of the state has its own root. */
function convertUpdates(file: SourceFile, action: YAMLMap): void {
  const list = listAt(action, 'updates');
  if (list === undefined) {
    dropOtherForm(file, action, { key: 'updates', form: 'a list of changes' });
    return setKeys(file.document, action, { updates: [] });
  }
  dropOthers(file, list, 'updates');
  list.items = mapsAt(action, 'updates').filter((update) => {
    const path = textAt(update, 'path');
    const operation = textAt(update, 'operation')?.value;
    if (path === undefined || (operation !== 'set' && operation !== 'increment')) {
      const isEmpty = nodeAt(update, 'value') === undefined && path === undefined;
      find(file, isEmpty ? 'left_out' : 'not_converted', {
        at: nodeAt(update, 'operation') ?? update,
        message: 'in CommonGround v1, only set and increment of a path changed state',
        hint: 'docs/profiles.md describes set, increment, append and remove',
      });
      return false;
    }
    keepKeys(file, update, { known: ['operation', 'path', 'value'], what: 'an update' });
    const value = nodeAt(update, 'value');
    if (isScalar(value) && typeof value.value === 'string') convertPlainText(file, value as Scalar<string>);
    convertUpdatePath(file, path);
    return true;
  });
}

function convertUpdatePath(file: SourceFile, path: Scalar<string>): void {
  const below = path.value.replace(/^state\./, '');
  const [first = ''] = below.split(/[.[]/);
  if (first === 'flags' || first === 'deliverables') {
    if (below !== path.value) setText(path, below);
    return;
  }
  if (/^(?:messages|inbox|current_action|initial_parameters|last_turn_id|current_turn_id)$/.test(first)) {
    find(file, 'not_converted', {
      at: path,
      message: `state.${first} belongs to the engine in Cadre; observers change flags, values, deliverables and team.shared`,
      hint: 'write and read flags.x or values.x',
    });
  } else {
    find(file, 'changed', { at: path, message: `state.${below} is now values.${below}` });
  }
  setText(path, `values.${below}`);
}
