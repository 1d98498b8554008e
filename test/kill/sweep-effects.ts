import type { ToolEffect } from '../../src/core/tool/tool-effect.ts';

/** What each tool of the bundled team says of itself in the sweep, so that all four effects are at work. */
export const sweepEffects: Readonly<Record<string, ToolEffect>> = {
  search_documents: 'idempotent',
  find_passages: 'verifiable',
  read_document: 'unsafe',
  write_report: 'unsafe',
  check_citations: 'pure',
  list_documents: 'pure',
};
