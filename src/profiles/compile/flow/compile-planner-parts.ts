import { agentRoots } from '../../../core/expression/agent-roots.ts';
import { compileTemplate, type Template } from '../../../core/expression/template.ts';
import type { PlannedCall, PlannerMove, PlannerStep } from '../../../core/profile/planner.ts';
import { quote } from '../../wording.ts';
import { childOf, type MapNode } from '../../yaml/source-node.ts';
import { checkTool, type CompileContext } from '../compile-context.ts';
import { compileCondition, compileText } from '../compile-text.ts';
import { compileValue, constantValue } from '../compile-value.ts';
import { mapItems, mapNode, readFlag, readText, textNode } from '../read-node.ts';
import { requireKey } from '../checks/require-key.ts';

const open = { kind: 'open' } as const;

/** Roots that expressions of planners read: those of an agent, the task, and the results so far. */
export const plannerRoots = {
  ...agentRoots,
  task: open,
  last: open,
  results: open,
  step: open,
  iteration: open,
  max_iterations: open,
} as const;

/** Returns a template for the unchanged result of the last call. */
export function resultText(): Template {
  const compiled = compileTemplate('{{ last.content }}', plannerRoots);
  if (!compiled.ok) throw new Error('the built-in answer of planners does not compile');
  return compiled.value;
}

/** Compiles a tool call of a planner. */
export function compileCall(context: CompileContext, node: MapNode, owner: string): PlannedCall {
  requireKey(context, node, { key: 'tool', owner });
  const tool = textNode(node, 'tool');
  if (tool !== undefined) checkTool(context, tool);
  const args = childOf(node, 'args');
  return {
    tool: tool?.value ?? '',
    args: args === undefined ? constantValue({}) : compileValue(context, args, plannerRoots),
  };
}

/** Compiles a text of a planner. */
export function plannerText(context: CompileContext, node: MapNode, key: string): Template | undefined {
  const text = textNode(node, key);
  return text === undefined ? undefined : compileText(context, text, plannerRoots);
}

const moveKeys = ['call', 'calls', 'say', 'fail', 'ask_model'] as const;

/** Compiles the single move of a rule, default or fallback. */
export function compileMove(context: CompileContext, node: MapNode, owner: string): PlannerMove | undefined {
  const said = moveKeys.filter((key) => node.entries.has(key) && !(key === 'ask_model' && readFlag(node, key) === false));
  const [key, second] = said;
  if (key === undefined) {
    context.report.error('MISSING_KEY', {
      at: node.at,
      message: `${owner} does nothing: \`call\`, \`calls\`, \`say\` or \`fail\` is missing`,
    });
    return undefined;
  }
  if (second !== undefined) {
    const at = childOf(node, second)?.at ?? node.at;
    context.report.error('NOT_ALLOWED', {
      at,
      message: `${owner} does two things: ${quote(key)} and ${quote(second)}`,
      hint: 'keep one of them',
    });
  }
  if (node.entries.has('answer') && key !== 'call' && key !== 'calls')
    context.report.error('NOT_ALLOWED', {
      at: childOf(node, 'answer')?.at ?? node.at,
      message: `\`answer\` of ${owner} is for calls`,
      hint: 'write say',
    });
  return moveOf(context, node, { owner, key });
}

function moveOf(
  context: CompileContext,
  node: MapNode,
  { owner, key }: { readonly owner: string; readonly key: (typeof moveKeys)[number] },
): PlannerMove | undefined {
  switch (key) {
    case 'ask_model':
      return { kind: 'model' };
    case 'say': {
      const text = plannerText(context, node, 'say');
      return text === undefined ? undefined : { kind: 'say', text };
    }
    case 'fail': {
      const message = plannerText(context, node, 'fail');
      return message === undefined ? undefined : { kind: 'fail', message };
    }
    case 'call':
    case 'calls': {
      const one = mapNode(node, 'call');
      const nodes = key === 'call' ? (one === undefined ? [] : [one]) : mapItems(node, 'calls');
      const calls = nodes.map((call) => compileCall(context, call, `a call of ${owner}`));
      const answer = plannerText(context, node, 'answer');
      return { kind: 'call', calls, ...(answer === undefined ? {} : { answer }) };
    }
  }
}

/** Compiles the default of a planner; reports a move that would have no effect there. */
export function compileDefault(
  context: CompileContext,
  node: MapNode,
  { owner, allowed }: { readonly owner: string; readonly allowed: readonly PlannerMove['kind'][] },
): PlannerMove | undefined {
  const child = childOf(node, 'default');
  const isModel = readText(node, 'default') === 'model';
  const move: PlannerMove | undefined =
    child?.kind === 'map' ? compileMove(context, child, owner) : isModel ? { kind: 'model' } : undefined;
  if (child === undefined || move === undefined || allowed.includes(move.kind)) return move;
  context.report.error('NOT_ALLOWED', {
    at: child.at,
    message: `${owner} cannot be ${quote(move.kind)}, allowed: ${allowed.join(', ')}`,
  });
  return undefined;
}

/** Compiles the steps of a script or loop; only a loop has an agent of an earlier iteration to keep. */
export function compileSteps(
  context: CompileContext,
  node: MapNode,
  { isLoop }: { readonly isLoop: boolean },
): readonly PlannerStep[] {
  return mapItems(node, 'steps').map((step): PlannerStep => {
    const kept = childOf(step, 'keep_agent');
    if (kept !== undefined && !isLoop)
      context.report.error('NOT_ALLOWED', {
        at: kept.at,
        message: '`keep_agent` is for loops: each step of a script is run once',
        hint: 'leave it out',
      });
    const id = readText(step, 'id') ?? '';
    const condition = compileCondition(context.report, step, { roots: plannerRoots });
    const expect = compileCondition(context.report, step, { roots: plannerRoots, key: 'expect' });
    const notes = readText(step, 'notes');
    return {
      id,
      ...compileCall(context, step, `step ${quote(id)}`),
      keepsAgent: readFlag(step, 'keep_agent') ?? false,
      ...(condition === undefined ? {} : { condition }),
      ...(expect === undefined ? {} : { expect }),
      ...(notes === undefined ? {} : { notes }),
    };
  });
}
