import { readdirSync, readFileSync } from 'node:fs';
import { canFindMarks } from './marked-processes.ts';

/** A process and all that descend from it, by their ids; empty where that cannot be told. What has left its parents is not among them. */
export function findDescendants(root: number): readonly number[] {
  if (!canFindMarks) return [];
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found = [root];
  for (const pid of found) found.push(...(children.get(pid) ?? []));
  return found;
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program stands in brackets and may have anything in it.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // Gone since it was listed.
    return undefined;
  }
}
