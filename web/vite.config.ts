import path from 'node:path';
import { defineConfig } from 'vite';

/** True for the build of exported runs, with one script inside the file; the server's page loads the script of turns separately. */
const isForFile = process.env['CADRE_PAGE_FOR_FILE'] === '1';

/** Constants that late scripts share; a script of their own would cost a request. */
const shared = path.join(import.meta.dirname, '..', 'src', 'core', 'tool', 'wait-for.ts');

/** True for modules that the page begins with: those that its entry reaches without a dynamic import. */
function isInFirst(id: string, graph: ModuleGraph): boolean {
  if (path.normalize(id) === shared) return true;
  const seen = new Set([id]);
  for (const each of seen) {
    const info = graph.getModuleInfo(each);
    if (info?.isEntry === true) return true;
    for (const importer of info?.importers ?? []) seen.add(importer);
  }
  return false;
}

/** What the bundler knows of the modules. */
interface ModuleGraph {
  getModuleInfo(id: string): { readonly isEntry: boolean; readonly importers: readonly string[] } | null;
}

/** Page as the package ships it: one HTML file, its scripts, one stylesheet, nothing from other servers. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  // Children as arguments: the script is 800 bytes smaller, gzipped, than with `children` in each call.
  oxc: { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' } },
  build: {
    outDir: process.env['CADRE_PAGE_OUT'] ?? path.join(import.meta.dirname, '..', 'dist', 'page'),
    emptyOutDir: true,
    target: 'es2024',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      // Without the group, what several late scripts share with the first one would be a script that the first one waits for.
      output: {
        codeSplitting: isForFile
          ? false
          : { groups: [{ debugName: 'index', name: (id, graph) => (isInFirst(id, graph) ? 'index' : null) }] },
      },
      transform: { inject: { h: ['preact', 'h'], Fragment: ['preact', 'Fragment'] } },
    },
  },
});
