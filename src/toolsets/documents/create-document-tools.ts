import type { EffectTool } from '../../core/tool/tool.ts';
import type { DocumentIndex } from './search/document-index.ts';
import type { DocumentStats } from './document-stats.ts';
import { defaultDocumentLimits, type DocumentLimits } from './document-limits.ts';
import { createReadingTools } from './reading-tools.ts';
import { createDocumentTool, textArgument } from './document-tool.ts';
import type { ReadingProgress } from './search/index-documents.ts';
import { SharedIndex } from './search/shared-index.ts';
import { writeReport } from './write-report.ts';

/** Settings of the document tools: folder, output folder, limits. */
export interface DocumentToolsOptions extends Partial<DocumentLimits> {
  /**
   * Folder of the documents; relative paths count from the working directory. A function is called at the first tool call and may throw
   * when something is missing.
   */
  readonly root: string | (() => string);
  /** Folder for `write_report`; without it, that tool is not offered. */
  readonly outDir?: string;
  /**
   * Private folder that holds the index between processes, so that later ones read only files that changed; created when missing. It
   * holds the words of documents, but no texts. Without it, or when it cannot be written, each process reads all documents.
   */
  readonly cacheDir?: string | undefined;
}

/** The tools of one folder, and the index behind them. */
export interface DocumentTools extends Disposable {
  readonly tools: readonly EffectTool[];
  /** Returns the index, built on first use and shared by all tools; after a failed build, the next call builds again. */
  index(): Promise<DocumentIndex>;
  stats(): Promise<DocumentStats>;
  /** Starts to read documents in the background, so that the first search need not wait for all of it. */
  begin(): void;
  /** Number of files read so far, while documents are being read. */
  readonly progress: ReadingProgress | undefined;
  /** True once any document has been read for a tool. */
  readonly isRead: boolean;
}

/**
 * Creates the `documents` toolset (search, read, passages, listing, citation check) for one folder, and `write_report` of the toolset
 * `workspace_reports` when there is an output folder. Reads nothing before the first call, or `begin`.
 */
export function createDocumentTools(options: DocumentToolsOptions): DocumentTools {
  const limits: DocumentLimits = {
    maxFileBytes: options.maxFileBytes ?? defaultDocumentLimits.maxFileBytes,
    maxPdfBytes: options.maxPdfBytes ?? defaultDocumentLimits.maxPdfBytes,
    maxFiles: options.maxFiles ?? defaultDocumentLimits.maxFiles,
  };
  const shared = new SharedIndex({ root: options.root, limits, cacheDir: options.cacheDir });
  return {
    tools: [...createReadingTools(shared), ...(options.outDir === undefined ? [] : [createReportTool(options.outDir)])],
    index: () => shared.get(),
    stats: async () => (await shared.get()).stats(),
    begin: () => shared.begin(),
    get progress() {
      return shared.progress;
    },
    get isRead() {
      return shared.isUsed;
    },
    [Symbol.dispose]: () => shared[Symbol.dispose](),
  };
}

/** Creates `write_report`, which writes Markdown into one output folder and nowhere else. */
function createReportTool(outDir: string): EffectTool {
  const made = createDocumentTool({
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
  return { ...made, finishes: true };
}
