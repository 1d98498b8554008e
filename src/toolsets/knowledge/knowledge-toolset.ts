import { readKnowledge, showToken } from '../../core/team/knowledge.ts';
import type { EffectTool, ToolContext } from '../../core/tool/tool.ts';
import type { ToolsetKind, ToolsetRequest } from '../../core/tool/toolset.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { numberOf, textOf } from '../workspace/arguments.ts';
import { readablePath } from '../workspace/workspace-files.ts';
import { readWorkspaceSettings, workspaceSettingsSchema, type WorkspaceSettings } from '../workspace/workspace-settings.ts';
import { resultPrefix, shownSource, type KnowledgeHit } from './knowledge-index.ts';
import { listKept, readKept } from './read-knowledge.ts';
import { WatchedIndex } from './watched-index.ts';

const { unreadable, max_file_bytes: maxFileBytes } = workspaceSettingsSchema['properties'] as Readonly<Record<string, object>>;

/** Toolset `knowledge`: long tool results by token, and searchable documents of the workspace. */
export const knowledgeToolset: ToolsetKind = {
  kind: 'knowledge',
  description: 'Reads back long results of tools by token, and searches them and documents of the workspace.',
  settings: {
    type: 'object',
    additionalProperties: false,
    properties: { unreadable: { ...unreadable }, max_file_bytes: { ...maxFileBytes } },
  },
  tools: ['read_knowledge', 'list_knowledge', 'index_documents', 'search_knowledge'],
  create: (request) => {
    const settings = readWorkspaceSettings(request);
    return { tools: [...tokenTools(request), ...indexTools(request, settings)] };
  },
};

/** Options shared by all its tools; results are already cut to the requested part. */
const common = { trust: 'untrusted', by_name_only: true, whole_result: true, max_result_chars: 64_000 } as const;
const usualChars = 8_000;

function tokenTools({ name, toolName }: ToolsetRequest): readonly EffectTool[] {
  const read = defineTool({
    ...common,
    name: toolName('read_knowledge'),
    toolset: name,
    effect: 'pure',
    description:
      'Reads a long result back that was shown as a preview with a token like <#KB-00001>: a part of it (from, chars), or, with a query, the lines with these words.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['token'],
      properties: {
        token: { type: 'string', minLength: 1, maxLength: 50, description: 'For example <#KB-00001>.' },
        from: { type: 'integer', minimum: 0, description: 'The first character; 0 when left out.' },
        chars: { type: 'integer', minimum: 1, maximum: 50_000, description: 'How many characters; 8000 when left out.' },
        query: { type: 'string', minLength: 1, maxLength: 500, description: 'Only lines with these words, best ones.' },
      },
    },
    execute: (args, context) =>
      readKept(context, {
        token: textOf(args, 'token') ?? '',
        from: numberOf(args, 'from') ?? 0,
        chars: numberOf(args, 'chars') ?? usualChars,
        query: textOf(args, 'query'),
      }),
  });
  return [read];
}

const tagList = (description: string) => ({
  type: 'array',
  maxItems: 20,
  items: { type: 'string', minLength: 1, maxLength: 100 },
  description,
});

type OpenIndex = (context: ToolContext) => Promise<WatchedIndex>;

function indexTools(request: ToolsetRequest, settings: WorkspaceSettings): readonly EffectTool[] {
  const open: OpenIndex = async ({ live, workspace }) =>
    await live.run.open(`knowledge:${request.name}`, async () => await WatchedIndex.open(workspace, settings));
  return [listKnowledge(request, open), indexDocuments(request, settings, open), searchKnowledge(request, open)];
}

function indexDocuments({ name, toolName }: ToolsetRequest, settings: WorkspaceSettings, open: OpenIndex): EffectTool {
  return defineTool({
    ...common,
    name: toolName('index_documents'),
    toolset: name,
    effect: 'idempotent',
    timeout_ms: 600_000,
    description:
      'Makes text files of the workspace searchable with search_knowledge, and keeps them so: files that change or come later are indexed again by themselves.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      properties: {
        path: { type: 'string', maxLength: 1024, description: 'A folder or file; the workspace when left out.' },
        glob: {
          type: 'string',
          minLength: 1,
          maxLength: 500,
          description: 'Only files like this; *.{md,mdx,txt,rst,py,yaml,yml} when left out.',
        },
        tags: tagList('To search among these documents only.'),
      },
    },
    execute: async (args, context) => {
      const { path } = await readablePath(context.workspace, textOf(args, 'path') ?? '.', settings);
      const watched = await open(context);
      const glob = textOf(args, 'glob') ?? '*.{md,mdx,txt,rst,py,yaml,yml}';
      const { indexed, unchanged, removed, skipped } = await watched.add({ path, glob, tags: texts(args['tags']) }, context.signal);
      const { documents, passages } = watched.index.stats();
      const passed =
        skipped.length === 0
          ? ''
          : ` Passed over: ${skipped.slice(0, 5).join(', ')}${skipped.length > 5 ? ` and ${skipped.length - 5} more` : ''}.`;
      return `Indexed ${indexed} files; ${unchanged} were unchanged, ${removed} are gone. In all: ${documents} documents, ${passages} passages.${passed}`;
    },
  });
}

function searchKnowledge({ name, toolName }: ToolsetRequest, open: OpenIndex): EffectTool {
  return defineTool({
    ...common,
    name: toolName('search_knowledge'),
    toolset: name,
    effect: 'pure',
    description:
      'Full-text search over indexed documents and kept results of tools. Gives the best passages with their source and lines.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['query'],
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 2_000, description: 'Words or a question. No operators.' },
        tags: tagList('Only documents with any of these tags.'),
        sources: tagList('Only these documents, folders or tokens.'),
        limit: { type: 'integer', minimum: 1, maximum: 30, description: 'Most passages; 8 when left out.' },
      },
    },
    execute: async (args, context) => {
      const watched = await open(context);
      await watched.refresh(context.signal);
      const results = `${resultPrefix}${context.runId}/`;
      indexResults(watched, results, context);
      const hits = watched.index.search({
        query: textOf(args, 'query') ?? '',
        limit: numberOf(args, 'limit') ?? 8,
        tags: texts(args['tags']),
        sources: texts(args['sources']).map((source) => source.replace(/^<#(.*)>$/, '$1')),
        results,
      });
      return hits.length === 0 ? nothingFound(watched) : hits.map(showHit).join('\n\n');
    },
  });
}

function listKnowledge({ name, toolName }: ToolsetRequest, open: OpenIndex): EffectTool {
  return defineTool({
    ...common,
    name: toolName('list_knowledge'),
    toolset: name,
    effect: 'pure',
    description:
      'Lists the long results that are kept, with their tokens, the tools they came from and what they were about. With documents: the files that are indexed, with their titles and tags.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      properties: { documents: { type: 'boolean', description: 'true: the indexed documents instead of the kept results.' } },
    },
    execute: async (args, context) => {
      if (args['documents'] !== true) return listKept(context);
      const watched = await open(context);
      await watched.refresh(context.signal);
      return listDocuments(watched);
    },
  });
}

const maxListed = 500;

function listDocuments({ index }: WatchedIndex): string {
  const documents = index.documents(maxListed + 1);
  if (documents.length === 0) return nothingIndexed;
  const lines = documents
    .slice(0, maxListed)
    .map(({ source, title, passages, tags }) =>
      [source, title, `${passages} passages`, ...(tags.length === 0 ? [] : [`tags ${tags.toSorted().join(', ')}`])].join('; '),
    );
  const more = documents.length > maxListed ? ['There are more; search_knowledge looks through all of them.'] : [];
  return [...lines, ...more].join('\n');
}

/** Indexes kept results at the first search. */
function indexResults({ index }: WatchedIndex, prefix: string, { team, stored }: Pick<ToolContext, 'team' | 'stored'>): void {
  const known = index.versions(prefix);
  const fresh = [...readKnowledge(team['shared'])].filter(([token, { hash }]) => known.get(`${prefix}${token}`) !== hash);
  const texts = fresh.flatMap(([token, { hash, tool }]) => {
    const text = stored(hash);
    return text === undefined ? [] : [{ source: `${prefix}${token}`, version: hash, text, tags: ['result', tool] }];
  });
  if (texts.length > 0) index.put(texts);
}

function showHit({ source, line, endLine, heading, text }: KnowledgeHit): string {
  const shown = source.startsWith(resultPrefix) ? showToken(shownSource(source)) : source;
  return `${shown}, lines ${line} to ${endLine}${heading === '' ? '' : `, ${heading}`}\n${text}`;
}

const nothingIndexed = 'Nothing is indexed yet. index_documents makes files of the workspace searchable.';

function nothingFound({ index }: WatchedIndex): string {
  const { documents } = index.stats();
  return documents === 0
    ? nothingIndexed
    : `Nothing found in ${documents} documents. Try other words, or leave tags and sources out.`;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
