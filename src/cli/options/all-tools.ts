import type { Tool } from '../../core/tool/tool.ts';
import { createDocumentTools } from '../../toolsets/documents/create-document-tools.ts';

/** The tools that the command line brings along besides the engine's own, to check profiles against; none of them is called. */
export function knownDocumentTools(): readonly Tool[] {
  return createDocumentTools({ root: '.', outDir: '.' }).tools;
}
