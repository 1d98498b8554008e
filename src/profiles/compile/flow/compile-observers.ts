import { closestName } from '../../../core/expression/closest-name.ts';
import type { CompiledObserver, ObserverAction, StateUpdate } from '../../../core/profile/profile.ts';
import { quote } from '../../wording.ts';
import { childOf, type MapNode } from '../../yaml/source-node.ts';
import { checkName, refOf, type CompileContext, checkMeantTool, checkToolset, isKind } from '../compile-context.ts';
import { compileItem, type TextKeys } from './compile-item.ts';
import { compileCondition } from '../compile-text.ts';
import { compileValue } from '../compile-value.ts';
import { mapItems, readObject, readText, textNode, textItems } from '../read-node.ts';
import { requireKey } from '../checks/require-key.ts';
import { checkToolChoice } from './compile-decider.ts';

const targets = ['self', 'parent', 'partner', 'principal'];
const statePath = /^(?:flags|values|deliverables|team\.shared)(?:\.[^.\s[\]{}]+)+$/;
const forbidden = /(?:^|\.)(?:__proto__|constructor|prototype)(?:\.|$)/;

/** Compiles the observers at a key. */
export function compileObservers(
  context: CompileContext,
  profile: MapNode,
  { key, keys }: { readonly key: string; readonly keys: TextKeys },
): readonly CompiledObserver[] {
  const observers: CompiledObserver[] = [];
  for (const node of mapItems(profile, key)) {
    const id = readText(node, 'id') ?? '';
    const condition = compileCondition(context.report, node);
    const action = compileAction(context, node, { id, key, keys });
    if (action !== undefined)
      observers.push({ id, ...(condition === undefined ? {} : { condition }), action, source: refOf(node) });
  }
  return observers;
}

function compileAction(
  context: CompileContext,
  observer: MapNode,
  { id, key, keys }: { readonly id: string; readonly key: string; readonly keys: TextKeys },
): ObserverAction | undefined {
  const owner = `observer ${quote(id)}`;
  const action = requireKey(context, observer, { key: 'action', owner });
  if (action?.kind !== 'map') return undefined;
  requireKey(context, action, { key: 'type', owner: `the action of ${owner}` });
  switch (readText(action, 'type') ?? '') {
    case 'add_to_inbox':
      return compilePost(context, action, { owner, keys });
    case 'update_state':
      requireKey(context, action, { key: 'updates', owner: `the action of ${owner}` });
      return {
        type: 'update_state',
        updates: mapItems(action, 'updates')
          .map((update) => compileUpdate(context, update))
          .filter((update) => update !== undefined),
      };
    case 'call': {
      requireKey(context, action, { key: 'observer', owner: `the action of ${owner}` });
      const name = textNode(action, 'observer');
      if (name === undefined) return undefined;
      const { observers } = context.known;
      if (observers !== undefined) checkName(context, name, { known: observers, code: 'UNKNOWN_OBSERVER', what: 'observer' });
      return { type: 'call', observer: name.value, params: readObject(action, 'params') ?? {} };
    }
    case 'set_tool_choice':
    case 'filter_tools':
      return compileToolAction(context, action, { owner, list: key });
    default:
      return undefined;
  }
}

function compilePost(
  context: CompileContext,
  action: MapNode,
  { owner, keys }: { readonly owner: string; readonly keys: TextKeys },
): ObserverAction | undefined {
  const item = requireKey(context, action, { key: 'inbox_item', owner: `the action of ${owner}` });
  if (item?.kind !== 'map') return undefined;
  requireKey(context, item, { key: 'source', owner: `the inbox_item of ${owner}` });
  const target = textNode(action, 'target_agent_id');
  checkTarget(context, target);
  return {
    type: 'add_to_inbox',
    target: target?.value ?? 'self',
    item: compileItem(context, item, { source: readText(item, 'source') ?? '', keys }),
  };
}

function checkTarget(context: CompileContext, target: ReturnType<typeof textNode>): void {
  if (target === undefined || targets.includes(target.value)) return;
  const meant = closestName(target.value, targets);
  // Agent ids end in a number; a near match of a keyword without one is a misspelling.
  const isSlip = target.value.includes('{{') || (meant !== undefined && !/\d$/.test(target.value));
  if (!isSlip) return;
  const message = `target_agent_id is ${quote(target.value)}, allowed: ${targets.join(', ')}, or an agent id`;
  context.report.error('UNKNOWN_TARGET', {
    at: target.at,
    message,
    hint: meant === undefined ? 'expressions are not allowed here' : `did you mean ${quote(meant)}?`,
  });
}

function compileUpdate(context: CompileContext, node: MapNode): StateUpdate | undefined {
  const path = textNode(node, 'path');
  const operation = readText(node, 'operation');
  if (path === undefined) return undefined;
  if (operation !== 'set' && operation !== 'increment' && operation !== 'append' && operation !== 'remove') return undefined;
  if (!statePath.test(path.value) || forbidden.test(path.value)) {
    const allowed = 'flags.x, values.x, deliverables.x, team.shared.x';
    context.report.error('BAD_PATH', {
      at: path.at,
      message: `update_state cannot write ${quote(path.value)}, allowed: ${allowed}`,
      hint: pathHint(path.value),
    });
  }
  const value = childOf(node, 'value');
  if (value === undefined && (operation === 'set' || operation === 'append'))
    requireKey(context, node, { key: 'value', owner: `operation \`${operation}\`` });
  return { operation, path: path.value, ...(value === undefined ? {} : { value: compileValue(context, value) }) };
}

function pathHint(path: string): string | undefined {
  const inner = path.replace(/^state\./, '');
  if (inner !== path && statePath.test(inner)) return `write ${inner}`;
  const [root = ''] = path.split('.');
  const meant = closestName(root, ['flags', 'values', 'deliverables']);
  if (meant !== undefined && meant !== root) return `did you mean ${quote(path.replace(root, meant))}?`;
  if (/^[\w]+$/.test(path) && !statePath.test(path)) return `write flags.${path} or values.${path}`;
  return undefined;
}

/** Compiles `set_tool_choice` and `filter_tools`, which change the tools of the next turn. */
function compileToolAction(
  context: CompileContext,
  action: MapNode,
  { owner, list }: { readonly owner: string; readonly list: string },
): ObserverAction {
  const type = textNode(action, 'type');
  if (list !== 'pre_turn_observers' && type !== undefined) {
    const message = `\`${type.value}\` of ${owner} is too late: it runs after the reply`;
    context.report.error('NOT_ALLOWED', { at: type.at, message, hint: 'move the observer to pre_turn_observers' });
  }
  return type?.value === 'filter_tools' ? compileFilter(context, action, owner) : compileChoice(context, action, owner);
}

function compileChoice(context: CompileContext, action: MapNode, owner: string): ObserverAction {
  requireKey(context, action, { key: 'tool_choice', owner: `the action of ${owner}` });
  const choice = textNode(action, 'tool_choice');
  if (choice !== undefined) checkToolChoice(context, choice);
  return { type: 'set_tool_choice', toolChoice: choice?.value ?? 'auto' };
}

function compileFilter(context: CompileContext, action: MapNode, owner: string): ObserverAction {
  const only = namesOf(context, action, 'only');
  const except = namesOf(context, action, 'except');
  if (only === undefined && except === undefined) requireKey(context, action, { key: 'only', owner: `the action of ${owner}` });
  return { type: 'filter_tools', ...(only === undefined ? {} : { only }), ...(except === undefined ? {} : { except }) };
}

/** Returns names of tools and toolsets, each checked as its kind. */
function namesOf(context: CompileContext, action: MapNode, key: string): readonly string[] | undefined {
  if (!action.entries.has(key)) return undefined;
  return textItems(action, key).map((item) => {
    const isToolset = context.known.toolsets?.has(item.value) === true || context.exposedToolsets.has(item.value);
    if (isKind(context, item.value)) return item.value;
    if (isToolset) checkToolset(context, item);
    else checkMeantTool(context, item);
    return item.value;
  });
}
