import { addCatchAll } from './convert/convert-decider.ts';
import { baseOf, chainOf, itemsOf, type SourceTree } from './source-tree.ts';
import { keysOf } from './edit-yaml.ts';
import { generationOf } from './generation.ts';
import { find, type SourceFile } from './source-file.ts';

/**
 * Adds a rule for "no rule matched", since an agent then took another turn in CommonGround. The rule goes into each profile whose
 * rules may all fail, as high in the chain as it still comes last: rules that inheriting profiles add would follow it.
 */
export function addCatchAlls(tree: SourceTree): void {
  const given = new Set<SourceFile>();
  const files = [...tree.profiles.values()].toSorted((a, b) => depthOf(a, tree) - depthOf(b, tree));
  for (const file of files) {
    const chain = chainOf(file, tree.profiles);
    if (chain === undefined || chain.some((each) => given.has(each))) continue;
    const rules = ruleIds(chain);
    const inheriting = files.filter((each) => each !== file && (chainOf(each, tree.profiles)?.includes(file) ?? false));
    const isSilent = rules.size === 0 && inheriting.length === 0 && generationOf(file.data) === 'v1';
    if (isSilent && !chain.some((each) => keysOf(each.root).includes('flow_decider'))) noteDefaultRules(file);
    if (rules.size === 0 || hasCatchAll(chain)) continue;
    const areAdding = inheriting.some((other) =>
      itemsOf(other.data, 'flow_decider').some(({ id }) => typeof id !== 'string' || !rules.has(id)),
    );
    if (areAdding) continue;
    addCatchAll(file);
    given.add(file);
  }
}

function noteDefaultRules(file: SourceFile): void {
  find(file, 'changed', {
    at: undefined,
    message: 'without rules, an agent never ended in CommonGround; in Cadre it runs tool calls and ends with its first text reply',
    hint: 'write a flow_decider for another behaviour',
  });
}

function depthOf(file: SourceFile, tree: SourceTree): number {
  return baseOf(file) === undefined ? 0 : (chainOf(file, tree.profiles)?.length ?? 0);
}

function ruleIds(chain: readonly SourceFile[]): ReadonlySet<string> {
  return new Set(chain.flatMap((file) => itemsOf(file.data, 'flow_decider').map(({ id }) => (typeof id === 'string' ? id : ''))));
}

/** True when a rule of the chain always matches; for each id, the nearest file decides. */
function hasCatchAll(chain: readonly SourceFile[]): boolean {
  const conditions = new Map<string, unknown>();
  for (const file of chain.toReversed())
    for (const rule of itemsOf(file.data, 'flow_decider')) conditions.set(String(rule['id']), rule['condition']);
  return [...conditions.values()].some(
    (condition) => condition === true || (typeof condition === 'string' && /^\s*True\s*$/.test(condition)),
  );
}
