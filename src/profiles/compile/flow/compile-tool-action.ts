import type { ObserverAction } from '../../../core/profile/profile.ts';
import type { MapNode } from '../../yaml/source-node.ts';
import { checkMeantTool, checkToolset, isKind, type CompileContext } from '../compile-context.ts';
import { checkToolChoice } from './compile-decider.ts';
import { textItems, textNode } from '../read-node.ts';
import { requireKey } from '../checks/require-key.ts';

/** Compiles `set_tool_choice` and `filter_tools`, which change the tools of the next turn. */
export function compileToolAction(
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
