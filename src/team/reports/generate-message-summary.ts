import type { JsonObject } from '../../core/json.ts';
import type { TransitionTool } from '../../core/tool/tool.ts';
import { teamTool } from '../team-tool.ts';
import { textOf } from './text-of.ts';

const parameters: JsonObject = {
  type: 'object',
  required: ['current_associate_findings'],
  properties: {
    current_associate_findings: { type: 'string', description: 'What you have found so far, with the sources of each finding.' },
  },
};

/** Creates the tool that asks an associate for a summary of its work: it returns instructions for the next reply, not a summary. */
export function generateMessageSummary(): TransitionTool {
  return teamTool({
    name: 'generate_message_summary',
    description: 'Call it when your findings are complete: it tells you how to write the summary that you hand in.',
    toolset: 'flow_control_summary',
    effect: 'pure',
    parameters,
    run: (args) => ({ kind: 'result', content: instructions(textOf(args['current_associate_findings'])) }),
  });
}

function instructions(findings: string): string {
  return `Finalization protocol

Your next reply is your hand-in. It consists of one JSON object and nothing else: no words before or after it, no code fence, no tool call.

{ "primary_summary": "<your summary>" }

Write the summary so that it can be used without this conversation:
1. Begin with the answer to your assignment, in one or two sentences.
2. Then give every finding that bears on it, with its source exactly as you read it (file and line, or address).
3. Keep figures, names and quotations as they are in the sources; add nothing that you did not find.
4. Say plainly what you looked for and did not find, and where sources contradict each other.

After that reply, end your work with finish_flow.

The findings you named:
${findings}`;
}
