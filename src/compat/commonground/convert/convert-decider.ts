import type { YAMLMap } from 'yaml';
import { agentRoots } from '../../../core/expression/agent-roots.ts';
import { literalText } from '../../python/piece.ts';
import { convertConditionKey } from './convert-condition-key.ts';
import { convertItem } from './convert-item.ts';
import { convertPlainText } from './convert-template.ts';
import { keyNode, listAt, mapAt, mapsAt, nodeAt, setKeys, textAt } from '../edit-yaml.ts';
import { dropOtherForm, giveIds, keepKeys } from '../list-items.ts';
import { find, type SourceFile } from '../source-file.ts';
import type { SourceTree } from '../source-tree.ts';

/** Id of the rule for another turn when no other rule matches, which CommonGround applied implicitly. */
export const catchAllId = 'no_rule_matched';

/** Converts the rules of the flow decider. `inherited` contains the ids of the bases' rules. */
export function convertDecider(file: SourceFile, tree: SourceTree, inherited: ReadonlySet<string>): void {
  const list = listAt(file.root, 'flow_decider');
  if (list === undefined) return dropOtherForm(file, file.root, { key: 'flow_decider', form: 'a list of rules' });
  giveIds(file, list, 'rule');
  for (const rule of mapsAt(file.root, 'flow_decider')) {
    keepKeys(file, rule, { known: ['id', 'remove', 'condition', 'action', 'description'], what: 'a rule' });
    const overrides = inherited.has(textAt(rule, 'id')?.value ?? '');
    if (!convertAction(file, rule, { tree, overrides })) continue;
    if (nodeAt(rule, 'condition') === undefined && !overrides) {
      find(file, 'changed', {
        at: rule,
        message:
          'a rule without a condition never matched in CommonGround; in Cadre it would always match, so its condition is now false',
      });
      setKeys(file.document, rule, { condition: false });
    } else {
      convertConditionKey(file, rule, { tree, phase: 'after_reply', roots: agentRoots, overrides });
    }
  }
}

/** Converts the action; returns false when that fails, after disabling the rule. */
function convertAction(
  file: SourceFile,
  rule: YAMLMap,
  { tree, overrides }: { readonly tree: SourceTree; readonly overrides: boolean },
): boolean {
  const action = mapAt(rule, 'action');
  const type = action === undefined ? undefined : textAt(action, 'type');
  if (action === undefined && overrides) return true;
  switch (type?.value) {
    case 'continue_with_tool':
    case 'await_user_input':
      if (action !== undefined) keepKeys(file, action, { known: ['type'], what: `the action ${type.value}`, idle: actionKeys });
      return true;
    case 'end_agent_turn':
      if (action !== undefined) convertEnding(file, action);
      return true;
    case 'loop_with_inbox_item':
      if (action === undefined) return true;
      keepKeys(file, action, {
        known: ['type', 'payload', 'source', 'consumption_policy', 'ingestor_id', 'ingestor_params'],
        what: 'the action loop_with_inbox_item',
        idle: actionKeys,
      });
      convertItem(file, action, { tree, fallbackSource: 'SELF_REFLECTION_PROMPT' });
      return true;
    default:
      break;
  }
  const name = type?.value ?? 'none';
  find(file, 'not_converted', {
    at: type ?? rule,
    message: `${name} is not an action of the flow decider`,
    hint: 'write an action from docs/profiles.md; the profile does not load until then',
  });
  setKeys(file.document, rule, { condition: `not_converted(${literalText(`the action ${name}`)})` });
  setKeys(file.document, rule, {
    action: {
      type: 'end_agent_turn',
      outcome: 'error',
      error_message: `The action ${name} was not converted.`,
    },
  });
  return false;
}

/** Keys of actions, which each action ignored when they belonged to another. */
const actionKeys = ['outcome', 'error_message', 'payload', 'source', 'inbox_item', 'target_agent_id', 'updates', 'content_key'];

function convertEnding(file: SourceFile, action: YAMLMap): void {
  keepKeys(file, action, { known: ['type', 'outcome', 'error_message'], what: 'the action end_agent_turn', idle: actionKeys });
  const message = textAt(action, 'error_message');
  if (message !== undefined) convertPlainText(file, message);
  if (nodeAt(action, 'outcome') === undefined) {
    // In CommonGround, a missing outcome meant an error; in Cadre, the key is required.
    setKeys(file.document, action, { outcome: 'error' });
    find(file, 'changed', {
      at: action,
      message: 'an end without an outcome was an error in CommonGround; the outcome is now written',
    });
  }
  if (textAt(action, 'outcome')?.value !== 'success') return;
  // In Cadre, a success with an explicit output may be empty; without one, an empty reply is an error.
  setKeys(file.document, action, { output: '{{ state.last_reply }}' });
  find(file, 'changed', {
    at: keyNode(action, 'outcome') ?? action,
    message: 'a reply without text was a success in CommonGround; `output` keeps it one',
    hint: 'remove `output` to make a reply without text or calls an error',
  });
}

/** Adds a rule for another turn when no other rule matches. */
export function addCatchAll(file: SourceFile): void {
  const rule = { id: catchAllId, description: 'No rule matched: another turn.', action: { type: 'retry_turn' } };
  const list = listAt(file.root, 'flow_decider');
  if (list === undefined) setKeys(file.document, file.root, { flow_decider: [rule] });
  else list.items.push(file.document.createNode(rule));
  find(file, 'changed', {
    at: list,
    message: `when no rule matched, the agent took another turn in CommonGround; the rule ${catchAllId} does this in Cadre`,
  });
}
