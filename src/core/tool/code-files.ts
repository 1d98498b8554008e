/** Snapshot of a code file that a toolset loads: this text runs, whatever the file contains later. */
export interface CodeFile {
  /** Path in the form of profile files: `agent_profiles/tools/weather.ts`. */
  readonly path: string;
  readonly text: string;
  /** Path on this machine; absent when only a journal has the file. */
  readonly place?: string;
}

/** Code of a toolset: one file, and the files of its folder that it imports. */
export interface ToolsetCode {
  /** Path of the file whose exports are used. */
  readonly entry: string;
  readonly files: readonly CodeFile[];
  /** SHA-256 of all texts with their paths relative to the entry, in hexadecimal. */
  readonly hash: string;
}

/** File extensions of loadable code. */
const codeEnding = /\.m?[jt]s$/i;

/** True for files that can be loaded as code: .ts, .mts, .js and .mjs, each an ES module. */
export function isCodeFile(path: string): boolean {
  return codeEnding.test(path);
}

/**
 * Returns the paths that code may import from beside it, normalised: every string in its text that is a relative path to code
 * or JSON. Finds too many rather than too few; a path that the code computes cannot be imported.
 */
export function localImports(path: string, text: string): readonly string[] {
  const found = new Set<string>();
  for (const [, , written = ''] of text.matchAll(/(['"`])(\.{1,2}\/[^'"`\n\\?#]{1,500})\1/g)) {
    const resolved = isCodeFile(written) || /\.json$/i.test(written) ? besidePath(path, written) : undefined;
    if (resolved !== undefined) found.add(resolved);
  }
  return [...found];
}

/** Resolves a relative path in a file; undefined when it leaves the root. */
function besidePath(path: string, relative: string): string | undefined {
  const parts = path.split('/').slice(0, -1);
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}
