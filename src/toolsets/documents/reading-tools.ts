import type { JsonObject } from '../../core/json.ts';
import type { EffectTool } from '../../core/tool/tool.ts';
import { checkCitations } from './check-citations.ts';
import type { DocumentIndex } from './search/document-index.ts';
import {
  createDocumentTool,
  numberArgument,
  textArgument,
  textsArgument,
  type DocumentToolOptions,
  maxResultChars,
} from './document-tool.ts';
import { findPassages } from './search/find-passages.ts';
import { listDocuments } from './list-documents.ts';
import { searchDocuments } from './search-documents.ts';
import type { Parameter } from './tool-arguments.ts';
import { readDocument } from './read-document.ts';
import { reportReading } from './reading-progress.ts';
import type { SharedIndex } from './search/shared-index.ts';

const queryParameter: Parameter = {
  type: 'string',
  minLength: 1,
  maxLength: 200_000,
  required: true,
  description: 'Words or a question, in the language of the documents. No operators: everything but words is ignored.',
};
const fileParameter: Parameter = {
  type: 'string',
  minLength: 1,
  maxLength: 4096,
  required: true,
  description: 'Path of the document as search_documents and list_documents give it.',
};

/** Creates the tools that search, read and check documents of an index, which the first call builds. */
export function createReadingTools(shared: SharedIndex): readonly EffectTool[] {
  const create: Create = (options) =>
    createDocumentTool({
      ...options,
      toolset: 'documents',
      effect: 'pure',
      trust: 'untrusted',
      run: async (args, { signal, progress }) => {
        using _ = reportReading(() => shared.progress, progress);
        return await untilAborted(
          shared.use(async (index) => {
            signal.throwIfAborted();
            return await options.run(index, args);
          }),
          signal,
        );
      },
    });
  return [createSearch(create), createRead(create), createPassages(create), createListing(create), createCitationCheck(create)];
}

interface ReadingToolOptions extends Pick<DocumentToolOptions, 'name' | 'description' | 'parameters'> {
  readonly run: (index: DocumentIndex, args: JsonObject) => Promise<string>;
}
type Create = (options: ReadingToolOptions) => EffectTool;

function createSearch(create: Create): EffectTool {
  return create({
    name: 'search_documents',
    description:
      'Full-text search over all documents. Returns JSON: hits, best first, each with file, line, end_line, heading, matched_terms ' +
      'and the text of these lines; missing_terms are words that no document has; note says plainly when nothing was found.',
    parameters: {
      query: queryParameter,
      limit: { type: 'integer', minimum: 1, maximum: 30, description: 'Most hits to return; 8 when left out.' },
      files: { type: 'strings', maxItems: 200, description: 'Only search these documents or folders.' },
      mode: {
        type: 'string',
        maxLength: 3,
        enum: ['any', 'all'],
        description: '"all": only hits with all words; "any" (usual): those first.',
      },
    },
    run: async (index, args) => {
      const files = textsArgument(args, 'files');
      const { hits, note, ...answer } = await searchDocuments(index, {
        query: textArgument(args, 'query') ?? '',
        limit: numberArgument(args, 'limit') ?? 8,
        mode: textArgument(args, 'mode') === 'all' ? 'all' : 'any',
        ...(files === undefined ? {} : { files }),
      });
      return toResultText({ ...answer, note }, 'hits', hits);
    },
  });
}

function createRead(create: Create): EffectTool {
  return create({
    name: 'read_document',
    description: 'Reads lines of a document. Returns a line with file, range and total, then one "<number>: <line>" per line.',
    parameters: {
      file: fileParameter,
      from_line: { type: 'integer', minimum: 1, maximum: 100_000_000, description: 'First line; 1 when left out.' },
      to_line: {
        type: 'integer',
        minimum: 1,
        maximum: 100_000_000,
        description: 'Last line; 120 lines when left out, 400 at most.',
      },
    },
    run: async (index, args) =>
      await readDocument(index, textArgument(args, 'file') ?? '', {
        from: numberArgument(args, 'from_line') ?? 1,
        to: numberArgument(args, 'to_line'),
      }),
  });
}

function createPassages(create: Create): EffectTool {
  return create({
    name: 'find_passages',
    description:
      'Finds the lines of one document that say most about a query, to be cited. Returns JSON: passages, each with file, line, ' +
      'end_line and text, the verbatim text of these lines.',
    parameters: {
      file: fileParameter,
      query: queryParameter,
      limit: { type: 'integer', minimum: 1, maximum: 30, description: 'Most passages to return; 5 when left out.' },
    },
    run: async (index, args) => {
      const limit = numberArgument(args, 'limit') ?? 5;
      const { passages, note, ...answer } = await findPassages(index, {
        file: textArgument(args, 'file') ?? '',
        query: textArgument(args, 'query') ?? '',
        limit,
      });
      return toResultText({ ...answer, note }, 'passages', passages);
    },
  });
}

function createListing(create: Create): EffectTool {
  return create({
    name: 'list_documents',
    description:
      'Lists the documents: folders with counts, files with titles and line counts, and what was left out with the reason (JSON).',
    parameters: {
      folder: { type: 'string', maxLength: 4096, description: 'Only below this folder; everything when left out.' },
      limit: { type: 'integer', minimum: 1, maximum: 500, description: 'Most files to list; 100 when left out.' },
    },
    run: async (index, args) => {
      const { files, note, ...listing } = listDocuments(index, textArgument(args, 'folder'), numberArgument(args, 'limit') ?? 100);
      return toResultText({ ...listing, note }, 'files', files);
    },
  });
}

function createCitationCheck(create: Create): EffectTool {
  return create({
    name: 'check_citations',
    description:
      'Checks the citations of a Markdown report: that the file and line exist and the quotation is there. Forms: a blockquote ' +
      'followed by "— file:line", or "quotation" (file:line). Returns JSON: total, ok, unquoted, problems (citation, reason).',
    parameters: { text: { type: 'string', maxLength: 500_000, required: true, description: 'The report.' } },
    run: async (index, args) => {
      const { problems, ...report } = await checkCitations(index, textArgument(args, 'text') ?? '');
      return toResultText(report, 'problems', problems);
    },
  });
}

/** Waits for a shared promise until the signal aborts, without ending the shared work. */
async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

interface Answer {
  readonly note?: string | undefined;
  readonly [field: string]: unknown;
}

/** Formats an answer as JSON that fits into a tool result: drops items at the end of its list until it does, and `note` says how many. */
function toResultText({ note, ...answer }: Answer, key: string, items: readonly object[]): string {
  for (let kept = items.length; ; kept -= 1) {
    const left = items.length - kept;
    const notes = [
      ...(note === undefined ? [] : [note]),
      ...(left > 0 ? [`${left} more were left out: too much text for one result.`] : []),
    ];
    const text = JSON.stringify({ ...answer, [key]: items.slice(0, kept), ...(notes.length > 0 ? { note: notes.join(' ') } : {}) });
    if (text.length <= maxResultChars || kept === 0) return text;
  }
}
