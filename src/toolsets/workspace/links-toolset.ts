import type { ToolsetKind } from '../../core/tool/toolset.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { textOf } from './arguments.ts';
import { checkLinks } from './check-links.ts';
import { readWorkspaceSettings, workspaceSettingsSchema } from './workspace-settings.ts';

/** Toolset `links`: finds broken links of pages in the workspace. */
export const linksToolset: ToolsetKind = {
  kind: 'links',
  description: 'Says which local links of an HTML file of the workspace lead nowhere.',
  settings: workspaceSettingsSchema,
  tools: ['check_links'],
  create: (request) => {
    const { name, toolName } = request;
    const settings = readWorkspaceSettings(request);
    return {
      tools: [
        defineTool({
          toolset: name,
          effect: 'pure',
          trust: settings.trust,
          by_name_only: true,
          max_result_chars: 70_000,
          name: toolName('check_links'),
          description:
            'Says which local links of an HTML file of the workspace lead nowhere: missing files, and ids it does not have.',
          parameters: {
            type: 'object',
            additionalProperties: false,
            required: ['path'],
            properties: { path: { type: 'string', maxLength: 1024, description: 'The HTML file, relative to the workspace.' } },
          },
          execute: async (args, { workspace }) => await checkLinks(workspace, textOf(args, 'path') ?? '', settings),
        }),
      ],
    };
  },
};
