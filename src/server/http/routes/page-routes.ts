import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from 'hono';
import type { Routes } from '../routes.ts';

/** Folder of the page build, in the package or in a clone. */
const pageFolder = path.join(import.meta.dirname, '..', '..', '..', '..', 'dist', 'page');

/** Media types of the page's files by extension; other files are not served. */
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Names of built files: no folders, no hidden files, no path out of the folder. */
const assetName = /^[A-Za-z0-9_][\w.-]*$/;

const notBuilt = `The page of this server was not built. In a clone of Cadre, build it with: npm run build:page
The API still answers: /api/runs
`;

/** Adds the page and the files it loads. */
export function addPageRoutes(routes: Routes, folder = pageFolder): void {
  const page = async (context: Context): Promise<Response> => {
    const html = await contentOf(path.join(folder, 'index.html'));
    if (html === undefined) return context.text(notBuilt, 503);
    // File names change with their contents; the page itself is revalidated each time.
    context.header('Cache-Control', 'no-cache');
    return context.body(html, 200, { 'Content-Type': 'text/html; charset=utf-8' });
  };
  routes.get('/', page);
  routes.get('/index.html', page);
  routes.get('/assets/:name', async (context, next) => {
    const name = context.req.param('name');
    const type = types[path.extname(name)];
    const content = type !== undefined && assetName.test(name) ? await contentOf(path.join(folder, 'assets', name)) : undefined;
    if (content === undefined || type === undefined) return await next();
    context.header('Cache-Control', 'public, max-age=31536000, immutable');
    return context.body(content, 200, { 'Content-Type': type });
  });
}

async function contentOf(file: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    return await readFile(file);
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return undefined;
    throw thrown;
  }
}
