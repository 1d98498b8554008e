import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import { fillTokens } from '../../core/team/knowledge.ts';
import type { EffectTool, ToolContext } from '../../core/tool/tool.ts';
import type { ToolsetRequest } from '../../core/tool/toolset.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { numberOf, textOf } from './arguments.ts';
import type { TextEdit } from './edit-text.ts';
import { createFile, deleteFile, editFile, moveFile, undoEdit, writeFile, type ChangeContext } from './workspace-changes.ts';
import type { WorkspaceSettings } from './workspace-settings.ts';

const path = { type: 'string', minLength: 1, maxLength: 1024, description: 'The file, relative to the workspace.' };
const maxTextChars = 5_000_000;
const content = (description: string) => ({ type: 'string', maxLength: maxTextChars, description });

/**
 * Creates `write_file`, `edit_file`, `move_file` and `delete_file`. Each call changes files once, however often it runs: the tools record
 * their changes under the id of the call (`EditHistory`), which makes them `idempotent`.
 */
export function changingTools(request: ToolsetRequest, settings: WorkspaceSettings): readonly EffectTool[] {
  const tools = [writeTool, editTool, moveTool, deleteTool].map((make) => make(request, settings));
  return tools.map((made) => ({ ...made, finishes: true }));
}

function common({ name }: ToolsetRequest) {
  return { toolset: name, effect: 'idempotent', concurrency: 'serial', by_name_only: true } as const;
}

function changeContext({ runId, toolCallId, workspace, signal }: ToolContext, settings: WorkspaceSettings): ChangeContext {
  return { runId, toolCallId, workspace, signal, settings };
}

function writeTool(request: ToolsetRequest, settings: WorkspaceSettings): EffectTool {
  return defineTool({
    ...common(request),
    // A diff shows earlier content of the file.
    trust: settings.trust,
    name: request.toolName('write_file'),
    description:
      'Writes a whole text file into the workspace, in place of what is there; makes the folders it needs. Answers with the diff.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['path', 'content'],
      properties: { path, content: content('The whole text of the file.') },
    },
    execute: async (args, context) => {
      const text = filled(textOf(args, 'content') ?? '', context);
      return await writeFile(changeContext(context, settings), textOf(args, 'path') ?? '', text);
    },
  });
}

function editTool(request: ToolsetRequest, settings: WorkspaceSettings): EffectTool {
  return defineTool({
    ...common(request),
    // A diff shows earlier content of the file.
    trust: settings.trust,
    name: request.toolName('edit_file'),
    description:
      'Changes a part of a text file and answers with the diff. Commands: create (file_text; the file must not exist), str_replace (old_str, which must occur in ' +
      'the file exactly once, becomes new_str), insert (new_str after insert_line; 0 = start, -1 = end), replace_lines and remove_lines ' +
      '(from_line to to_line), undo (takes back the last change of the file).',
    parameters: editParameters,
    execute: async (args, context) => {
      const file = textOf(args, 'path') ?? '';
      const change = changeContext(context, settings);
      switch (textOf(args, 'command')) {
        case 'create':
          return await createFile(change, file, filled(needed(args, 'file_text'), context));
        case 'undo':
          return await undoEdit(change, file);
        default:
          return await editFile(change, file, toTextEdit(args));
      }
    },
  });
}

function moveTool(request: ToolsetRequest, settings: WorkspaceSettings): EffectTool {
  return defineTool({
    ...common(request),
    trust: 'trusted',
    name: request.toolName('move_file'),
    description: 'Gives a file or folder of the workspace another path; the new one must be free. Makes the folders it needs.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['from', 'to'],
      properties: { from: path, to: { ...path, description: 'The new path, relative to the workspace.' } },
    },
    execute: async (args, context) =>
      await moveFile(changeContext(context, settings), textOf(args, 'from') ?? '', textOf(args, 'to') ?? ''),
  });
}

function deleteTool(request: ToolsetRequest, settings: WorkspaceSettings): EffectTool {
  return defineTool({
    ...common(request),
    trust: 'trusted',
    name: request.toolName('delete_file'),
    description: 'Deletes a file or an empty folder of the workspace. A text file comes back with edit_file, command undo.',
    parameters: { type: 'object', additionalProperties: false, required: ['path'], properties: { path } },
    execute: async (args, context) => await deleteFile(changeContext(context, settings), textOf(args, 'path') ?? ''),
  });
}

/** Replaces tokens of long results with their text, so that whole results reach a file without passing through the model. */
function filled(text: string, { team, stored }: ToolContext): string {
  return fillTokens(text, team['shared'], stored);
}

const editParameters: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['command', 'path'],
  properties: {
    command: { enum: ['create', 'str_replace', 'insert', 'replace_lines', 'remove_lines', 'undo'] },
    path,
    file_text: content('create: the whole text.'),
    old_str: content('str_replace: the text to replace, exactly as in the file, with its spaces.'),
    new_str: content('str_replace, insert, replace_lines: the new text; nothing when left out of str_replace.'),
    insert_line: { type: 'integer', minimum: -1, description: 'insert: the line after which the text comes.' },
    from_line: { type: 'integer', minimum: 1, description: 'replace_lines, remove_lines: the first line.' },
    to_line: { type: 'integer', minimum: 1, description: 'replace_lines, remove_lines: the last line; from_line when left out.' },
  },
};

/** Converts the arguments of `edit_file` to an edit; throws `TOOL_ARGUMENTS_INVALID` when one is missing. */
export function toTextEdit(args: JsonObject): TextEdit {
  const command = textOf(args, 'command');
  switch (command) {
    case 'str_replace':
      return { command, oldStr: needed(args, 'old_str'), newStr: textOf(args, 'new_str') ?? '' };
    case 'insert':
      return { command, line: neededNumber(args, 'insert_line'), text: needed(args, 'new_str') };
    case 'replace_lines':
      return { command, ...range(args), text: needed(args, 'new_str') };
    case 'remove_lines':
      return { command, ...range(args) };
    default:
      throw invalid(
        `command ${JSON.stringify(command)} is not one of create, str_replace, insert, replace_lines, remove_lines, undo`,
      );
  }
}

function range(args: JsonObject): { readonly from: number; readonly to: number } {
  const from = neededNumber(args, 'from_line');
  return { from, to: numberOf(args, 'to_line') ?? from };
}

function needed(args: JsonObject, name: string): string {
  const value = textOf(args, name);
  if (value === undefined) throw invalid(`command ${String(args['command'])} needs ${name}`);
  return value;
}

function neededNumber(args: JsonObject, name: string): number {
  const value = numberOf(args, name);
  if (value === undefined) throw invalid(`command ${String(args['command'])} needs ${name}`);
  return value;
}

function invalid(message: string): CadreError {
  return new CadreError('TOOL_ARGUMENTS_INVALID', `edit_file: ${message}.`);
}
