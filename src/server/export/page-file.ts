import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { CadreError } from '../../core/error.ts';
import type { RunBundle } from '../../inspect/bundle.ts';

/** Length in characters from which the run is compressed. */
const packedFrom = 256 * 1024;

/**
 * Builds a page with one run inside as one file that needs neither server nor network. Its content policy allows only its own
 * script and stylesheet; the run is data that no browser parses as markup. Fails with DEPENDENCY_MISSING when the page was not built.
 */
export async function toPageFile(bundle: RunBundle): Promise<string> {
  const { script, style, body } = await readPage(pageFolder());
  const json = JSON.stringify(bundle);
  const isPacked = json.length >= packedFrom;
  const data = isPacked ? (await promisify(gzip)(json)).toString('base64') : inertJson(json);
  const policy = [
    "default-src 'none'",
    `script-src '${sourceHash(script)}'`,
    `style-src '${sourceHash(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(bundle.run.title.slice(0, 200))} · Cadre</title>`,
    '<link rel="icon" href="data:,">',
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    body,
    `<script type="application/json" id="cadre-run"${isPacked ? ' data-encoding="gzip"' : ''}>${data}</script>`,
    `<script type="module">${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

interface Page {
  readonly script: string;
  readonly style: string;
  /** Content of the body: the element the page renders into, and a text for browsers without scripts. */
  readonly body: string;
}

async function readPage(folder: string): Promise<Page> {
  const index = await readFile(path.join(folder, 'index.html'), 'utf8');
  const read = async (pattern: RegExp): Promise<string> => {
    const name = pattern.exec(index)?.[1];
    if (name === undefined) throw notBuilt(`${folder} holds another page than this version builds`);
    return await readFile(path.join(folder, name), 'utf8');
  };
  const script = await read(/<script[^>]*\bsrc="\.\/([\w./-]+)"/);
  const style = await read(/<link[^>]*\bhref="\.\/([\w./-]+\.css)"/);
  const body = /<body>([^]*?)<\/body>/.exec(index)?.[1]?.trim() ?? '';
  return { script: inertScript(script), style: style.replaceAll('</style', '<\\/style'), body };
}

/** Returns the folder of the single-script page build, in the package or in a clone. */
function pageFolder(): string {
  const folder = path.join(import.meta.dirname, '..', '..', '..', 'dist', 'page', 'file');
  if (existsSync(path.join(folder, 'index.html'))) return folder;
  throw notBuilt('the page was not built');
}

function notBuilt(why: string): CadreError {
  return new CadreError(
    'DEPENDENCY_MISSING',
    `${why}: build it with npm run build:page, or export the run as JSON (-o run.json), which needs no page`,
  );
}

/** Escapes `</script` and `<!--` in strings of a script, so that they cannot end or hide the markup around it. */
function inertScript(script: string): string {
  return script.replaceAll(/<(\/script|!--)/gi, '\\x3C$1');
}

/** Escapes every character of JSON that could end its element. */
function inertJson(json: string): string {
  return json.replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

function sourceHash(source: string): string {
  return `sha256-${hash('sha256', source, 'base64')}`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => entities[mark] ?? mark);
}
