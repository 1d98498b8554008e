// The packages that the bundle holds, instead of importing them: what every command loads, and what is read when it is first needed, which
// as many small files takes several times as long. They stay dependencies: a clone without Rolldown runs its sources with them, and audits
// read their versions there.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Packages that are part of the chunks that import them. */
const imported = new Set(['@ai-sdk/openai', '@ai-sdk/openai-compatible', 'commander', 'nanoid']);
/** Packages that the sources read with `load('…')` when they are first needed: a file of their own each, in this folder of dist/. */
const loaded = new Set(['@marcbachmann/cel-js', 're2js', 'yaml']);
const loadedFolder = 'packages';
const require = createRequire(import.meta.url);
const sources = fileURLToPath(new URL('../src', import.meta.url));
/** Licences whose terms are kept by shipping their text. */
const allowed = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']);
/** The file in dist/ with the licences of what is bundled. */
export const licencesFile = 'THIRD-PARTY-LICENSES.txt';

/** True for what the bundle imports when it runs: all packages but the bundled ones, and what these import. */
export function isExternal(id, importer = '') {
  if (id.startsWith('.') || path.isAbsolute(id) || packageName(importer) !== undefined) return false;
  const name = packageName(id);
  return !imported.has(name) && !loaded.has(name);
}

/** Returns the entries of the packages that have a file of their own, by the name of that file. */
export function packageEntries() {
  return Object.fromEntries([...loaded].map((name) => [fileOf(name), `${virtual}${name}`]));
}

/** Returns the entry of the package on demand that a file is of; undefined for other files. */
export function packageOnDemand(file) {
  const name = packageName(file);
  return loaded.has(name) ? fileOf(name) : undefined;
}

const virtual = 'cadre-package:';

function fileOf(name) {
  return `${loadedFolder}/${name.replaceAll('/', '-').replace('@', '')}`;
}

/** Makes each package that is loaded on demand an entry with all it exports, and `load('…')` read the file of that entry. */
export function packagesOnDemand() {
  return {
    name: 'packages-on-demand',
    resolveId: { filter: { id: /^cadre-package:/ }, handler: (id) => id },
    load: {
      filter: { id: /^cadre-package:/ },
      handler: (id) => {
        const name = id.slice(virtual.length);
        const names = Object.keys(require(name)).filter(
          (each) => /^[A-Za-z_$][\w$]*$/.test(each) && each !== 'default' && each !== '__esModule',
        );
        return `export { ${names.join(', ')} } from ${JSON.stringify(name)};`;
      },
    },
    transform: {
      filter: { code: /\bload\('/ },
      handler(code, id) {
        const folder = path.dirname(path.relative(sources, id)).replaceAll(path.sep, '/');
        const to = (name) => `./${path.posix.relative(folder, fileOf(name))}.js`;
        const rendered = code.replaceAll(/\bload\('([^']+)'\)/g, (call, name) =>
          loaded.has(name) ? `load(${JSON.stringify(to(name))})` : call,
        );
        return rendered === code ? null : { code: rendered, map: null };
      },
    },
  };
}

/** Returns the name of the package that an import or a file is of; undefined for a file of the project. */
export function packageName(id) {
  const [, inPackages] = id.match(/.*[\\/]node_modules[\\/](.*)/) ?? [];
  if (inPackages === undefined && (id.startsWith('.') || path.isAbsolute(id))) return undefined;
  const parts = (inPackages ?? id).split(/[\\/]/);
  return parts.slice(0, id.includes('@') && parts[0]?.startsWith('@') ? 2 : 1).join('/');
}

/** Returns the folders of the packages that the given files are of. */
export function packageFolders(files) {
  const folders = files.flatMap((file) => file.match(/.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/)?.[0] ?? []);
  return [...new Set(folders)].toSorted();
}

/** Returns the folders of the packages that the page is built with: those it imports, and those that these depend on. */
export function pagePackageFolders() {
  const web = fileURLToPath(new URL('../web', import.meta.url));
  const files = globSync('**/*.{ts,tsx}', { cwd: web, exclude: ['vite.config.ts'] });
  const names = new Set(
    files.flatMap((file) =>
      [...readFileSync(path.join(web, file), 'utf8').matchAll(/ from '([^.'][^']*)'/g)].map(([, id]) => packageName(id)),
    ),
  );
  const folderOf = (name) => path.join(web, '..', 'node_modules', name);
  // What is added is looked at, too.
  for (const name of names)
    for (const each of Object.keys(JSON.parse(readFileSync(path.join(folderOf(name), 'package.json'), 'utf8')).dependencies ?? {}))
      names.add(each);
  return [...names].map(folderOf);
}

/** Returns the text that the licences of packages ask for. Throws for a licence with other terms, or none. */
export function licenceTexts(folders) {
  const texts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    if (!allowed.has(license))
      throw new Error(`${name} is under ${license}, and cannot be bundled; bundled are packages under ${[...allowed].join(', ')}`);
    const file = readdirSync(folder).find((each) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(each));
    // The text of this licence is the same for all, and Cadre has it; most packages have only a notice that refers to it.
    const isApache = license === 'Apache-2.0';
    if (file === undefined && !isApache) throw new Error(`${name} cannot be bundled: it has no file with its licence (${license})`);
    const notice = path.join(folder, 'NOTICE');
    const files = [...(file === undefined ? [] : [path.join(folder, file)]), ...(existsSync(notice) ? [notice] : [])];
    const parts = files.map((each) => readFileSync(each, 'utf8').trim());
    if (isApache) parts.push('The Apache License, Version 2.0, is in the file LICENSE of Cadre.');
    return `${name} ${version} (${license})\n\n${parts.join('\n\n')}\n`;
  });
  return `Cadre's files contain code of these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
