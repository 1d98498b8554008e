import type { ASTNode } from '@marcbachmann/cel-js';

/**
 * Trees of Cadre's own conditions by their source, so that a process whose profiles have no others needs no parser. The bundle has them
 * (`scripts/bundle-trees.mjs`); there are none when running from source.
 */
export const builtTrees: ReadonlyMap<string, ASTNode> = new Map([]);
