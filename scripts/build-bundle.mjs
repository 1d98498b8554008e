// Builds dist/: the command line, the package's entry points and the programs of worker threads and child processes, as few files. With
// --if-stale, only when the bundle is not of the sources as they are; with --clean, without what earlier builds left. An install without devDependencies has no Rolldown: such a clone
// runs its sources.
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { bundleIsCurrent, fingerprintOf, fingerprintsFile } from '../bin/current-bundle.mjs';
import { builtinsByName } from './bundle-builtins.mjs';
import {
  isExternal,
  licencesFile,
  licenceTexts,
  packageEntries,
  packageFolders,
  packageName,
  packageOnDemand,
  packagesOnDemand,
  pagePackageFolders,
} from './bundle-packages.mjs';
import { treesOfConstants } from './bundle-trees.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const sources = path.join(root, 'src');
/** Chunks of an earlier build are kept this long in a clone: a process that runs may still import them. */
const keepMs = 24 * 60 * 60 * 1000;
const chunkFolder = 'chunks';

async function buildFromCommandLine() {
  if (process.argv.includes('--if-stale') && bundleIsCurrent(root)) return;
  if (!isInstalled('rolldown')) {
    process.stderr.write('The bundle was not built: Rolldown is a devDependency, and is not installed.\n');
    return;
  }
  await buildBundle(path.join(root, 'dist'), process.argv.includes('--clean') ? 0 : keepMs);
}

/** Writes the bundle into a folder. Files of an earlier build that are older than `keep` milliseconds are removed. */
export async function buildBundle(out, keep = 0) {
  rmSync(path.join(out, fingerprintsFile), { force: true });
  const began = Date.now();
  // Taken before the sources are read: what changes meanwhile makes the bundle stale.
  const before = new Map(allSources().map((file) => [file, fingerprintOf(file)]));
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: { ...entries(), ...packageEntries() },
    cwd: root,
    platform: 'node',
    // Other packages stay packages: they are large, load much that is not needed, or may be missing.
    external: isExternal,
    resolve: { extensions: ['.ts', '.js'] },
    transform: { target: 'esnext' },
    plugins: [packagesOnDemand(), treesOfConstants(sources, allSources()), placesOfModules(), builtinsByName()],
    onLog: (level, log, pass) => {
      // Modules that are loaded lazily by some and at once by others are meant to be.
      if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') pass(level === 'warn' ? 'error' : level, log);
    },
  });
  const { output } = await bundle.write({
    dir: out,
    format: 'es',
    entryFileNames: '[name].js',
    chunkFileNames: `${chunkFolder}/[name]-[hash].js`,
    hashCharacters: 'base36',
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: { legal: true, annotation: false, jsdoc: false },
    codeSplitting: { groups: groupsOf(programs()) },
  });
  await bundle.close();
  await writeValidators(out);
  await writeParsedTexts(out);
  removeOld(out, new Set(output.map(({ fileName }) => fileName)), began - keep);
  const used = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : [])).filter((id) => path.isAbsolute(id));
  const packages = packageFolders(used);
  write(out, licencesFile, licenceTexts([...new Set([...packages, ...pagePackageFolders()])].toSorted()));
  // Of a package, the file with its version tells enough.
  const made = [...new Set(used.filter((id) => before.has(id))), ...packages.map((folder) => path.join(folder, 'package.json'))];
  const lines = made.toSorted().map((file) => `${before.get(file) ?? fingerprintOf(file)} ${path.relative(root, file)}\n`);
  write(out, fingerprintsFile, lines.join(''));
}

/** Every file that is started or imported by its name, at the place it has below src: entry points and programs. */
function entries() {
  const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const named = Object.values(exports).flatMap((to) => (typeof to === 'string' ? [] : [to.default]));
  const names = [...named.map((file) => file.replace(/^\.\/dist\/(.*)\.js$/, '$1')), 'cli/main', ...programs()];
  return Object.fromEntries(names.map((name) => [name, path.join(sources, `${name}.ts`)]));
}

/** The programs of worker threads and child processes, which the sources name with `new URL`. */
function programs() {
  const found = allSources().flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^(?! \*).*new URL\('(\.[^']+)', import\.meta\.url\)/gm)].map(([, to]) =>
      path.relative(sources, path.join(path.dirname(file), to)).replaceAll(path.sep, '/'),
    ),
  );
  return found.filter((name) => existsSync(path.join(sources, `${name}.ts`)));
}

/**
 * Puts modules that are loaded together into one chunk, instead of one for each set of entries that share them. A chunk needs those before
 * it at most: a program of a thread loads the first, importing the package the first two.
 */
function groupsOf(programNames) {
  const shared = closure(['cli/main', ...programNames]);
  // Packages are read only where they are needed.
  const readsPackage = (file) =>
    [...closure([path.relative(sources, file).slice(0, -3)])].some(
      (each) => isPackage(each) || /^import [^t].* from '(?!\.|node:)/m.test(readFileSync(each, 'utf8')),
    );
  const commands = closure(['cli/main']);
  const reading = closure(['journal/sqlite/sqlite-journal', 'cli/commands/reading/runs', 'cli/commands/reading/turns']);
  const engine = closure([
    'engine/create-engine',
    'engine/check-engine-options',
    'profiles/compile-profile-files',
    'journal/memory-journal',
  ]);
  const guard = closure(['toolsets/sandbox/sweep-program']);
  const chunks = {
    base: new Set([...closure(['index'])].filter((file) => shared.has(file) && !isPackage(file) && !readsPackage(file))),
    index: closure(['index']),
    // A sandbox is swept without commands, and a command that reads sweeps none.
    files: new Set([...guard].filter((file) => commands.has(file) || reading.has(file))),
    guard,
    // A program that uses the package needs no command, and a command that reads no engine: what both need is a chunk of its own.
    common: new Set([...engine].filter((file) => commands.has(file) || reading.has(file))),
    cli: commands,
    reading,
    profiles: closure(['profiles/compile-profile-files', 'engine/recovery/facts-of-run']),
    engine,
    running: closure(['cli/commands/running/run']),
  };
  // An entry that waits at its top level must not hold what others need.
  const entryFiles = new Set([...programNames, 'index', 'cli/main'].map((name) => path.join(sources, `${name}.ts`)));
  const ofProject = Object.entries(chunks).map(([name, modules], index) => ({
    name,
    priority: 10 - index,
    test: (id) => modules.has(packageName(id) ?? id) && !entryFiles.has(id),
  }));
  // Else they would be part of the first chunk that needs one.
  const ofPackages = Object.keys(packageEntries()).map((entry) => ({
    name: path.basename(entry),
    priority: 11,
    test: (id) => packageOnDemand(id) === entry,
  }));
  return [...ofPackages, ...ofProject];
}

/** The modules that are loaded with the given ones, and the names of bundled packages. */
function closure(names) {
  const found = new Set(names.map((name) => path.join(sources, `${name}.ts`)));
  for (const file of found) {
    if (isPackage(file)) continue;
    const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export)\s(?!type\s)[^'"`;]*?from\s+'([^']+)'/gm);
    for (const [, to] of imports)
      if (to.startsWith('.')) found.add(path.join(path.dirname(file), to));
      else if (!isExternal(to)) found.add(packageName(to));
  }
  return found;
}

function isPackage(module) {
  return !path.isAbsolute(module);
}

/**
 * Keeps `import.meta.url` and `import.meta.dirname` what they are in an unbundled build, `dist/` with the same folders as `src/`: files
 * are found from there, whatever chunk the code lies in.
 */
function placesOfModules() {
  return {
    name: 'places-of-modules',
    transform: {
      filter: { code: 'import.meta' },
      handler(code, id) {
        const place = path.relative(sources, id).replaceAll(path.sep, '/').replace(/\.ts$/, '.js');
        return {
          code: code
            .replaceAll('import.meta.url', `__placeOfFile(${JSON.stringify(place)})`)
            .replaceAll('import.meta.dirname', `__placeOfFolder(${JSON.stringify(path.posix.dirname(place))})`),
          map: null,
        };
      },
    },
    renderChunk(code, { fileName }) {
      const from = path.posix.dirname(fileName);
      const rendered = code
        .replaceAll(
          /__placeOfFile\("([^"]+)"\)/g,
          (_, place) => `new URL(${JSON.stringify(relative(from, place))}, import.meta.url).href`,
        )
        .replaceAll(
          /__placeOfFolder\("([^"]+)"\)/g,
          (_, place) => `(import.meta.dirname + ${JSON.stringify(`/${relative(from, place)}`)})`,
        );
      return rendered === code ? null : { code: rendered, map: null };
    },
  };
}

function relative(from, to) {
  return path.posix.relative(from, to) || '.';
}

/** Compiles the schemas of profile files, so that no process does. */
async function writeValidators(out) {
  const { shapeSchemas, shapeOptions } = await import(sourceUrl('profiles/schema/shape-schemas.ts'));
  const { Ajv } = await import('ajv');
  const { default: standalone } = await import('ajv/dist/standalone/index.js');
  const { minifySync } = await import('rolldown/utils');
  const ajv = new Ajv({ ...shapeOptions, code: { source: true } });
  for (const [kind, schema] of Object.entries(shapeSchemas)) ajv.addSchema(schema, kind);
  const code = standalone.default(ajv, Object.fromEntries(Object.keys(shapeSchemas).map((kind) => [kind, kind])));
  write(
    out,
    'profiles/schema/built-validators.cjs',
    minifySync('built-validators.cjs', code, { compress: false, module: false }).code,
  );
}

/** Parses the files of the bundled teams. They are found by their text: one that is edited is parsed as others are. */
async function writeParsedTexts(out) {
  const { parseYaml } = await import(sourceUrl('profiles/yaml/parse-yaml.ts'));
  const { packNode, parsedName } = await import(sourceUrl('profiles/yaml/parsed-texts.ts'));
  const { SourceText } = await import(sourceUrl('profiles/yaml/source-text.ts'));
  const { fileKindOf } = await import(sourceUrl('profiles/files/file-kind.ts'));
  const { checkScript } = await import(sourceUrl('profiles/compile/checks/check-script.ts'));
  const { Report } = await import(sourceUrl('profiles/report.ts'));
  const teams = path.join(root, 'agent_profiles');
  const texts = globSync('**/*.yaml', { cwd: teams })
    // Tests are read by `cadre test` alone.
    .filter((name) => !name.endsWith('.test.yaml'))
    .toSorted()
    .map((name) => [name, readFileSync(path.join(teams, name), 'utf8')]);
  const packed = texts.flatMap(([name, text]) => {
    const report = new Report();
    const node = parseYaml(new SourceText('', text), report);
    if (node === undefined || report.diagnostics.length > 0 || hasAlias(node)) return [];
    const tree = packNode(node);
    // A number that JSON does not have.
    if (!isDeepStrictEqual(JSON.parse(JSON.stringify(tree)), tree)) return [];
    const isScript = node.kind === 'map' && fileKindOf(name, node) === 'script';
    if (isScript) checkScript(report, node);
    return [[parsedName(text), { node: tree, ...(isScript && report.diagnostics.length === 0 ? { isGoodScript: true } : {}) }]];
  });
  const folder = 'profiles/yaml/parsed';
  rmSync(path.join(out, folder), { recursive: true, force: true });
  for (const [name, parsed] of packed) write(out, `${folder}/${name}`, JSON.stringify(parsed));
}

/** True when a node stands in two places. */
function hasAlias(node, seen = new Set()) {
  if (seen.has(node)) return true;
  seen.add(node);
  const inside =
    node.kind === 'list' ? node.items : node.kind === 'map' ? [...node.entries.values()].map(({ value }) => value) : [];
  return inside.some((each) => hasAlias(each, seen));
}

function sourceUrl(name) {
  return pathToFileURL(path.join(sources, name)).href;
}

function write(out, name, text) {
  mkdirSync(path.dirname(path.join(out, name)), { recursive: true });
  writeFileSync(path.join(out, name), text);
}

function removeOld(out, written, before) {
  for (const name of globSync('**/*.{js,map,d.ts}', { cwd: out, exclude: ['page', 'page/**'] })) {
    const file = path.join(out, name);
    if (written.has(name.replaceAll(path.sep, '/'))) continue;
    if (statSync(file).mtimeMs <= before) rmSync(file);
  }
}

function allSources() {
  return readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(sources, name));
}

function isInstalled(name) {
  try {
    createRequire(pathToFileURL(path.join(root, 'package.json'))).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}

if (import.meta.filename === process.argv[1]) await buildFromCommandLine();
