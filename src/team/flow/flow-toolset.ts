import type { JsonObject } from '../../core/json.ts';
import type { AgentEnding } from '../../core/events/tool-parts.ts';
import type { TransitionTool } from '../../core/tool/tool.ts';
import type { ToolsetKind, ToolsetRequest } from '../../core/tool/toolset.ts';
import type { TransitionContext, TransitionOutcome } from '../../core/tool/transition.ts';
import { defineTransitionTool } from '../../tools/define-transition-tool.ts';
import { lastAssistantText } from '../reports/agent-deliverables.ts';

/** Tools that end work, besides `finish_flow`: with a status, or with an answer that is passed on verbatim. */
export const flowToolset: ToolsetKind = {
  kind: 'flow',
  description: 'Ends the work of an agent: with a status, or with an answer that is handed on word for word.',
  settings: {
    type: 'object',
    additionalProperties: false,
    properties: {
      statuses: {
        type: 'array',
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
        items: { type: 'string', pattern: '^[a-z][a-z0-9_]{0,40}$' },
        description: 'What `terminate` may say; success and failure when left out. Others become the outcome of the agent.',
      },
    },
  },
  tools: ['terminate', 'submit_answer'],
  create: (request) => ({ tools: [terminate(request), submitAnswer(request)] }),
};

/** Settings that both tools share. */
const common = { effect: 'idempotent', ends_flow: true, exclusive: true, by_name_only: true } as const;

function terminate({ name, settings, toolName }: ToolsetRequest): TransitionTool {
  const statuses = Array.isArray(settings['statuses']) ? settings['statuses'] : ['success', 'failure'];
  return defineTransitionTool({
    ...common,
    name: toolName('terminate'),
    toolset: name,
    description: 'Ends your work with a status. Call it alone, when the task is done or when you cannot go on.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['status'],
      properties: {
        status: { enum: statuses },
        message: {
          type: 'string',
          maxLength: 20_000,
          description: 'The result, or what stood in the way, for the one who gave you the task; your last message if left out.',
        },
      },
    },
    run: (args: JsonObject, context) => {
      const status = String(args['status']);
      const { message: given } = args;
      const output = typeof given === 'string' && given.trim() !== '' ? given : lastAssistantText(context.agent);
      if (status === 'failure') {
        const message = output === '' ? 'the agent gave up without a reason' : output;
        return ended('You ended your work with status failure.', {
          outcome: 'error',
          output,
          error: { code: 'AGENT_FAILED', message },
        });
      }
      return endChecked(context, `You ended your work with status ${status}.`, {
        outcome: status,
        output,
        deliverables: output === '' ? {} : { primary_summary: output },
      });
    },
  });
}

function submitAnswer({ name, toolName }: ToolsetRequest): TransitionTool {
  return defineTransitionTool({
    ...common,
    name: toolName('submit_answer'),
    toolset: name,
    description:
      'Hands in your final answer and ends your work. The answer is used word for word: give it without any words around it.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['answer'],
      properties: {
        answer: { type: 'string', minLength: 1, maxLength: 200_000 },
        confidence: { enum: ['low', 'medium', 'high'] },
        reasoning: { type: 'string', maxLength: 2_000, description: 'How you came to it, in a few sentences.' },
      },
    },
    run: (args: JsonObject, context) => {
      const { answer, confidence, reasoning } = args;
      const output = String(answer);
      const deliverables = {
        answer: output,
        ...(confidence === undefined ? {} : { confidence }),
        ...(reasoning === undefined ? {} : { reasoning }),
      };
      return endChecked(context, 'Your answer is handed in.', { outcome: 'success', output, deliverables });
    },
  });
}

/** Ends the agent, unless the deliverables do not fit its profile's schema. */
function endChecked(
  { agent, profiles }: TransitionContext,
  content: string,
  ending: AgentEnding & { readonly deliverables: JsonObject },
): TransitionOutcome {
  const check = profiles.get(agent.meta.profile)?.checkDeliverables(ending.deliverables);
  if (check === undefined || check.ok) return ended(content, ending);
  const problems = check.errors.map(({ path, message }) => `${path === '' ? 'deliverables' : path}: ${message}`).join('; ');
  return {
    kind: 'result',
    isError: true,
    content: `Your work is not finished: profile ${agent.meta.profile} asks for deliverables with a schema (${problems}). Hand them in with finish_flow.`,
  };
}

function ended(content: string, end: AgentEnding): TransitionOutcome {
  return { kind: 'result', content, end };
}
