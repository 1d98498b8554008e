import { aggregateResults } from '../../core/team/aggregate-results.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TransitionTool } from '../../core/tool/tool.ts';
import type { ToolsetKind, ToolsetRequest } from '../../core/tool/toolset.ts';
import type { TransitionContext, TransitionOutcome } from '../../core/tool/transition.ts';
import { readTableFormats, toWorkerResults } from '../../core/team/worker-results.ts';
import { defineTransitionTool } from '../../tools/define-transition-tool.ts';

/** Ends an agent's work with the results of its tools, verbatim and combined. */
export const resultsToolset: ToolsetKind = {
  kind: 'results',
  description:
    'Ends the work of an agent with the results of its last calls, as one table or in sections, without a model rewriting them.',
  settings: {
    type: 'object',
    additionalProperties: false,
    properties: {
      formats: {
        type: 'object',
        description:
          'By the name of a tool, a profile or a phase: what in its results is the list of rows, and which columns are kept.',
        additionalProperties: {
          type: 'object',
          additionalProperties: false,
          properties: {
            rows: { type: 'string', minLength: 1, description: 'The key of the list, when a result is an object with more in it.' },
            columns: {
              type: 'array',
              minItems: 1,
              items: { type: 'string' },
              description: 'The columns, in order; all when left out.',
            },
          },
        },
      },
    },
  },
  tools: ['submit_results'],
  create: (request) => ({ tools: [submitResults(request)] }),
};

function submitResults({ name, settings, toolName }: ToolsetRequest): TransitionTool {
  const formats = readTableFormats(settings['formats']);
  return defineTransitionTool({
    name: toolName('submit_results'),
    toolset: name,
    effect: 'idempotent',
    ends_flow: true,
    exclusive: true,
    by_name_only: true,
    description:
      'Hands in the results of your last step unchanged, and ends your work. Call it alone, when those results are the answer.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      properties: {
        summary: { type: 'string', maxLength: 20_000, description: 'What the results say, in a few sentences, if that is needed.' },
      },
    },
    run: (args: JsonObject, context) => {
      const results = lastResults(context.run, context.agent);
      if (results.length === 0)
        return { kind: 'result', isError: true, content: 'Your last step called no tool, so there are no results to hand in.' };
      const { summary, ...together } = aggregateResults(toWorkerResults(results), formats);
      const words = typeof args['summary'] === 'string' && args['summary'] !== '' ? args['summary'] : summary;
      return hand(context, { primary_summary: words, ...together }, words);
    },
  });
}

/** Returns the results of the previous turn, in the order of its calls. */
function lastResults(run: RunContext, { turn: { lastId: lastTurnId } }: SubContext): readonly JsonValue[] {
  const turn = lastTurnId === undefined ? undefined : run.turns.get(lastTurnId);
  return (turn?.calls ?? []).flatMap(({ request, end }) =>
    end === undefined ? [] : [{ tool_name: request.name, is_error: end.status !== 'ok', content: end.content as JsonValue }],
  );
}

function hand({ agent, profiles }: TransitionContext, deliverables: JsonObject, output: string): TransitionOutcome {
  const check = profiles.get(agent.meta.profile)?.checkDeliverables(deliverables);
  if (check === undefined || check.ok)
    return { kind: 'result', content: 'The results are handed in.', end: { outcome: 'success', output, deliverables } };
  const problems = check.errors.map(({ path, message }) => `${path === '' ? 'deliverables' : path}: ${message}`).join('; ');
  return {
    kind: 'result',
    isError: true,
    content: `The results do not fit the deliverables of profile ${agent.meta.profile} (${problems}). Hand them in with finish_flow.`,
  };
}
