// Parses Cadre's own conditions at build, so that a process whose profiles have no others reads no parser.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const file = path.join('core', 'expression', 'built-trees.ts');
const constant = /constantExpression\('((?:[^'\\]|\\.)+)'\)/g;

/** Puts the trees of all constant conditions of the sources into the module that has none. */
export function treesOfConstants(sources, names) {
  return {
    name: 'trees-of-constants',
    load: {
      filter: { id: /built-trees\.ts$/ },
      async handler(id) {
        if (id !== path.join(sources, file)) return null;
        const { parseSource } = await import(pathToFileURL(path.join(sources, 'core', 'expression', 'parse.ts')).href);
        const found = names.flatMap((name) => [...readFileSync(name, 'utf8').matchAll(constant)].map(([, source]) => source));
        const entries = [...new Set(found)].toSorted().map((source) => {
          const parsed = parseSource(source);
          if (!parsed.ok) throw new Error(`the built-in condition ${source} cannot be parsed: ${parsed.problems[0]?.message}`);
          return `[${JSON.stringify(source)}, ${codeOf(parsed.value)}]`;
        });
        return `export const builtTrees = new Map([\n${entries.join(',\n')}\n]);`;
      },
    },
  };
}

/** Returns JavaScript that makes a value of a syntax tree again: whole numbers are of the type bigint. */
function codeOf(value) {
  if (Array.isArray(value)) return `[${value.map(codeOf).join(', ')}]`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { op, args, pos, start, end } = value;
  if (typeof op !== 'string') throw new Error(`a syntax tree holds ${JSON.stringify(value)}, which is no node`);
  return `{ op: ${JSON.stringify(op)}, args: ${codeOf(args)}, pos: ${pos}, start: ${start}, end: ${end} }`;
}
