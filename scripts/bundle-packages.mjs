// The packages that the bundle holds, instead of importing them: small ones without dependencies that every command loads, which as files of
// their own cost a tenth of a start. They stay dependencies: a clone without Rolldown runs its sources with them, and audits read their
// versions there.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const bundled = new Set(['@marcbachmann/cel-js', 'commander', 'nanoid', 're2js']);
/** Licences whose terms are kept by shipping their text. */
const allowed = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']);
/** The file in dist/ with the licences of what is bundled. */
export const licencesFile = 'THIRD-PARTY-LICENSES.txt';

/** True for what the bundle imports when it runs: all packages but the bundled ones. */
export function isExternal(id) {
  if (id.startsWith('.') || path.isAbsolute(id)) return false;
  return !bundled.has(packageName(id));
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

/** Returns the text that the licences of packages ask for. Throws for a licence with other terms, or none. */
export function licenceTexts(folders) {
  const texts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    if (!allowed.has(license))
      throw new Error(`${name} is under ${license}, and cannot be bundled; bundled are packages under ${[...allowed].join(', ')}`);
    const file = readdirSync(folder).find((each) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(each));
    if (file === undefined) throw new Error(`${name} cannot be bundled: it has no file with its licence (${license})`);
    const notice = path.join(folder, 'NOTICE');
    const parts = [path.join(folder, file), ...(existsSync(notice) ? [notice] : [])].map((each) =>
      readFileSync(each, 'utf8').trim(),
    );
    return `${name} ${version} (${license})\n\n${parts.join('\n\n')}\n`;
  });
  return `Cadre's files contain code of these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
