/** Folders beside test files, with their snapshots and recordings; profiles are not read from them. */
export const besideTests: ReadonlySet<string> = new Set(['__snapshots__', '__recordings__']);

/** True for the path of a test file (`*.test.yaml`). */
export function isTestFile(path: string): boolean {
  return /\.test\.ya?ml$/i.test(path);
}

/** True for the path of an eval suite (`*.eval.yaml`). */
export function isEvalFile(path: string): boolean {
  return /\.eval\.ya?ml$/i.test(path);
}

/** True for files that lie beside profiles and do not belong to them. */
export function isBesideProfiles(path: string): boolean {
  return isTestFile(path) || isEvalFile(path);
}
