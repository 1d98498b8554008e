import { type Checkpoint, checkpointOutcome } from '../../../core/profile/checkpoint.ts';
import { quote } from '../../wording.ts';
import type { MapNode } from '../../yaml/source-node.ts';
import { checkTool, refOf, type CompileContext } from '../compile-context.ts';
import { compileCondition, compileText } from '../compile-text.ts';
import { mapItems, readNumber, readText, textItems, textNode } from '../read-node.ts';

/** Compiles the checkpoints where an agent waits for a person; each must say when it is reached. */
export function compileCheckpoints(context: CompileContext, profile: MapNode): readonly Checkpoint[] {
  return mapItems(profile, 'checkpoints').map((node) => {
    const id = readText(node, 'id') ?? '';
    const afterTurns = readNumber(node, 'after_turns');
    const tools = textItems(node, 'on_tools');
    for (const tool of tools) checkTool(context, tool);
    const condition = compileCondition(context.report, node);
    if (afterTurns === undefined && tools.length === 0 && condition === undefined)
      context.report.error('MISSING_KEY', {
        at: node.at,
        message: `checkpoint ${quote(id)} does not say when it is reached`,
        hint: 'write after_turns, on_tools or condition',
      });
    const words = textNode(node, 'message');
    const message = words === undefined ? undefined : compileText(context, words);
    return {
      id,
      ...(afterTurns === undefined ? {} : { afterTurns }),
      onTools: tools.map((tool) => tool.value),
      ...(condition === undefined ? {} : { condition }),
      ...(message === undefined ? {} : { message }),
      outcome: readText(node, 'outcome') ?? checkpointOutcome,
      source: refOf(node),
    };
  });
}
