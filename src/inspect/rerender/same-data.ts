/** True for two values that are the same as JSON: the order of keys does not matter, nor do absent and undefined ones. */
export function sameData(a: unknown, b: unknown, ignored?: ReadonlySet<string>): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  let keys = 0;
  for (const key of Object.keys(left)) {
    if (left[key] === undefined || ignored?.has(key) === true) continue;
    keys += 1;
    if (!sameData(left[key], right[key], ignored)) return false;
  }
  return keys === Object.keys(right).filter((key) => right[key] !== undefined && ignored?.has(key) !== true).length;
}
