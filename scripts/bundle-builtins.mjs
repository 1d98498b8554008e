// How the bundle gets at the modules of Node. An `import` of one builds a namespace of all it exports, and reads every export for it: those
// that Node keeps lazy are loaded then. Taken from the module itself, only what is named is read; what is large waits for its first call.
import { promisify } from 'node:util';

/** Modules that cost milliseconds to load and that many commands never call. */
const large = new Set(['node:crypto', 'node:child_process', 'node:zlib', 'node:v8', 'node:readline', 'node:readline/promises']);
const imported = /^import (?!type )(?:([\w$]+)|\* as ([\w$]+))?(?:, )?(?:\{ ([^}]*) \})? from "(node:[\w/]+)";$/gm;

/** Rewrites the imports of Node's modules in each chunk, at the lines where they are. */
export function builtinsByName() {
  return {
    name: 'builtins-by-name',
    renderChunk(code) {
      const rendered = code.replaceAll(imported, (_line, whole, namespace, names, id) => {
        const pairs = (names ?? '')
          .split(', ')
          .filter(Boolean)
          .map((pair) => pair.split(' as '));
        const wholes = [whole, namespace].filter(Boolean);
        return large.has(id) && pairs.every(([name]) => isPlainFunction(id, name))
          ? atFirstUse(id, wholes, pairs)
          : atOnce(id, wholes, pairs);
      });
      return rendered === code ? null : { code: rendered, map: null };
    },
  };
}

function atOnce(id, wholes, pairs) {
  const parts = wholes.map((name) => `${name} = ${taken(id)}`);
  if (pairs.length > 0)
    parts.push(`{ ${pairs.map(([name, local]) => (local ? `${name}: ${local}` : name)).join(', ')} } = ${taken(id)}`);
  return `const ${parts.join(', ')};`;
}

function atFirstUse(id, wholes, pairs) {
  const held = `__${id.replaceAll(/\W/g, '_')}`;
  const module = `(${held} ??= ${taken(id)})`;
  const functions = pairs.map(([name, local = name]) => `${local} = (...args) => ${module}.${name}(...args)`);
  const proxies = wholes.map((name) => `${name} = new Proxy({}, { get: (_, key) => ${module}[key] })`);
  return `let ${held}; const ${[...proxies, ...functions].join(', ')};`;
}

function taken(id) {
  return `globalThis.process.getBuiltinModule("${id}")`;
}

/** True when a function that calls it does what it does: it is no class, and has no form of its own for `promisify`. */
function isPlainFunction(id, name) {
  const value = process.getBuiltinModule(id)[name];
  return typeof value === 'function' && /^[a-z]/.test(name) && value[promisify.custom] === undefined;
}
