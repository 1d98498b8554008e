import {
  defaultEscalation,
  type EscalationAction,
  type EscalationStep,
  stagnationOutcome,
  type Streak,
  streaks,
} from '../../../core/profile/escalation.ts';
import { quote } from '../../wording.ts';
import { childOf, type MapNode } from '../../yaml/source-node.ts';
import { checkLlmConfig } from '../configs/choose-llm-config.ts';
import type { CompileContext } from '../compile-context.ts';
import { mapItems, mapNode, readNumber, readText, textNode } from '../read-node.ts';
import { requireKey } from '../checks/require-key.ts';

/** Compiles a profile's escalation against stagnation, in the order of `at`; profiles without one get the default. */
export function compileStagnation(context: CompileContext, profile: MapNode): readonly EscalationStep[] {
  const node = childOf(profile, 'stagnation');
  if (node === undefined) return defaultEscalation;
  if (node.kind !== 'list') return [];
  const escalations: EscalationStep[] = [];
  for (const item of mapItems(profile, 'stagnation')) {
    const id = readText(item, 'id') ?? '';
    requireKey(context, item, { key: 'at', owner: `step ${quote(id)}` });
    requireKey(context, item, { key: 'action', owner: `step ${quote(id)}` });
    const action = mapNode(item, 'action');
    const compiled = action === undefined ? undefined : compileAction(context, action, id);
    if (compiled === undefined) continue;
    escalations.push({ id, on: streakOf(readText(item, 'on')), at: readNumber(item, 'at') ?? 1, action: compiled });
  }
  return escalations.toSorted((a, b) => a.at - b.at);
}

function streakOf(name: string | undefined): Streak {
  return streaks.find((streak) => streak === name) ?? 'same_action_same_result_streak';
}

function compileAction(context: CompileContext, node: MapNode, id: string): EscalationAction | undefined {
  const type = readText(node, 'type');
  const message = readText(node, 'message');
  switch (type) {
    case 'nudge':
    case 'ask_human':
      return message === undefined ? { type } : { type, message };
    case 'forbid_tool':
      return { type };
    case 'switch_llm_config': {
      requireKey(context, node, { key: 'llm_config', owner: `the action of step ${quote(id)}` });
      const ref = textNode(node, 'llm_config');
      return ref === undefined ? undefined : { type, llmConfig: checkLlmConfig(context, ref) };
    }
    case 'end': {
      const outcome = textNode(node, 'outcome');
      if (outcome?.value === 'success')
        context.report.error('NOT_ALLOWED', {
          at: outcome.at,
          message: 'an agent that makes no progress does not end with success',
          hint: 'name another outcome, or leave it out',
        });
      return { type, outcome: outcome?.value ?? stagnationOutcome };
    }
    default:
      requireKey(context, node, { key: 'type', owner: `the action of step ${quote(id)}` });
      return undefined;
  }
}
