import type { EffectTool } from '../../core/tool/tool.ts';
import { disposedError, DocumentIndex } from './search/document-index.ts';
import type { DocumentStats } from './document-stats.ts';
import { defaultDocumentLimits, type DocumentLimits } from './document-limits.ts';
import { createReadingTools } from './reading-tools.ts';
import { createDocumentTool, textArgument } from './document-tool.ts';
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
}

/** The tools of one folder, and the index behind them. */
export interface DocumentTools extends Disposable {
  readonly tools: readonly EffectTool[];
  /** Returns the index, built on first use and shared by all tools; after a failed build, the next call builds again. */
  index(): Promise<DocumentIndex>;
  stats(): Promise<DocumentStats>;
  /** True once any document has been read. */
  readonly isRead: boolean;
}

/**
 * Creates the `documents` toolset (search, read, passages, listing, citation check) for one folder, and `write_report` of the toolset
 * `workspace_reports` when there is an output folder. Reads nothing before the first call.
 */
export function createDocumentTools(options: DocumentToolsOptions): DocumentTools {
  const limits: DocumentLimits = {
    maxFileBytes: options.maxFileBytes ?? defaultDocumentLimits.maxFileBytes,
    maxPdfBytes: options.maxPdfBytes ?? defaultDocumentLimits.maxPdfBytes,
    maxFiles: options.maxFiles ?? defaultDocumentLimits.maxFiles,
  };
  let built: Promise<DocumentIndex> | undefined;
  const disposal = new AbortController();

  const index = async (): Promise<DocumentIndex> => {
    if (disposal.signal.aborted) throw disposedError();
    const root = typeof options.root === 'string' ? options.root : options.root();
    const building = (built ??= DocumentIndex.build(root, limits, disposal.signal));
    try {
      return await building;
    } catch (error) {
      if (built === building) built = undefined;
      throw error;
    }
  };

  return {
    tools: [...createReadingTools(index), ...(options.outDir === undefined ? [] : [createReportTool(options.outDir)])],
    index,
    stats: async () => (await index()).stats(),
    get isRead() {
      return built !== undefined;
    },
    [Symbol.dispose]: () => {
      disposal.abort(disposedError());
      // A failed build has reported its error to its callers; there is nothing left to close.
      built?.then(
        (ready) => ready.close(),
        () => undefined,
      );
    },
  };
}

/** Creates `write_report`, which writes Markdown into one output folder and nowhere else. */
function createReportTool(outDir: string): EffectTool {
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
