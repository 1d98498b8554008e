import { closestName } from '../closest-name.ts';
import { checkFields, innerRange, isRequired, readRoot, reportUnknownRoot } from './compile-path.ts';
import { broken, report, siteOf, type Compiled, type Compiler, type Locals } from './compiler.ts';
import { isForbiddenKey, readField } from '../data.ts';
import { failure, type Evaluation } from '../evaluation.ts';
import type { SyntaxNode } from '../parse.ts';
import { parsePath, readParsedPath, stepsBelow, type ParsedPath, type PathStep } from '../read-path.ts';
import { DEFAULT_ROOT, type ExpressionRoots, type Scope } from '../roots.ts';

/** Compiles `v[…]`: parses and checks a literal path once, and reads any other at run time by the same rules. */
export function compileAccessor(
  compiler: Compiler,
  node: Extract<SyntaxNode, { readonly op: '[]' }>,
  locals: Locals | undefined,
): Compiled {
  const [, argument] = node.args;
  if (argument.op === 'value' && typeof argument.args === 'string') return compileLiteral(compiler, argument, argument.args);
  const path = compiler.compile(argument, locals);
  const { roots } = compiler;
  const run = (evaluation: Evaluation): unknown => {
    const text = path.run(evaluation);
    if (text === null) return null;
    if (typeof text !== 'string')
      throw failure('the path in v[…] must be a text', { source: node.input, start: argument.start, end: argument.end });
    evaluation.charge(text.length + 1);
    const parsed = parsePath(text);
    if (parsed === undefined) return null;
    const root = chooseRoot(parsed, roots, evaluation.scope);
    const value = readParsedPath(evaluation.scope, root, stepsBelow(parsed, root));
    // Its root is known only now, so that no use of the value can ask whether it is there.
    if (value === null && isRequired(compiler, root)) throw failure(`\`${text}\` is missing`, siteOf(compiler, node));
    return value;
  };
  return { run, type: 'any' };
}

function compileLiteral(compiler: Compiler, literal: SyntaxNode, text: string): Compiled {
  const parsed = parsePath(text);
  const range = innerRange(literal, text);
  if (parsed === undefined) return report(compiler, range, 'the path must start with a name', "write `v['state.current_action']`");
  const { roots } = compiler;
  if (roots === undefined) {
    compiler.paths.add(text);
    return {
      run: ({ scope }) => {
        const root = chooseRoot(parsed, roots, scope);
        return readParsedPath(scope, root, stepsBelow(parsed, root));
      },
      type: 'any',
    };
  }
  const root = chooseRoot(parsed, roots, {});
  if (!checkPath(compiler, { path: parsed, root, text, range })) return broken;
  compiler.paths.add(root === parsed.first ? text : `${root}.${text}`);
  const read = compileRead(root, stepsBelow(parsed, root));
  return isRequired(compiler, root) ? { ...read, required: `v['${text}']` } : read;
}

function compileRead(root: string, steps: readonly PathStep[]): Compiled {
  const [step, ...more] = steps;
  const name = step?.kind === 'names' && step.names.length === 1 ? step.names[0] : undefined;
  if (name !== undefined && more.length === 0 && !isForbiddenKey(name) && !/^-?\d+$/.test(name)) {
    return { run: ({ scope }) => readField(readRoot(scope, root), name), type: 'any' };
  }
  return { run: ({ scope }) => readParsedPath(scope, root, steps), type: 'any' };
}

function chooseRoot(path: ParsedPath, roots: ExpressionRoots | undefined, scope: Scope): string {
  return Object.hasOwn(roots ?? scope, path.first) ? path.first : DEFAULT_ROOT;
}

/** A literal path with the root it is read under, and its place in the source. */
interface LiteralPath {
  readonly path: ParsedPath;
  readonly root: string;
  readonly text: string;
  readonly range: { readonly start: number; readonly end: number };
}

function checkPath(compiler: Compiler, { path, root, text, range }: LiteralPath): boolean {
  const roots = compiler.roots ?? {};
  const exact = range.end - range.start === text.length;
  const place = (name: string, from: number): { start: number; end: number } => {
    const offset = text.indexOf(name, from);
    return exact ? { start: range.start + offset, end: range.start + offset + name.length } : { ...range };
  };
  if (!Object.hasOwn(roots, root)) {
    reportUnknownRoot(compiler, path.first, place(path.first, 0));
    return false;
  }
  const declaration = roots[root];
  if (declaration?.kind !== 'closed') return true;
  const [step] = stepsBelow(path, root);
  if (step?.kind !== 'names') return true;
  const keys = locate(step.names, root === path.first ? path.first.length + 1 : 0).map(({ name, from }) => ({
    key: name,
    ...place(name, from),
  }));
  const [key] = keys;
  if (key === undefined) return true;
  if (root === path.first || Object.hasOwn(declaration.fields, key.key))
    return checkFields(compiler, { path: root, declaration }, keys);
  const near = closestName(key.key, Object.keys(roots));
  if (near === undefined) return checkFields(compiler, { path: root, declaration }, keys);
  report(
    compiler,
    key,
    `unknown path \`${text}\``,
    `did you mean \`${near}\`? A path that starts with no root is read under \`${root}\``,
  );
  return false;
}

function locate(names: readonly string[], start: number): readonly { readonly name: string; readonly from: number }[] {
  let from = start;
  return names.map((name) => {
    const at = from;
    from += name.length + 1;
    return { name, from: at };
  });
}
