import { isScalar, type Scalar } from 'yaml';
import { delegationOf, tagsOf } from '../delegation.ts';
import { keyNode, keysOf, listAt, mapAt, nodeAt, removeKey, setKeys } from '../edit-yaml.ts';
import { dropOtherForm, keepKeys } from '../list-items.ts';
import { callingTools, newSecondTool } from '../second-names.ts';
import { find, type SourceFile } from '../source-file.ts';
import type { SourceTree } from '../source-tree.ts';

const finish = 'finish_flow';

/** Converts the tools an agent may call, the profiles it may delegate to, and the tool it must end with. */
export function convertSecondTools(file: SourceFile, tree: SourceTree): void {
  const { root } = file;
  const tools = [...toolsOf(file, tree, 'allowed_tools'), ...toolsOf(file, tree, 'allowed_internal_tools')];
  const mustFinish = endsWithResult(file);
  if (mustFinish && !tools.includes(finish)) {
    tools.push(finish);
    find(file, 'changed', { at: keyNode(root, 'name'), message: `the agent must end with a result, so it may now call ${finish}` });
  }
  const { callable } = delegationOf(file, tree);
  const callers = tools.filter((name) => callingTools.has(name));
  if (callers.length > 0 && callable.length === 0)
    find(file, 'changed', {
      at: keyNode(root, 'name'),
      message: `${callers.join(', ')} is left out: the profile may delegate to no other, so every call was refused`,
    });
  const kept = [...new Set(callable.length > 0 ? tools : tools.filter((name) => !callingTools.has(name)))];
  convertPolicy(file, tree, callers.length > 0);
  if (kept.length > 0) addTools(file, kept);
  addRules(file, mustFinish);
}

function addTools(file: SourceFile, tools: readonly string[]): void {
  const { root, document } = file;
  const policy = mapAt(root, 'tool_access_policy');
  if (policy === undefined) return setKeys(document, root, { tool_access_policy: { allowed_individual_tools: tools } });
  const list = listAt(policy, 'allowed_individual_tools');
  if (list === undefined) return setKeys(document, policy, { allowed_individual_tools: tools });
  for (const tool of tools)
    if (!list.items.some((item) => isScalar(item) && item.value === tool)) list.items.push(document.createNode(tool));
}

function toolsOf(file: SourceFile, tree: SourceTree, key: 'allowed_tools' | 'allowed_internal_tools'): readonly string[] {
  const list = listAt(file.root, key);
  if (list === undefined) {
    dropOtherForm(file, file.root, { key, form: 'a list of names' });
    return [];
  }
  const tools = list.items.flatMap((item) => {
    const name = isScalar(item) && typeof item.value === 'string' ? item.value.trim() : undefined;
    if (name === '') return [];
    const server = name === undefined ? undefined : [...tree.servers].find((each) => name.startsWith(`${each}_`));
    if (name !== undefined && server !== undefined) return [name];
    const found = name === undefined ? undefined : newSecondTool(name);
    const at = item as Scalar;
    if (name === undefined || found === undefined) {
      find(file, 'not_converted', {
        at,
        message: `Cadre has no tool ${name ?? 'of this kind'}; the profile is converted without it`,
        hint: 'write it as a custom tool, or allow a built-in one that does the same: docs/tools.md',
      });
      return [];
    }
    if (found.name !== name || found.note !== undefined)
      find(file, 'changed', {
        at,
        message: `the tool ${name} is now ${found.name}${found.note === undefined ? '' : `: ${found.note}`}`,
      });
    return [found.name];
  });
  if (list.items.length === 0) find(file, 'left_out', { at: keyNode(file.root, key), message: `\`${key}\` is empty: no tools` });
  removeKey(file.root, key);
  return tools;
}

/** True when the agent may only end by calling submit_result; notes other ending tools, which Cadre does not support. */
function endsWithResult(file: SourceFile): boolean {
  const { root } = file;
  const written = nodeAt(root, 'must_end_with');
  const list = listAt(root, 'must_end_with')?.items ?? (isScalar(written) ? [written] : []);
  if (written !== undefined && !isScalar(written) && listAt(root, 'must_end_with') === undefined)
    dropOtherForm(file, root, { key: 'must_end_with', form: 'a list of tools' });
  const names = list.flatMap((item) => (isScalar(item) && item.value !== null && item.value !== '' ? [item] : []));
  const others = names.filter(({ value }) => value !== 'submit_result');
  for (const other of others)
    find(file, 'not_converted', {
      at: other,
      message: `the agent had to end with a call of ${String(other.value)}`,
      hint: 'write a rule of flow_decider that ends it after that call: end_agent_turn',
    });
  const ends = names.length > others.length;
  const old = nodeAt(root, 'require_submit_result');
  const required = isScalar(old) && old.value === true;
  if (old !== undefined && !(isScalar(old) && typeof old.value === 'boolean'))
    dropOtherForm(file, root, { key: 'require_submit_result', form: 'true or false' });
  for (const key of ['must_end_with', 'require_submit_result']) {
    if (!keysOf(root).includes(key)) continue;
    const says = ends || required ? 'changed' : 'left_out';
    const message =
      ends || required ? `\`${key}\` is now a rule of flow_decider that requests ${finish}` : `\`${key}\` requests nothing`;
    if (others.length === 0 || key !== 'must_end_with' || ends) find(file, says, { at: keyNode(root, key), message });
    removeKey(root, key);
  }
  return ends || (written === undefined && required);
}

function convertPolicy(file: SourceFile, tree: SourceTree, isCalling: boolean): void {
  const { root } = file;
  if (!keysOf(root).includes('delegation_policy')) return;
  const policy = mapAt(root, 'delegation_policy');
  if (policy === undefined) return dropOtherForm(file, root, { key: 'delegation_policy', form: 'a map' });
  const { callable, missing } = delegationOf(file, tree);
  keepKeys(file, policy, { known: ['target_tags', 'target_profiles'], what: 'delegation_policy' });
  const profiles = nodeAt(policy, 'target_profiles');
  const isNull = profiles === undefined || (isScalar(profiles) && profiles.value === null);
  if (!isNull && listAt(policy, 'target_profiles') === undefined)
    dropOtherForm(file, policy, { key: 'target_profiles', form: 'a list of names' });
  const tags = nodeAt(policy, 'target_tags');
  if (tags !== undefined && !isScalar(tags) && listAt(policy, 'target_tags') === undefined)
    dropOtherForm(file, policy, { key: 'target_tags', form: 'a list of tags' });
  for (const name of missing)
    find(file, 'not_converted', {
      at: keyNode(policy, 'target_profiles'),
      message: `there is no profile ${name} in the tree to delegate to`,
      hint: 'convert it with the others, or write it, and add it to callable_profiles',
    });
  const at = keyNode(root, 'delegation_policy');
  if (callable.length === 0) {
    find(file, 'left_out', { at, message: '`delegation_policy` allows no profile of the tree' });
    return removeKey(root, 'delegation_policy');
  }
  const idle = isCalling ? '' : '; the profile has no tool for delegating';
  find(file, 'changed', {
    at,
    message: `\`delegation_policy\` is now callable_profiles, written out: ${callable.join(', ')}${idle}`,
  });
  setKeys(file.document, root, { callable_profiles: callable });
  removeKey(root, 'delegation_policy');
}

/**
 * Adds rules for what follows a reply: calls run; without calls, an agent is reminded of its result, waits for the user, or ends.
 */
function addRules(file: SourceFile, mustFinish: boolean): void {
  const { root, document } = file;
  if (keysOf(root).includes('flow_decider')) {
    if (mustFinish)
      find(file, 'not_converted', {
        at: keyNode(root, 'flow_decider'),
        message: 'the profile has its own rules, and must end with a result',
        hint: `write a rule that requests ${finish}`,
      });
    return;
  }
  const calls = { id: 'tool_call', condition: 'state.current_action', action: { type: 'continue_with_tool' } };
  const content = `Your work is not handed in yet. When it is done, call ${finish}; if not, go on.`;
  const remind = { id: 'must_end_with', action: { type: 'loop_with_inbox_item', payload: { content } } };
  const wait = { id: 'reply', action: { type: 'await_user_input' } };
  const isPartner = tagsOf(file.data).includes('partner');
  if (mustFinish) setKeys(document, root, { flow_decider: [calls, remind] });
  else if (isPartner) setKeys(document, root, { flow_decider: [calls, wait] });
}
