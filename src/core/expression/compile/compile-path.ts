import { closestName } from '../closest-name.ts';
import { broken, findLocal, report, type Compiled, type Compiler, type Locals, type Run } from './compiler.ts';
import { isForbiddenKey, readField, readKey, toData } from '../data.ts';
import type { Evaluation } from '../evaluation.ts';
import { wordHint } from '../habits.ts';
import type { SyntaxNode } from '../parse.ts';
import type { RootDeclaration, Scope } from '../roots.ts';

/** The name of the accessor in `v['state.current_action']`. */
export const ACCESSOR = 'v';

/** A key known at load, with its place in the source. */
interface StaticKey {
  readonly key: string | number;
  readonly start: number;
  readonly end: number;
}

/** A chain such as `flags.list[0]`: its base, and the following keys known at load. */
interface Chain {
  readonly base: SyntaxNode;
  readonly keys: readonly StaticKey[];
}

/** Splits the trailing keys that are known at load off an access node. */
export function toChain(node: SyntaxNode): Chain {
  const keys: StaticKey[] = [];
  let base = node;
  for (;;) {
    if (base.op === '.') {
      keys.unshift({ key: base.args[1], start: base.pos, end: base.end });
      base = base.args[0];
      continue;
    }
    if (base.op !== '[]' || isAccessor(base.args[0])) return { base, keys };
    const key = literalKey(base.args[1]);
    if (key === undefined) return { base, keys };
    keys.unshift(key);
    base = base.args[0];
  }
}

/** Compiles a chain of reads; `locals` determine if its first name is a loop variable or a root. */
export function compileChain(compiler: Compiler, chain: Chain, locals: Locals | undefined): Compiled {
  for (const key of chain.keys) {
    if (typeof key.key === 'string' && isForbiddenKey(key.key)) {
      return report(compiler, key, `\`${key.key}\` cannot be read`, 'only data fields can be read');
    }
  }
  const { base, keys } = chain;
  if (base.op === 'id' && findLocal(locals, base.args) === undefined) return compileRootChain(compiler, base, keys);
  const start = compiler.compile(base, locals);
  if (keys.length === 0) return start;
  return { run: readKeys(start.run, keys), type: 'any', required: start.required && toPathText(start.required, keys) };
}

/** Checks the fields below a declared root; false after reporting a problem. */
export function checkFields(
  compiler: Compiler,
  root: { readonly path: string; readonly declaration: RootDeclaration | undefined },
  keys: readonly StaticKey[],
): boolean {
  let { path, declaration: current } = root;
  for (const key of keys) {
    if (current?.kind !== 'closed') return true;
    const name = String(key.key);
    const { fields } = current;
    if (!Object.hasOwn(fields, name)) {
      const names = Object.keys(fields);
      const close = closestName(name, names);
      const hint = close === undefined ? `fields of ${path}: ${names.join(', ')}` : `did you mean \`${path}.${close}\`?`;
      report(compiler, key, `\`${path}\` has no field \`${name}\``, hint);
      return false;
    }
    current = fields[name];
    path = `${path}.${name}`;
  }
  return true;
}

/** True when missing values below a root are unknown, and must not be used as null. */
export function isRequired({ roots }: Compiler, root: string): boolean {
  const declaration = roots !== undefined && Object.hasOwn(roots, root) ? roots[root] : undefined;
  return declaration?.kind === 'open' && declaration.required === true;
}

/** Reports an unknown root, with the closest known one. */
export function reportUnknownRoot(
  compiler: Compiler,
  name: string,
  range: { readonly start: number; readonly end: number },
): Compiled {
  const known = Object.keys(compiler.roots ?? {});
  const close = closestName(name, known);
  const habit = wordHint(name);
  if (habit !== undefined) return report(compiler, range, `unknown name \`${name}\``, habit);
  const meant = fieldHint(compiler, name) ?? (close === undefined ? undefined : `did you mean \`${close}\`?`);
  const list = `known: ${known.join(', ')}`;
  return report(compiler, range, `unknown name \`${name}\``, meant === undefined ? list : `${meant} (${list})`);
}

/** Reads a root of the scope; a root that is declared but absent is null. */
export function readRoot(scope: Scope, name: string): unknown {
  if (!Object.hasOwn(scope, name)) return null;
  const value = scope[name];
  return typeof value === 'object' ? value : toData(value);
}

/** Formats a path as `readPath` reads it. */
function toPathText(root: string, keys: readonly StaticKey[]): string {
  return keys.reduce((path, { key }) => (typeof key === 'number' ? `${path}[${key}]` : `${path}.${key}`), root);
}

function isAccessor(node: SyntaxNode): boolean {
  return node.op === 'id' && node.args === ACCESSOR;
}

function literalKey(node: SyntaxNode): StaticKey | undefined {
  const value = literalValue(node);
  if (typeof value === 'string') return { key: value, ...innerRange(node, value) };
  if (typeof value === 'number' && Number.isInteger(value)) return { key: value, start: node.start, end: node.end };
  return undefined;
}

function literalValue(node: SyntaxNode): unknown {
  if (node.op === '-_') {
    const value = literalValue(node.args);
    return typeof value === 'number' ? -value : undefined;
  }
  if (node.op !== 'value') return undefined;
  return typeof node.args === 'bigint' ? Number(node.args) : node.args;
}

/** Returns the range of a text literal's content, without its quotes; the whole literal when it holds escapes. */
export function innerRange(node: SyntaxNode, value: string): { readonly start: number; readonly end: number } {
  const text = node.input.slice(node.start, node.end);
  const offset = text.indexOf(value);
  if (value === '' || offset < 1 || text.includes('\\')) return { start: node.start, end: node.end };
  return { start: node.start + offset, end: node.start + offset + value.length };
}

function compileRootChain(
  compiler: Compiler,
  base: Extract<SyntaxNode, { readonly op: 'id' }>,
  keys: readonly StaticKey[],
): Compiled {
  const root = base.args;
  const { roots } = compiler;
  if (roots !== undefined) {
    if (!Object.hasOwn(roots, root)) {
      if (root === ACCESSOR) return report(compiler, base, '`v` needs a path', "write `v['state.current_action']`");
      return reportUnknownRoot(compiler, root, base);
    }
    if (!checkFields(compiler, { path: root, declaration: roots[root] }, keys)) return broken;
  }
  const path = toPathText(root, keys);
  compiler.paths.add(path);
  const required = isRequired(compiler, root) ? path : undefined;
  return { run: readKeys((evaluation) => readRoot(evaluation.scope, root), keys), type: 'any', required };
}

/** Reads keys one after another; the common cases of one and two names have their own closures for speed. */
export function readKeys(start: Run, keys: readonly StaticKey[]): Run {
  const [first, second, ...more] = keys.map(({ key }) => key);
  if (first === undefined) return start;
  if (second === undefined) return readOne(start, first);
  if (more.length === 0) return readOne(readOne(start, first), second);
  const all = [first, second, ...more];
  return (evaluation: Evaluation) => {
    let value = start(evaluation);
    for (const key of all) {
      if (value === null) return null;
      value = readKey(value, key);
    }
    return value;
  };
}

function readOne(start: Run, key: string | number): Run {
  return typeof key === 'string'
    ? (evaluation) => readField(start(evaluation), key)
    : (evaluation) => readKey(start(evaluation), key);
}

function fieldHint(compiler: Compiler, name: string): string | undefined {
  for (const [root, declaration] of Object.entries(compiler.roots ?? {})) {
    if (declaration.kind === 'closed' && Object.hasOwn(declaration.fields, name)) return `did you mean \`${root}.${name}\`?`;
  }
  return undefined;
}
