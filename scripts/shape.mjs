// Prints the shape of src: sizes, parameters, rooms, importers, cycles, the voice of comments, and the files that two turns run.
// `--list turns`, `--list importers` or `--list functions` prints what is behind that figure, one place a line.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAst } from 'vite';
import { commentsOf, oddOpening, phrase, sources } from './voice.mjs';

const root = path.join(import.meta.dirname, '..');
const files = sources(root, ['src']).map((name) => ({ name, text: readFileSync(path.join(root, name), 'utf8') }));

const functions = files.flatMap(({ name, text }) => functionsOf(name, text));
const edges = new Map(files.map(({ name, text }) => [name, importsOf(name, text)]));
const importers = new Map();
for (const [from, to] of edges) for (const name of to) importers.set(name, [...(importers.get(name) ?? []), from]);
const rooms = Object.entries(Object.groupBy(files, ({ name }) => path.dirname(name))).toSorted((a, b) => b[1].length - a[1].length);
const comments = files.flatMap(({ text }) => commentsOf(text));
const docstrings = comments.filter(({ isDocstring }) => isDocstring);
const named = functions.filter(({ isArrow }) => !isArrow);
const longest = functions.reduce((most, each) => (each.lines > most.lines ? each : most));
const words = comments.reduce((sum, each) => sum + each.words.split(' ').length, 0);
const phrases = comments.reduce((sum, each) => sum + (each.words.match(phrase)?.length ?? 0), 0);
const share = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;

const listOf = process.argv[2] === '--list' ? process.argv[3] : undefined;
const lists = {
  turns: () => ranInTwoTurns().map(({ name, functions: ran }) => `${ran} ${name}`),
  importers: () =>
    files.flatMap(({ name, text }) => {
      const [only, ...others] = importers.get(name) ?? [];
      return only === undefined || others.length > 0 ? [] : [`${text.split('\n').length - 1} ${name} <- ${only}`];
    }),
  functions: () => functions.filter(({ lines }) => lines > 60).map(({ lines, place }) => `${lines} ${place}`),
};
if (listOf !== undefined) {
  const list = lists[listOf];
  if (!list) throw new Error(`--list takes ${Object.keys(lists).join(', ')}.`);
  for (const line of list()) console.log(line);
  process.exit();
}

const rows = {
  'lines of src': files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0),
  'files that two turns with one tool run': ranInTwoTurns().length,
  'functions with four or more positional parameters': share(
    named.filter(({ parameters }) => parameters >= 4).length,
    named.length,
  ),
  'longest function, in lines': `${longest.lines} (${longest.place})`,
  'functions over 60 lines': functions.filter(({ lines }) => lines > 60).length,
  'files with one importer': share(files.filter(({ name }) => importers.get(name)?.length === 1).length, files.length),
  'files in the largest room': `${rooms[0][1].length} (${rooms[0][0]})`,
  'files in import cycles, of types too': filesInCycles(),
  'docstrings that open with What, Who, Whether …': share(
    docstrings.filter((each) => oddOpening.test(each.words)).length,
    docstrings.length,
  ),
  'odd phrases per 1,000 words of comments': ((1000 * phrases) / words).toFixed(2),
};
for (const [name, value] of Object.entries(rows)) console.log(`${name}: ${value}`);

/** The functions of a file, with their lines and positional parameters. */
function functionsOf(name, text) {
  const found = [];
  const lineAt = (offset) => text.slice(0, offset).split('\n').length;
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    if (Array.isArray(node)) return node.forEach(visit);
    if (/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type) && node.body)
      found.push({
        place: `${name}:${lineAt(node.start)}`,
        lines: lineAt(node.end) - lineAt(node.start) + 1,
        parameters: node.params.length,
        isArrow: node.type === 'ArrowFunctionExpression',
      });
    for (const key of Object.keys(node)) if (key !== 'parent') visit(node[key]);
  };
  visit(parseAst(text, { lang: 'ts' }).body);
  return found;
}

/** The files of src that a file imports, values and types alike. */
function importsOf(name, text) {
  const specifiers = [...text.matchAll(/^(?:import|export)\s[^'"`;]*?from\s+'(\.[^']+)'/gm)].map((match) => match[1]);
  return new Set(specifiers.map((to) => path.join(path.dirname(name), to)).filter((to) => to.startsWith('src/')));
}

/** The number of files from which imports lead back to themselves. */
function filesInCycles() {
  const reaches = (from) => {
    const seen = new Set();
    const open = [...(edges.get(from) ?? [])];
    while (open.length > 0) {
      const next = open.pop();
      if (next === from) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(edges.get(next) ?? []));
    }
    return false;
  };
  return files.filter(({ name }) => reaches(name)).length;
}

/** The files of src of which a function runs while the weather clerk of the examples takes two turns, in a process of its own; how many do. */
function ranInTwoTurns() {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-shape-'));
  const file = path.join(folder, 'two-turns.mjs');
  const program = `
    import inspector from 'node:inspector/promises';
    import { createEngine, defineTool } from '${root}/src/index.ts';
    import { scriptedModel } from '${root}/src/testing/index.ts';
    const look = defineTool({
      name: 'look_up_weather', description: 'Looks up the weather.', effect: 'pure',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }, execute: () => '21 degrees',
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'look_up_weather', args: { city: 'Lisbon' } }] }, { text: '21 degrees.' }]);
    const engine = await createEngine({ profiles: '${root}/examples/weather-clerk', models: { default: model }, tools: [look], store: 'memory' });
    const session = new inspector.Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const run = await engine.launch({ profile: 'Weather_Clerk', input: 'How warm is it in Lisbon?' });
    await run.result;
    const { result } = await session.post('Profiler.takePreciseCoverage');
    await engine.close();
    const ran = result
      .filter(({ url }) => url.includes('/src/'))
      .map(({ url, functions }) => ({
        name: url.slice(url.lastIndexOf('/src/') + 1),
        functions: functions.filter((each) => each.functionName !== '' && each.ranges[0].count > 0).length,
      }))
      .filter((each) => each.functions > 0);
    console.log(JSON.stringify(ran));`;
  try {
    writeFileSync(file, program);
    return JSON.parse(execFileSync(process.execPath, [file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
