import { textNode } from '../compile/read-node.ts';
import type { Report } from '../report.ts';
import { quote } from '../wording.ts';
import type { MapNode } from '../yaml/source-node.ts';

/** Indexes files by the name they declare; reports duplicates, and names that differ only in case, with both places. */
export function indexNames(
  roots: readonly MapNode[],
  report: Report,
  { key, what }: { readonly key: string; readonly what: string },
): ReadonlyMap<string, MapNode> {
  const named = new Map<string, MapNode>();
  const places = new Map<string, { readonly name: string; readonly where: string }>();
  for (const root of roots) {
    const node = textNode(root, key);
    if (node === undefined) continue;
    const lower = node.value.toLowerCase();
    const first = places.get(lower);
    if (first === undefined) {
      const { file, line } = node.at.file.refAt(node.at.start);
      places.set(lower, { name: node.value, where: `${file}:${line}` });
      named.set(node.value, root);
    } else if (first.name === node.value) {
      report.error('DUPLICATE_NAME', {
        at: node.at,
        message: `a second ${what} named ${quote(node.value)}; the first is in ${first.where}`,
        hint: 'rename one of them, or remove a file',
      });
    } else {
      report.error('CASE_CLASH', {
        at: node.at,
        message: `the ${what} name ${quote(node.value)} differs from ${quote(first.name)} (${first.where}) only in case`,
        hint: 'rename one of them',
      });
    }
  }
  return named;
}
