import { addCatchAll } from './convert/convert-decider.ts';
import { baseOf, chainOf, itemsOf, type SourceTree } from './source-tree.ts';
import { keysOf } from './edit-yaml.ts';
import { generationOf } from './generation.ts';
import { find, type SourceFile } from './source-file.ts';

/**
 * Without a rule that matches, an agent took another turn there. Each profile whose rules may all fail gets a rule that says so, at
 * the highest place from which it still comes last: rules that heirs add would stand behind it.
 */
export function addCatchAlls(tree: SourceTree): void {
  const given = new Set<SourceFile>();
  const files = [...tree.profiles.values()].toSorted((a, b) => depthOf(a, tree) - depthOf(b, tree));
  for (const file of files) {
    const chain = chainOf(file, tree.profiles);
    if (chain === undefined || chain.some((each) => given.has(each))) continue;
    const rules = ruleIds(chain);
    const heirs = files.filter((each) => each !== file && (chainOf(each, tree.profiles)?.includes(file) ?? false));
    const isSilent = rules.size === 0 && heirs.length === 0 && generationOf(file.data) === 'v1';
    if (isSilent && !chain.some((each) => keysOf(each.root).includes('flow_decider'))) noteDefaultRules(file);
    if (rules.size === 0 || hasCatchAll(chain)) continue;
    const areAdding = heirs.some((heir) =>
      itemsOf(heir.data, 'flow_decider').some(({ id }) => typeof id !== 'string' || !rules.has(id)),
    );
    if (areAdding) continue;
    addCatchAll(file);
    given.add(file);
  }
}

function noteDefaultRules(file: SourceFile): void {
  find(
    file,
    'changed',
    undefined,
    'without rules an agent went on for ever; here it runs tool calls, and ends with its first reply of words',
    {
      hint: 'write a flow_decider if it should do otherwise',
    },
  );
}

function depthOf(file: SourceFile, tree: SourceTree): number {
  return baseOf(file) === undefined ? 0 : (chainOf(file, tree.profiles)?.length ?? 0);
}

function ruleIds(chain: readonly SourceFile[]): ReadonlySet<string> {
  return new Set(chain.flatMap((file) => itemsOf(file.data, 'flow_decider').map(({ id }) => (typeof id === 'string' ? id : ''))));
}

/** Whether a rule of the chain always matches; the nearest file has the last word about each id. */
function hasCatchAll(chain: readonly SourceFile[]): boolean {
  const conditions = new Map<string, unknown>();
  for (const file of chain.toReversed())
    for (const rule of itemsOf(file.data, 'flow_decider')) conditions.set(String(rule['id']), rule['condition']);
  return [...conditions.values()].some(
    (condition) => condition === true || (typeof condition === 'string' && /^\s*True\s*$/.test(condition)),
  );
}
