import { isForbiddenKey, isList, readField, readItem, readKey, toData } from './data.ts';
import { DEFAULT_ROOT, type Scope } from './roots.ts';

/** One part of a path: dotted names, possibly forming one key, or a list index. */
export type PathStep =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'index'; readonly index: number };

/** A parsed path: its first name, and the steps below it. */
export interface ParsedPath {
  readonly first: string;
  readonly rest: readonly PathStep[];
}

// More names in a row than data has; bounds the search for keys that contain dots.
const MAX_NAMES = 64;

/**
 * Reads a dotted path such as `state.messages[-1].content`. A path that does not start with a root of the scope is read under
 * `state`; for keys that contain dots the longest match wins; `[n]` indexes a list, from the end when negative. Missing values
 * are null. Never throws for data without getters.
 */
export function readPath(scope: unknown, path: string): unknown {
  return readParsed(scope, parsePath(path));
}

/** Returns `readPath` for one path, which is parsed only once. */
export function pathReader(path: string): (scope: unknown) => unknown {
  const parsed = parsePath(path);
  return (scope) => readParsed(scope, parsed);
}

/** Reads a parsed path; null for one that could not be parsed. */
export function readParsed(scope: unknown, parsed: ParsedPath | undefined): unknown {
  if (typeof scope !== 'object' || scope === null || parsed === undefined) return null;
  const root = Object.hasOwn(scope, parsed.first) ? parsed.first : DEFAULT_ROOT;
  return readParsedPath(scope as Scope, root, stepsBelow(parsed, root));
}

/** Parses a path; undefined when it is empty or starts with an index. */
export function parsePath(path: string): ParsedPath | undefined {
  const steps = splitSteps(path);
  const [head, ...tail] = steps;
  if (head?.kind !== 'names') return undefined;
  const [first, ...names] = head.names;
  if (first === undefined || path === '') return undefined;
  return { first, rest: names.length === 0 ? tail : [{ kind: 'names', names }, ...tail] };
}

/** Returns the steps below the chosen root: the whole path when its first name is not that root. */
export function stepsBelow(path: ParsedPath, root: string): readonly PathStep[] {
  if (path.first === root) return path.rest;
  const [head, ...tail] = path.rest;
  return head?.kind === 'names'
    ? [{ kind: 'names', names: [path.first, ...head.names] }, ...tail]
    : [{ kind: 'names', names: [path.first] }, ...path.rest];
}

/** Reads the steps of a parsed path below a root of the scope. */
export function readParsedPath(scope: Scope, root: string, steps: readonly PathStep[]): unknown {
  let value: unknown = isForbiddenKey(root) || !Object.hasOwn(scope, root) ? null : toData(scope[root]);
  for (const step of steps) {
    if (value === null) return null;
    value = step.kind === 'names' ? readNames(value, step.names) : readKey(value, step.index);
  }
  return value;
}

function readNames(start: unknown, names: readonly string[]): unknown {
  if (names.length > MAX_NAMES) return null;
  let value = start;
  let position = 0;
  while (position < names.length) {
    if (typeof value !== 'object' || value === null) return null;
    const name = names[position] ?? '';
    if (isList(value)) {
      if (!/^-?\d{1,15}$/.test(name)) return null;
      value = readItem(value, Number(name));
      position += 1;
      continue;
    }
    let end = names.length;
    while (end > position + 1 && !Object.hasOwn(value, names.slice(position, end).join('.'))) end -= 1;
    const key = end === position + 1 ? name : names.slice(position, end).join('.');
    value = isForbiddenKey(key) ? null : readField(value, key);
    position = end;
  }
  return value;
}

function splitSteps(path: string): readonly PathStep[] {
  if (!path.includes('[')) return path === '' ? [] : [{ kind: 'names', names: path.split('.') }];
  const steps: PathStep[] = [];
  // An index needs `[`, an integer and `]`; other brackets are part of a name.
  for (const part of path.split(/(\[-?\d{1,15}\])/)) {
    if (/^\[-?\d{1,15}\]$/.test(part)) {
      steps.push({ kind: 'index', index: Number(part.slice(1, -1)) });
      continue;
    }
    const text = steps.length > 0 && part.startsWith('.') ? part.slice(1) : part;
    if (text !== '') steps.push({ kind: 'names', names: text.split('.') });
  }
  return steps;
}
