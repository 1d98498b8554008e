import type { Report } from '../report.ts';
import { nameHint, quote } from '../wording.ts';
import { childOf, type MapNode, type ScalarNode, type SourceNode } from '../yaml/source-node.ts';
import { mergeMaps, withoutRemoved } from './merge-nodes.ts';

/** Maximum length of a chain of bases. */
const maxChain = 8;

/** Rules of inheritance for one kind of file. */
export interface BaseRules {
  /** Key that names the base or bases. */
  readonly baseKey: string;
  /** Name of the kind in messages: `profile`, `LLM config`. */
  readonly what: string;
  /** Keys that identify a file and are never inherited. */
  readonly ownKeys: ReadonlySet<string>;
  /** Names of files that could not be read; references to them are not reported again. */
  readonly broken: ReadonlySet<string>;
}

interface Resolved {
  readonly tree: MapNode;
  /** Longest chain of bases, starting with this file. */
  readonly chain: readonly string[];
}

/** Resolves the bases of every file; returns the merged trees by name. Reports and leaves out unknown bases and circles. */
export function resolveBases(files: ReadonlyMap<string, MapNode>, rules: BaseRules, report: Report): ReadonlyMap<string, MapNode> {
  const done = new Map<string, Resolved>();
  const resolve = (name: string, own: MapNode, open: readonly string[]): Resolved => {
    const known = done.get(name);
    if (known !== undefined) return known;
    let inherited: MapNode | undefined;
    let chain: readonly string[] = [];
    for (const node of baseNodes(own, rules.baseKey)) {
      const base = String(node.value);
      const file = findBase(files, node, { rules, report, open: [...open, name] });
      if (file === undefined) continue;
      const resolved = resolve(base, file, [...open, name]);
      if (resolved.chain.length > maxChain) {
        const path = [name, ...resolved.chain].join(' -> ');
        report.error('BASE_TOO_DEEP', {
          at: node.at,
          message: `${rules.baseKey} is more than ${maxChain} levels deep: ${path}`,
          hint: 'merge some of the bases',
        });
        continue;
      }
      if (resolved.chain.length > chain.length) chain = resolved.chain;
      const tree = withoutKeys(resolved.tree, rules.ownKeys);
      inherited = inherited === undefined ? tree : mergeMaps(inherited, tree, report);
    }
    const tree = inherited === undefined ? withoutRemovedMap(own, report) : mergeMaps(inherited, own, report);
    const result = { tree, chain: [name, ...chain] };
    done.set(name, result);
    return result;
  };
  return new Map([...files].map(([name, own]) => [name, resolve(name, own, []).tree]));
}

function findBase(
  files: ReadonlyMap<string, MapNode>,
  node: ScalarNode,
  { rules, report, open }: { readonly rules: BaseRules; readonly report: Report; readonly open: readonly string[] },
): MapNode | undefined {
  const base = String(node.value);
  const start = open.indexOf(base);
  if (start >= 0) {
    report.error('BASE_CYCLE', {
      at: node.at,
      message: `${rules.baseKey} goes in a circle: ${[...open.slice(start), base].join(' -> ')}`,
      hint: 'remove one of these bases',
    });
    return undefined;
  }
  const file = files.get(base);
  if (file === undefined && !rules.broken.has(base)) {
    const names = [...files.keys()].filter((name) => name !== open.at(-1));
    report.error('UNKNOWN_BASE', {
      at: node.at,
      message: `there is no ${rules.what} ${quote(base)} (${[...open, base].join(' -> ')})`,
      hint: nameHint(base, names, `known ${rules.what}s`),
    });
  }
  return file;
}

function baseNodes(file: MapNode, key: string): readonly ScalarNode[] {
  const node = childOf(file, key);
  const nodes: readonly (SourceNode | undefined)[] = node?.kind === 'list' ? node.items : [node];
  return nodes.filter((item) => item?.kind === 'scalar' && typeof item.value === 'string') as readonly ScalarNode[];
}

function withoutKeys(node: MapNode, keys: ReadonlySet<string>): MapNode {
  return { ...node, entries: new Map([...node.entries].filter(([key]) => !keys.has(key))) };
}

function withoutRemovedMap(node: MapNode, report: Report): MapNode {
  const result = withoutRemoved(node, report);
  return result.kind === 'map' ? result : node;
}
