/** A file of code that a toolset loads, as it was read: this text runs, whatever the file says later. */
export interface CodeFile {
  /** As profile files are named: `agent_profiles/tools/weather.ts`. */
  readonly path: string;
  readonly text: string;
  /** Where it lies on this machine; absent when only a journal has it. */
  readonly place?: string;
}

/** The code of a toolset: one file, and the files of its folder that it imports. */
export interface ToolsetCode {
  /** The path of the file whose exports count. */
  readonly entry: string;
  readonly files: readonly CodeFile[];
  /** SHA-256 of all texts with their places relative to the first one, in hexadecimal. */
  readonly hash: string;
}

/** Files that can be loaded as code. */
const codeEnding = /\.m?[jt]s$/i;

/** True for files that can be loaded as code: .ts, .mts, .js and .mjs, each an ES module. */
export function isCodeFile(path: string): boolean {
  return codeEnding.test(path);
}

/**
 * The files that code may import from beside it, as clean paths: every string in its text that is a relative path to code or JSON. Finds too
 * many rather than too few; what it does not find (a path that the code puts together) cannot be imported.
 */
export function localImports(path: string, text: string): readonly string[] {
  const found = new Set<string>();
  for (const [, , written = ''] of text.matchAll(/(['"`])(\.{1,2}\/[^'"`\n\\?#]{1,500})\1/g)) {
    const resolved = isCodeFile(written) || /\.json$/i.test(written) ? besidePath(path, written) : undefined;
    if (resolved !== undefined) found.add(resolved);
  }
  return [...found];
}

/** The clean path that a relative one means in a file; undefined when it climbs above all folders. */
function besidePath(path: string, relative: string): string | undefined {
  const parts = path.split('/').slice(0, -1);
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}
