// Builds the page of `cadre serve` into dist/page, and as one script for exported runs into dist/page/file. With --if-stale, only when its sources are younger than what is there. An
// install without devDependencies has no Vite: such a folder serves without a page, and the server says so.
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const page = path.join(root, 'dist', 'page');
/** What the page is made of. */
const sources = ['web', 'src/core', 'src/inspect', 'package-lock.json'];

if (process.argv.includes('--if-stale') && isFresh()) process.exit(0);
if (!isInstalled('vite')) {
  process.stderr.write('The page was not built: Vite is a devDependency, and is not installed.\n');
  process.exit(0);
}
await build();

async function build() {
  // Whoever is served meanwhile sees all of the old page, or all of the new one.
  const fresh = `${page}.${process.pid}`;
  process.env.CADRE_PAGE_OUT = fresh;
  // Tests build it as it is shipped, too.
  process.env.NODE_ENV = 'production';
  const vite = await import('vite');
  const config = { configFile: path.join(root, 'web', 'vite.config.ts'), logLevel: 'warn' };
  await vite.build(config);
  process.env.CADRE_PAGE_OUT = path.join(fresh, 'file');
  process.env.CADRE_PAGE_FOR_FILE = '1';
  await vite.build(config);
  const old = `${fresh}.old`;
  if (existsSync(page)) renameSync(page, old);
  try {
    renameSync(fresh, page);
  } catch {
    // Somebody else built it in the same moment, from the same sources.
    rmSync(fresh, { recursive: true, force: true });
  }
  rmSync(old, { recursive: true, force: true });
}

function isFresh() {
  const built = path.join(page, 'file', 'index.html');
  return existsSync(built) && sources.every((source) => youngest(path.join(root, source)) <= statSync(built).mtimeMs);
}

function youngest(file) {
  if (!existsSync(file)) return 0;
  const { mtimeMs } = statSync(file);
  if (!statSync(file).isDirectory()) return mtimeMs;
  return readdirSync(file).reduce((latest, name) => Math.max(latest, youngest(path.join(file, name))), mtimeMs);
}

function isInstalled(name) {
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}
