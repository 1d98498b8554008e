import type { EffectTool } from '../../core/tool/tool.ts';
import { disposedError, DocumentIndex } from './search/document-index.ts';
import { type DocumentStats } from './document-stats.ts';
import { defaultDocumentLimits, type DocumentLimits } from './document-limits.ts';
import { createReadingTools } from './reading-tools.ts';
import { createReportTool } from './report-tool.ts';

/** Which folder of documents the tools work on. */
export interface DocumentToolsOptions extends Partial<DocumentLimits> {
  /** The folder; relative paths count from the working directory. A function is asked when a tool is first called, and may throw what is missing. */
  readonly root: string | (() => string);
  /** Where `write_report` may write; without it, there is no such tool. */
  readonly outDir?: string;
}

/** The tools over one folder, and the index behind them. */
export interface DocumentTools extends Disposable {
  readonly tools: readonly EffectTool[];
  /** The index, built on first use and shared by all tools; a build that failed is tried again by the next caller. */
  index(): Promise<DocumentIndex>;
  stats(): Promise<DocumentStats>;
  /** Whether anything has been read of the documents yet. */
  readonly isRead: boolean;
}

/**
 * Creates the `documents` toolset (search, read, passages, listing, citation check) over one folder, and `write_report`
 * of the toolset `workspace_reports` when there is an output folder. Nothing is read before the first call.
 */
export function createDocumentTools(options: DocumentToolsOptions): DocumentTools {
  const limits: DocumentLimits = {
    maxFileBytes: options.maxFileBytes ?? defaultDocumentLimits.maxFileBytes,
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
      // A build that failed has told its callers; there is nothing left to close.
      built?.then(
        (ready) => ready.close(),
        () => undefined,
      );
    },
  };
}
