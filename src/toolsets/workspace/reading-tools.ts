import type { JsonObject } from '../../core/json.ts';
import type { EffectTool } from '../../core/tool/tool.ts';
import type { ToolsetRequest } from '../../core/tool/toolset.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { flagOf, numberOf, textOf } from './arguments.ts';
import { listFiles } from './list-files.ts';
import { readFile } from './read-file.ts';
import { searchFiles } from './search-files.ts';
import type { WorkspaceSettings } from './workspace-settings.ts';

const glob = { type: 'string', minLength: 1, maxLength: 500, description: 'Only files like this, e.g. "*.ts" or "src/**/*.md".' };
const hidden = { type: 'boolean', description: 'Also hidden files, node_modules and the like.' };
const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'iso-8859-2',
  'iso-8859-15',
  'windows-1251',
  'gbk',
  'shift_jis',
];

const folder = (description: string) => ({ type: 'string', maxLength: 1024, description });

/** Creates `list_files`, `read_file` and `search_files`. */
export function readingTools(request: ToolsetRequest, settings: WorkspaceSettings): readonly EffectTool[] {
  return [listTool(request, settings), readTool(request, settings), searchTool(request, settings)];
}

function common({ name }: ToolsetRequest, { trust }: WorkspaceSettings) {
  return { toolset: name, effect: 'pure', trust, by_name_only: true, max_result_chars: 70_000 } as const;
}

function listTool(request: ToolsetRequest, settings: WorkspaceSettings): EffectTool {
  return defineTool({
    ...common(request, settings),
    name: request.toolName('list_files'),
    description: 'Lists files and folders of the workspace as a tree, or, with a glob, the paths of all files like it.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      properties: {
        path: folder('The folder; the workspace when left out.'),
        glob,
        depth: { type: 'integer', minimum: 1, maximum: 50, description: 'How many levels deep; 2 when left out.' },
        hidden,
      },
    },
    execute: async (args, { workspace, signal }) => {
      const listed = {
        path: folderOf(args),
        glob: textOf(args, 'glob'),
        depth: numberOf(args, 'depth'),
        hidden: flagOf(args, 'hidden'),
      };
      return await listFiles(listed, { workspace, settings, signal });
    },
  });
}

function readTool(request: ToolsetRequest, settings: WorkspaceSettings): EffectTool {
  return defineTool({
    ...common(request, settings),
    name: request.toolName('read_file'),
    whole_result: true,
    description:
      'Reads a text file of the workspace, whole or some lines of it, as "<number>: <line>"; shows images and PDFs. Says what to do with files that are too long.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['path'],
      properties: {
        path: folder('The file, relative to the workspace.'),
        from_line: { type: 'integer', minimum: 1, description: 'First line; 1 when left out.' },
        to_line: { type: 'integer', minimum: 1, description: 'Last line; the end when left out.' },
        line_numbers: { type: 'boolean', description: 'false: lines without their numbers.' },
        encoding: { enum: encodings, description: 'When it is not UTF-8.' },
      },
    },
    execute: async (args, { workspace, signal }) => {
      const read = {
        path: textOf(args, 'path') ?? '',
        fromLine: numberOf(args, 'from_line'),
        toLine: numberOf(args, 'to_line'),
        lineNumbers: args['line_numbers'] !== false,
        encoding: textOf(args, 'encoding'),
      };
      return await readFile(read, { workspace, settings, signal });
    },
  });
}

function searchTool(request: ToolsetRequest, settings: WorkspaceSettings): EffectTool {
  return defineTool({
    ...common(request, settings),
    name: request.toolName('search_files'),
    description: 'Finds lines with a text or a regular expression in the files of the workspace, as "path:line: text".',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['query'],
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 1_000, description: 'The text, or the pattern when `regex` is true.' },
        regex: { type: 'boolean', description: 'The query is a regular expression (RE2).' },
        ignore_case: { type: 'boolean' },
        path: folder('The folder or file to search; the workspace when left out.'),
        glob,
        context: { type: 'integer', minimum: 0, maximum: 20, description: 'Lines to show around each hit.' },
        max_results: { type: 'integer', minimum: 1, maximum: 1_000, description: 'Most hits; 100 when left out.' },
        hidden,
      },
    },
    execute: async (args, { workspace, signal }) => {
      const searched = {
        query: textOf(args, 'query') ?? '',
        regex: flagOf(args, 'regex'),
        ignoreCase: flagOf(args, 'ignore_case'),
        path: folderOf(args),
        glob: textOf(args, 'glob'),
        context: numberOf(args, 'context') ?? 0,
        maxResults: numberOf(args, 'max_results') ?? 100,
        hidden: flagOf(args, 'hidden'),
      };
      return await searchFiles(searched, { workspace, settings, signal });
    },
  });
}

/** Returns the folder argument; models that leave nothing out pass `""` for the whole workspace. */
function folderOf(args: JsonObject): string {
  const path = textOf(args, 'path') ?? '';
  return path === '' ? '.' : path;
}
