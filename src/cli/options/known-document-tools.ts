import type { Tool } from '../../core/tool/tool.ts';
import { createDocumentTools } from '../../toolsets/documents/create-document-tools.ts';

/** Returns the tools that the command line adds to the engine's own, for checking profiles; none of them is called. */
export function knownDocumentTools(): readonly Tool[] {
  return createDocumentTools({ root: '.', outDir: '.' }).tools;
}
