/** Folders beside test files, with their snapshots and recordings; profiles are not read from them. */
export const besideTests: ReadonlySet<string> = new Set(['__snapshots__', '__recordings__']);

/** True for the path of a test file (`*.test.yaml`), which does not belong to the profiles beside it. */
export function isTestFile(path: string): boolean {
  return /\.test\.ya?ml$/i.test(path);
}
