import type { ToolsetKind } from '../../core/tool/toolset.ts';
import { changingTools } from './changing-tools.ts';
import { readingTools } from './reading-tools.ts';
import { previewChange } from './preview-change.ts';
import { readWorkspaceSettings, workspaceSettingsSchema } from './workspace-settings.ts';

/** Toolset `workspace`: lists, reads, searches, writes and edits files of the run's workspace, with no way out of it. */
export const workspaceToolset: ToolsetKind = {
  kind: 'workspace',
  description: "Lists, reads, searches, writes and edits files of the run's workspace.",
  settings: workspaceSettingsSchema,
  tools: ['list_files', 'read_file', 'search_files', 'write_file', 'edit_file', 'move_file', 'delete_file'],
  preview: async (call, request) => await previewChange(call, readWorkspaceSettings(request)),
  create: (request) => {
    const settings = readWorkspaceSettings(request);
    return { tools: [...readingTools(request, settings), ...(settings.readOnly ? [] : changingTools(request, settings))] };
  },
};
