import type { JsonObject } from '../../core/json.ts';
import type { TransitionTool } from '../../core/tool/tool.ts';
import { teamTool } from '../team-tool.ts';
import { textOf } from './text-of.ts';

const parameters: JsonObject = {
  type: 'object',
  required: ['principal_final_synthesis'],
  properties: {
    principal_final_synthesis: {
      type: 'string',
      description: 'Your conclusions from all completed work modules, with their sources.',
    },
  },
};

/** Creates the tool that asks a principal for the final report: it returns instructions for the next reply, not a report. */
export function generateMarkdownReport(): TransitionTool {
  return teamTool({
    name: 'generate_markdown_report',
    description: 'Call it when all work modules are reviewed: it tells you how to write the final report.',
    toolset: 'reporting_tools',
    effect: 'pure',
    parameters,
    run: (args) => ({ kind: 'result', content: instructions(textOf(args['principal_final_synthesis'])) }),
  });
}

function instructions(synthesis: string): string {
  return `Write the final report now, as your next reply, in Markdown, in the language of the user. Use these parts in this order:

# Title
A title that names the question.

## Key Points
Four to six points, one sentence each, the most important first.

## Overview
What was asked, and the answer in short.

## Detailed Analysis
The findings in full, one heading per theme rather than per work module. Mark every statement of fact with its citation.

## Conclusion
What follows from the findings, and what remains open.

## Key Citations
Each source once, exactly as it was found (file and line, or address), with a few words on what it supports.

Use only what the work modules brought. Do not cite what nobody read, and say so where something was not found.
When the report is written, end your work with finish_flow.

Your synthesis:
${synthesis}`;
}
