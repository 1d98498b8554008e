import path from 'node:path';
import { defineConfig } from 'vite';

/** The page as the package ships it: one HTML file, one script, one stylesheet; nothing from anywhere else. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  // Children as arguments: the script is 800 bytes smaller, gzipped, than with `children` in each call.
  oxc: { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' } },
  build: {
    outDir: process.env['CADRE_PAGE_OUT'] ?? path.join(import.meta.dirname, '..', 'dist', 'page'),
    emptyOutDir: true,
    target: 'es2024',
    // One script: an exported run carries it inside its file.
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: { codeSplitting: false },
      transform: { inject: { h: ['preact', 'h'], Fragment: ['preact', 'Fragment'] } },
    },
  },
});
