import type { EffectTool } from '../../core/tool/tool.ts';
import { createDocumentTool, textArgument } from './document-tool.ts';
import { writeReport } from './write-report.ts';

/** Creates `write_report`, which writes Markdown into one output folder and nowhere else. */
export function createReportTool(outDir: string): EffectTool {
  return createDocumentTool({
    name: 'write_report',
    toolset: 'workspace_reports',
    effect: 'idempotent',
    trust: 'trusted',
    description:
      'Writes a Markdown report into the output folder, replacing a report of the same name. Returns JSON: path, bytes, lines.',
    parameters: {
      path: {
        type: 'string',
        minLength: 1,
        maxLength: 1024,
        description: 'Path in the output folder, ending in .md; "report.md" when left out.',
      },
      content: { type: 'string', minLength: 1, maxLength: 5_000_000, required: true, description: 'The whole Markdown text.' },
    },
    run: async (args) =>
      JSON.stringify(await writeReport(outDir, textArgument(args, 'path') ?? 'report.md', textArgument(args, 'content') ?? '')),
  });
}
