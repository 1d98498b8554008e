import { type JsonObject, isJsonObject } from '../../core/json.ts';
import type { TransitionTool } from '../../core/tool/tool.ts';
import type { TransitionContext, TransitionOutcome } from '../../core/tool/transition.ts';
import { fallbackDeliverables, isEmptyDeliverables, lastAssistantText } from './agent-deliverables.ts';
import { teamTool } from '../team-tool.ts';
import { refusal } from '../tool-outcome.ts';

const parameters: JsonObject = {
  type: 'object',
  properties: {
    reason: { type: 'string', description: 'Why the work ends here.' },
    summary: {
      type: 'string',
      description: 'The result in a few sentences, for the agent or person who asked; your last message if left out.',
    },
    deliverables: {
      type: 'object',
      description: 'What was asked for, by name, for example { "primary_summary": "…" }; taken from your last message if left out.',
    },
  },
};

/** Creates the tool by which an agent ends its own work successfully, with deliverables that fit its profile's schema (D1.8). */
export function finishFlow(): TransitionTool {
  return teamTool({
    name: 'finish_flow',
    description: 'Ends your work and hands in the result. Call it once, when everything is done.',
    toolset: 'flow_control_end',
    effect: 'idempotent',
    endsFlow: true,
    parameters,
    run: finish,
  });
}

function finish(args: JsonObject, { agent, profiles }: TransitionContext): TransitionOutcome {
  const { reason, summary } = args;
  const given = isJsonObject(args['deliverables']) ? args['deliverables'] : {};
  const text = typeof summary === 'string' && summary.trim() !== '' ? summary : '';
  const deliverables = isEmptyDeliverables(given) ? fallbackDeliverables(agent, text) : given;
  const check = profiles.get(agent.meta.profile)?.checkDeliverables(deliverables);
  if (check?.ok === false) {
    const problems = check.errors.map((error) => `${error.path === '' ? 'deliverables' : error.path}: ${error.message}`).join('; ');
    return refusal(
      `Your work is not finished: the deliverables do not fit the schema of profile ${agent.meta.profile}: ${problems}. Call finish_flow again with deliverables that fit.`,
    );
  }
  const content = typeof reason === 'string' && reason !== '' ? `Finished: ${reason}` : 'Finished.';
  return {
    kind: 'result',
    content,
    end: { outcome: 'success', output: text === '' ? lastAssistantText(agent) : text, deliverables },
  };
}
