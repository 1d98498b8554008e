/**
 * Finds a dependency cycle through a module.
 *
 * @returns the ids on the cycle, the first one again at the end; undefined when there is none
 */
export function findDependencyCycle(
  start: string,
  dependenciesOf: (id: string) => readonly string[],
): readonly string[] | undefined {
  if (dependenciesOf(start).length === 0) return undefined;
  const seen = new Set<string>();
  const ways: (readonly string[])[] = [[start]];
  for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
    for (const next of dependenciesOf(way.at(-1) ?? start)) {
      if (next === start) return [...way, start];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}
