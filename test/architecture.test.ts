import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const src = path.join(import.meta.dirname, '..', 'src');

/** Which folders of `src` a folder may import, besides itself. The house is a star around `core`. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  profiles: ['core'],
  ingestors: ['core'],
  observers: ['core'],
  nodes: ['core'],
  models: ['core'],
  files: ['core'],
  journal: ['core', 'files'],
  otel: ['core'],
  restate: ['core'],
  inspect: ['core'],
  tools: ['core'],
  toolsets: ['core', 'files', 'tools'],
  team: ['core', 'tools'],
  compat: ['core', 'profiles'],
  engine: [
    'core',
    'files',
    'profiles',
    'ingestors',
    'observers',
    'tools',
    'toolsets',
    'team',
    'nodes',
    'models',
    'journal',
    'inspect',
  ],
  testing: ['core', 'files', 'models', 'engine', 'journal', 'inspect', 'profiles', 'nodes', 'tools'],
  server: ['core', 'files', 'engine', 'inspect', 'journal', 'profiles', 'tools', 'team'],
  cli: [
    'core',
    'files',
    'engine',
    'inspect',
    'journal',
    'profiles',
    'tools',
    'toolsets',
    'models',
    'server',
    'compat',
    'testing',
    'restate',
  ],
  // The package's entry points: they name what is public and hold nothing else.
  '': [
    'core',
    'profiles',
    'ingestors',
    'observers',
    'tools',
    'toolsets',
    'nodes',
    'models',
    'journal',
    'inspect',
    'engine',
    'testing',
  ],
};

/** Files a room holds at most; a folder that outgrows it is two rooms. */
const roomSize = 25;

/** What pure folders may import from outside the project. */
const outsideOf: Readonly<Record<string, readonly string[]>> = {
  // Both are read when they are first needed.
  core: ['@marcbachmann/cel-js', 're2js', 'node:module'],
  nodes: [],
  // Immer is read when it is first needed.
  observers: ['immer', 'node:module'],
  ingestors: [],
  inspect: [],
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const imports: Import[] = files.flatMap((name) => importsOf(name));

function importsOf(name: string): Import[] {
  const text = readFileSync(path.join(src, name), 'utf8');
  const found: Import[] = [];
  for (const match of text.matchAll(/^(?:import|export)\s+(type\s)?[^'"`;]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)/gm)) {
    const to = match[2] ?? match[3] ?? '';
    found.push({ from: name, to: to.startsWith('.') ? path.join(path.dirname(name), to) : to, typeOnly: match[1] !== undefined });
  }
  return found;
}

const web = path.join(import.meta.dirname, '..', 'web');
const pageFiles = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter(
  (name) => /\.(tsx?|css)$/.test(name) && name !== 'vite.config.ts',
);
const isOfPage = (name: string): boolean => /^(web|src\/core|src\/inspect)\//.test(name);

const folderOf = (name: string): string => (name.includes('/') ? (name.split('/')[0] ?? '') : '');

describe('architecture', () => {
  it('every folder imports only what the table allows', () => {
    const wrong = imports
      .filter(({ to }) => to.endsWith('.ts'))
      .filter(({ from, to }) => folderOf(from) !== folderOf(to) && !(mayImport[folderOf(from)] ?? []).includes(folderOf(to)))
      .map(({ from, to }) => `${from} → ${to}`);
    expect(wrong).toEqual([]);
  });

  it('every folder of src stands in the table', () => {
    expect([...new Set(files.map(folderOf))].filter((folder) => !(folder in mayImport))).toEqual([]);
  });

  it('pure folders import nothing from outside but what they are allowed', () => {
    const wrong = imports
      .filter(({ from, to, typeOnly }) => !typeOnly && !to.endsWith('.ts') && folderOf(from) in outsideOf)
      .filter(({ from, to }) => !(outsideOf[folderOf(from)] ?? []).includes(to))
      .map(({ from, to }) => `${from} → ${to}`);
    expect(wrong).toEqual([]);
  });

  it('core uses no clock, randomness, timers, network or files', () => {
    const banned = /\b(Date\.now|new Date\(\)|Math\.random|setTimeout|setInterval|setImmediate|fetch\(|crypto\.|process\.)/;
    const wrong = files
      .filter((name) => folderOf(name) === 'core')
      .flatMap((name) =>
        readFileSync(path.join(src, name), 'utf8')
          .split('\n')
          .flatMap((line, index) =>
            banned.test(line.replace(/\/\*.*?\*\/|\/\/.*|^\s*\*.*/g, '')) ? [`${name}:${index + 1}`] : [],
          ),
      );
    expect(wrong).toEqual([]);
  });

  it('JSON is parsed by `readJson`, since V8 may mistake a key', () => {
    // What is shipped with the package, and has no escaped key.
    const allowed = ['core/read-json.ts', 'profiles/yaml/parsed-texts.ts'];
    const parsing = files.filter((name) =>
      readFileSync(path.join(src, name), 'utf8').replaceAll('`JSON.parse`', '').includes('JSON.parse'),
    );
    expect(parsing.toSorted()).toEqual(allowed);
  });

  it('no import cycles, of types neither', () => {
    expect(cycles()).toEqual([]);
  });

  it('the page imports only itself, core, inspect and its libraries', () => {
    const allowed = /^(preact(\/hooks)?|@preact\/signals|diff)$/;
    const wrong = pageFiles.flatMap((name) => {
      const text = readFileSync(path.join(web, name), 'utf8');
      return [...text.matchAll(/from '([^']+)'|import\(\s*'([^']+)'|^import '([^']+)'/gm)]
        .map((match) => match[1] ?? match[2] ?? match[3] ?? '')
        .filter((to) => (to.startsWith('.') ? !isOfPage(path.join('web', path.dirname(name), to)) : !allowed.test(to)))
        .map((to) => `web/${name} → ${to}`);
    });
    expect(wrong).toEqual([]);
  });

  it('no room has more files than one takes in at a glance', () => {
    const sizes = Map.groupBy(files, (name) => path.dirname(name));
    expect([...sizes].filter(([, { length }]) => length > roomSize).map(([room, { length }]) => `${room}: ${length}`)).toEqual([]);
  });

  it('no file is longer than 300 lines', () => {
    const all = [...files.map((name) => path.join(src, name)), ...pageFiles.map((name) => path.join(web, name))];
    const long = all
      .map((name) => ({ name, lines: readFileSync(name, 'utf8').split('\n').length }))
      .filter(({ lines }) => lines > 301);
    expect(long).toEqual([]);
  });
});

function cycles(): string[] {
  const edges = new Map<string, string[]>();
  for (const { from, to } of imports) {
    if (to.endsWith('.ts')) edges.set(from, [...(edges.get(from) ?? []), to]);
  }
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (name: string, trail: readonly string[]): void => {
    const at = trail.indexOf(name);
    if (at >= 0) {
      found.push([...trail.slice(at), name].join(' → '));
      return;
    }
    if (done.has(name)) return;
    for (const next of edges.get(name) ?? []) visit(next, [...trail, name]);
    done.add(name);
  };
  for (const name of edges.keys()) visit(name, []);
  return found;
}

describe('what a module remembers', () => {
  /** Declarations at the top level of a module that something can be kept in. */
  const keeps = /^(?:export )?(?:let \w+|const \w+(?:: [^=\n]+)? = new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\))/gm;
  const isSaid = /(?:Pure cache|Not state of a run|Holds no state of a run)/;
  const found = files.flatMap((name) => {
    const text = readFileSync(path.join(src, name), 'utf8');
    return [...text.matchAll(keeps)].map(({ 0: declaration, index }) => {
      const above = text.slice(0, index).trimEnd().split('\n');
      const comment = above.slice(above.findLastIndex((line) => !/^\s*(?:\/\/|\/\*|\*)/.test(line)) + 1);
      return { place: `${name}: ${declaration.slice(0, 60)}`, isSaid: comment.some((line) => isSaid.test(line)) };
    });
  });

  it('is a pure cache, or no state of a run, and says so in one line', () => {
    expect(found.length).toBeGreaterThan(40);
    expect(found.flatMap(({ place, isSaid: said }) => (said ? [] : [place]))).toEqual([]);
  });
});
