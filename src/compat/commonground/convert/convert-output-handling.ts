import { keyNode, keysOf, mapAt, removeKey, setKeys, textAt } from '../edit-yaml.ts';
import { dropOtherForm, keepKeys } from '../list-items.ts';
import { find, type SourceFile } from '../source-file.ts';
import { chainOf, type SourceTree } from '../source-tree.ts';

const key = 'output_handling_config';

/**
 * Converts the older key for replies without a call: `behavior_parameters_for_default_handler.action_on_no_tool_call`. Only
 * profiles without a flow decider read it.
 */
export function convertOutputHandling(file: SourceFile, tree: SourceTree): void {
  const { root, document } = file;
  if (!keysOf(root).includes(key)) return;
  const config = mapAt(root, key);
  if (config === undefined) return dropOtherForm(file, root, { key, form: 'a map' });
  const chain = chainOf(file, tree.profiles) ?? [file];
  const at = keyNode(root, key);
  const inheriting = [...tree.profiles.values()].filter(
    (other) => other !== file && chainOf(other, tree.profiles)?.includes(file) === true,
  );
  if (inheriting.some(({ data }) => 'flow_decider' in data)) {
    find(file, 'not_converted', {
      at,
      message: `profiles that inherit \`${key}\` have their own flow_decider, which its rules would join`,
      hint: 'write a rule of flow_decider in each of the others',
    });
    return removeKey(root, key);
  }
  if (chain.some(({ data }) => 'flow_decider' in data)) {
    find(file, 'left_out', { at, message: `\`${key}\` was ignored because of flow_decider` });
    return removeKey(root, key);
  }
  keepKeys(file, config, { known: ['handler_id', 'behavior_parameters_for_default_handler'], what: key });
  const parameters = mapAt(config, 'behavior_parameters_for_default_handler');
  if (parameters !== undefined)
    keepKeys(file, parameters, { known: ['action_on_no_tool_call'], what: 'behavior_parameters_for_default_handler' });
  else dropOtherForm(file, config, { key: 'behavior_parameters_for_default_handler', form: 'a map' });
  if (textAt(config, 'handler_id') !== undefined)
    find(file, 'left_out', { at: keyNode(config, 'handler_id'), message: 'CommonGround ignored `handler_id`' });
  const action = parameters === undefined ? undefined : textAt(parameters, 'action_on_no_tool_call');
  if (action?.value === 'await_user_input' || action === undefined || action.value === 'default') {
    const type = action?.value === 'await_user_input' ? 'await_user_input' : 'retry_turn';
    find(file, 'changed', {
      at,
      message: `\`${key}\` is now a rule of flow_decider: a reply without a call is followed by ${type}`,
    });
    setKeys(document, root, {
      flow_decider: [
        { id: 'tool_call', condition: 'state.current_action', action: { type: 'continue_with_tool' } },
        { id: 'no_tool_call', action: { type } },
      ],
    });
  } else {
    find(file, 'not_converted', {
      at: action,
      message: `the action ${action.value} is a node of CommonGround's flow`,
      hint: 'write a rule of flow_decider for replies without a call',
    });
  }
  removeKey(root, key);
}
