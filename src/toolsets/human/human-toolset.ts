import type { JsonObject } from '../../core/json.ts';
import type { TransitionTool } from '../../core/tool/tool.ts';
import type { ToolsetKind, ToolsetRequest } from '../../core/tool/toolset.ts';
import type { Question } from '../../core/tool/wait-for.ts';
import { defineTransitionTool } from '../../tools/define-transition-tool.ts';
import { durationOf, durationSetting } from '../settings.ts';

/** Toolset for reaching the people at the run: questions and notices. */
export const humanToolset: ToolsetKind = {
  kind: 'human',
  description: 'Asks the people at the run questions, and notifies them.',
  settings: {
    type: 'object',
    additionalProperties: false,
    properties: {
      answer_within: durationSetting(
        'Time limit for an answer; without it, a question waits indefinitely. After it, the agent gets the result that there was no answer.',
      ),
    },
  },
  tools: ['ask_human', 'notify'],
  create: (request) => ({ tools: [askHuman(request), notify(request)] }),
};

const questionText = 'The question, with what a person must know to answer it.';

function askHuman({ name, settings, toolName }: ToolsetRequest): TransitionTool {
  const afterMs = durationOf(settings, 'answer_within', 0);
  return defineTransitionTool({
    name: toolName('ask_human'),
    toolset: name,
    effect: 'idempotent',
    by_name_only: true,
    description:
      'Asks a person and waits for the answer: a text, or one of the choices. Ask only what you cannot find out yourself, one thing at a time.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['question'],
      properties: {
        question: { type: 'string', minLength: 1, maxLength: 10_000, description: questionText },
        choices: {
          type: 'array',
          minItems: 2,
          maxItems: 20,
          uniqueItems: true,
          items: { type: 'string', minLength: 1, maxLength: 500 },
          description: 'The answers to choose from; a free text when left out.',
        },
      },
    },
    run: (args: JsonObject) => {
      const { question, choices } = args;
      const schema: JsonObject = Array.isArray(choices) ? { enum: choices } : { type: 'string' };
      const on: Question = {
        kind: 'question',
        prompt: String(question),
        schema,
        ...(afterMs === 0 ? {} : { expires: { afterMs, verdict: 'deny' } }),
      };
      return { kind: 'suspend', on, memo: null };
    },
    resume: (_args, _context, happening) => ({
      kind: 'result',
      content:
        happening.kind === 'answer'
          ? typeof happening.value === 'string'
            ? happening.value
            : JSON.stringify(happening.value)
          : '',
    }),
  });
}

/** Code of the notes that agents write for people. */
const noticeCode = 'NOTICE';

function notify({ name, toolName }: ToolsetRequest): TransitionTool {
  return defineTransitionTool({
    name: toolName('notify'),
    toolset: name,
    effect: 'idempotent',
    by_name_only: true,
    description: 'Notifies the people at the run, without waiting for an answer: progress they should know of, or a warning.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['message'],
      properties: {
        message: { type: 'string', minLength: 1, maxLength: 4_000 },
        level: { enum: ['info', 'warning'], description: 'info when left out.' },
      },
    },
    run: (args: JsonObject, { agent, turnId }) => ({
      kind: 'result',
      content: 'Recorded in the run, and shown to the people who follow it.',
      events: [
        {
          type: 'note.add',
          level: args['level'] === 'warning' ? 'warning' : 'info',
          code: noticeCode,
          message: String(args['message']),
          agentId: agent.meta.agentId,
          turnId,
        },
      ],
    }),
  });
}
