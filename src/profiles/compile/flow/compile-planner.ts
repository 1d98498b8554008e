import type { Expression } from '../../../core/expression/expression.ts';
import { type Planner, type PlannerRule, passingFailures } from '../../../core/profile/planner.ts';
import { quote } from '../../wording.ts';
import { childOf, type MapNode } from '../../yaml/source-node.ts';
import type { CompileContext } from '../compile-context.ts';
import {
  compileCall,
  compileDefault,
  compileMove,
  compileSteps,
  plannerRoots,
  plannerText,
  resultText,
} from './compile-planner-parts.ts';
import { compileCondition, constantExpression } from '../compile-text.ts';
import { listNode, mapItems, mapNode, readFlag, readNumber, readText, textItems, textNode } from '../read-node.ts';
import { requireKey } from '../checks/require-key.ts';

const owner = 'the planner';
const defaultIterations = 3;

/** Compiles the planner of a profile; undefined when it has none, or an incomplete one. */
export function compilePlanner(context: CompileContext, profile: MapNode): Planner | undefined {
  const node = mapNode(profile, 'planner');
  if (node === undefined) return undefined;
  const clash = childOf(profile, 'function_node');
  if (clash !== undefined)
    context.report.error('NOT_ALLOWED', {
      at: clash.at,
      message: '`function_node` and `planner` both replace the model',
      hint: 'keep one of them',
    });
  requireKey(context, node, { key: 'type', owner });
  const kind = readText(node, 'type') ?? '';
  switch (kind) {
    case 'single_action': {
      const call = compileCall(context, node, owner);
      return { kind, type: 'rules', rules: [], otherwise: { kind: 'call', calls: [call], answer: answerOf(context, node) } };
    }
    case 'static':
      return compileStatic(context, node);
    case 'rules':
      return compileRules(context, node);
    case 'script':
      return compileScript(context, node);
    case 'loop':
      return compileLoop(context, node);
    default:
      return undefined;
  }
}

/** Returns the text said with a result: the planner's own, or the unchanged result. */
function answerOf(context: CompileContext, node: MapNode) {
  return plannerText(context, node, 'answer') ?? resultText();
}

/** Compiles a planner that makes one call when the task contains one of some words, and otherwise replies with a fixed text. */
function compileStatic(context: CompileContext, node: MapNode): Planner | undefined {
  requireKey(context, node, { key: 'say', owner });
  const text = plannerText(context, node, 'say');
  if (text === undefined) return undefined;
  const call = mapNode(node, 'call');
  if (call === undefined && node.entries.has('words')) requireKey(context, node, { key: 'call', owner });
  if (call === undefined) return { kind: 'static', type: 'rules', rules: [], otherwise: { kind: 'say', text } };
  requireKey(context, node, { key: 'words', owner });
  const words = textItems(node, 'words').map(({ value }) => value);
  const rules: readonly PlannerRule[] = [{ id: 'no_word', condition: hasNone(words), move: { kind: 'say', text } }];
  const calls = [compileCall(context, call, `the call of ${owner}`)];
  return { kind: 'static', type: 'rules', rules, otherwise: { kind: 'call', calls, answer: answerOf(context, node) } };
}

/** Returns a condition that is true when the task contains none of the words (whole words, ignoring case). */
function hasNone(words: readonly string[]): Expression {
  const isIn = (scope: Parameters<Expression['test']>[0]): boolean => {
    const task = String(scope['task'] ?? '').toLocaleLowerCase('en');
    const parts = ` ${task.split(/[^\p{L}\p{N}]+/u).join(' ')} `;
    return words.some((word) =>
      parts.includes(
        ` ${word
          .toLocaleLowerCase('en')
          .split(/[^\p{L}\p{N}]+/u)
          .join(' ')} `,
      ),
    );
  };
  const test: Expression['test'] = (scope) => !isIn(scope);
  const print = (scope: Parameters<Expression['test']>[0]): string => String(test(scope));
  return { source: `none of ${words.join(', ')} in task`, paths: ['task'], evaluate: test, print, test };
}

function compileRules(context: CompileContext, node: MapNode): Planner {
  const rules: PlannerRule[] = [];
  let always: string | undefined;
  for (const rule of mapItems(node, 'rules')) {
    const id = readText(rule, 'id') ?? '';
    const condition = compileCondition(context.report, rule, { roots: plannerRoots });
    const move = compileMove(context, rule, `rule ${quote(id)} of ${owner}`);
    if (always !== undefined)
      context.report.warning('UNREACHABLE_RULE', {
        at: rule.at,
        message: `rule ${quote(id)} is never reached: rule ${quote(always)} before it has no condition`,
      });
    if (condition === undefined && !rule.entries.has('condition')) always ??= id;
    if (move !== undefined) rules.push({ id, ...(condition === undefined ? {} : { condition }), move });
  }
  if (always === undefined) requireKey(context, node, { key: 'default', owner });
  const otherwise = compileDefault(context, node, { owner: `the default of ${owner}`, allowed: ['call', 'say', 'fail', 'model'] });
  const instead = mapNode(node, 'fallback');
  const fallback = instead === undefined ? undefined : compileMove(context, instead, `the fallback of ${owner}`);
  return {
    kind: 'rules',
    type: 'rules',
    rules,
    otherwise: otherwise ?? { kind: 'model' },
    ...(fallback === undefined ? {} : { fallback }),
  };
}

function compileScript(context: CompileContext, node: MapNode): Planner {
  const from = textNode(node, 'steps_from');
  if (from === undefined) requireKey(context, node, { key: 'steps', owner });
  else if (node.entries.has('steps'))
    context.report.error('NOT_ALLOWED', {
      at: from.at,
      message: '`steps` and `steps_from` both give the steps',
      hint: 'keep one of them',
    });
  const guided = compileCondition(context.report, node, { roots: plannerRoots, key: 'guided_when' });
  const guidedWhen = readText(node, 'mode') === 'guided' ? constantExpression('true') : guided;
  const otherwise = compileDefault(context, node, { owner: `the default of ${owner}`, allowed: ['say', 'fail', 'model'] });
  const answer = plannerText(context, node, 'answer');
  return {
    kind: 'script',
    type: 'script',
    steps: compileSteps(context, node, { isLoop: false }),
    stopsOnError: readFlag(node, 'stop_on_error') ?? true,
    ...(from === undefined ? {} : { stepsFrom: from.value }),
    ...(guidedWhen === undefined ? {} : { guidedWhen }),
    ...(otherwise === undefined ? {} : { otherwise }),
    ...(answer === undefined ? {} : { answer }),
  };
}

function compileLoop(context: CompileContext, node: MapNode): Planner {
  requireKey(context, node, { key: 'steps', owner });
  requireKey(context, node, { key: 'until', owner });
  const otherwise = compileDefault(context, node, { owner: `the default of ${owner}`, allowed: ['say', 'fail'] });
  const answer = plannerText(context, node, 'answer');
  const recoverFrom =
    listNode(node, 'recover_from') === undefined ? passingFailures : textItems(node, 'recover_from').map(({ value }) => value);
  return {
    kind: 'loop',
    type: 'loop',
    steps: compileSteps(context, node, { isLoop: true }),
    maxIterations: readNumber(node, 'max_iterations') ?? defaultIterations,
    until: compileCondition(context.report, node, { roots: plannerRoots, key: 'until' }) ?? constantExpression('true'),
    recoverFrom,
    ...(otherwise === undefined ? {} : { otherwise }),
    ...(answer === undefined ? {} : { answer }),
  };
}
