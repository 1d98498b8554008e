import { quote } from '../wording.ts';
import type { Report } from '../report.ts';
import { mapItems, textNode } from '../compile/read-node.ts';
import { childOf, type MapNode } from '../yaml/source-node.ts';

/** Lists whose items have ids, with the containing map when it is not the profile itself. */
const idLists: readonly { readonly key: string; readonly owner?: string }[] = [
  { key: 'pre_turn_observers' },
  { key: 'post_turn_observers' },
  { key: 'flow_decider' },
  { key: 'tool_gates' },
  { key: 'checkpoints' },
  { key: 'inbox_handling_strategies' },
  { key: 'system_prompt_segments', owner: 'system_prompt_construction' },
  { key: 'rules', owner: 'planner' },
  { key: 'steps', owner: 'planner' },
];

/**
 * Reports duplicate ids (for strategies: sources) in one list of a file; inheritance merges by them, so the second item would be
 * lost.
 */
export function reportDuplicateIds(profile: MapNode, report: Report): void {
  for (const { key, owner: place } of idLists) {
    const owner = place === undefined ? profile : childOf(profile, place);
    const identity = key === 'inbox_handling_strategies' ? 'source' : 'id';
    const seen = new Map<string, MapNode>();
    for (const item of mapItems(owner, key)) {
      const id = textNode(item, identity);
      if (id === undefined) continue;
      const first = seen.get(id.value);
      if (first === undefined) {
        seen.set(id.value, item);
        continue;
      }
      const { line } = first.at.file.refAt(first.at.start);
      report.error('DUPLICATE_ID', {
        at: id.at,
        message: `the ${identity} ${quote(id.value)} appears twice in ${key}; first on line ${line}`,
        hint: identity === 'id' ? 'give each item its own id' : 'keep one of them',
      });
    }
  }
}
