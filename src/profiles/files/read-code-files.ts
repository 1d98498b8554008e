import { posix } from 'node:path';
import type { CodeFile } from '../../core/tool/code-files.ts';
import type { ProfileFile } from '../../core/profile/profile.ts';
import { readText } from '../compile/read-node.ts';
import { fileKindOf } from './file-kind.ts';
import type { FilesRead, ReadRoot } from './read-profile-files.ts';
import { Report } from '../report.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { childOf, type SourceNode } from '../yaml/source-node.ts';
import { SourceText } from '../yaml/source-text.ts';

/** Kind of toolsets whose tools are defined in a file of code. */
export const moduleKind = 'module';

/**
 * Reads a file of code and its local imports, with paths relative to the folder; returns a reason when the file is missing or must
 * not be read. `from` is the folder, inside `root`, of the file that refers to it.
 */
export type ReadCode = (request: {
  readonly root: string;
  readonly from: string;
  readonly path: string;
}) => Promise<{ readonly files: readonly CodeFile[] } | { readonly reason: string }>;

/** Code that the toolsets of a folder refer to. */
export interface CodeRead {
  readonly files: readonly CodeFile[];
  /** Reasons why code could not be read, by `codeKey`. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Returns the key of a code path in a file. */
export function codeKey(file: string, path: string): string {
  return JSON.stringify([file, path]);
}

/** Reads the code that toolset files refer to. Compiling reads no files, so this runs before it. */
export async function readCodeFiles({ files, roots }: FilesRead, read: ReadCode): Promise<CodeRead> {
  const found = new Map<string, CodeFile>();
  const problems = new Map<string, string>();
  for (const { file, path } of codeNamed(files)) {
    const root = roots.get(file);
    if (root === undefined) continue;
    const code = await read({ root: root.real, from: posix.dirname(posix.relative(root.label, file)), path });
    if ('reason' in code) problems.set(codeKey(file, path), code.reason);
    else for (const each of code.files) found.set(labelled(root, each.path), { ...each, path: labelled(root, each.path) });
  }
  return { files: [...found.values()], problems };
}

function labelled({ label }: ReadRoot, path: string): string {
  return posix.join(label, path);
}

/** Returns the code paths in toolset files, including files that change another team's toolset and inherit its kind. */
function codeNamed(files: readonly ProfileFile[]): readonly { readonly file: string; readonly path: string }[] {
  if (!files.some(({ text }) => text.includes(moduleKind))) return [];
  const toolsets = files.flatMap(({ path: file, text }) => {
    // The path is in the settings; most files have none, and parsing them costs more than all else here.
    if (file.endsWith('.json') || !text.includes('path') || !text.includes('settings')) return [];
    const root: SourceNode | undefined = parseYaml(new SourceText(file, text.replace(/^\uFEFF/, '')), new Report());
    if (fileKindOf(file, root) !== 'toolset') return [];
    return [
      { file, name: readText(root, 'name'), kind: readText(root, 'kind'), path: readText(childOf(root, 'settings'), 'path') },
    ];
  });
  const isModule = ({ name, kind = name }: { readonly name: string | undefined; readonly kind: string | undefined }): boolean =>
    kind === moduleKind;
  const names = new Set(toolsets.filter(isModule).map(({ name }) => name));
  return toolsets.flatMap((toolset) => {
    const isMeant = isModule(toolset) || (toolset.kind === undefined && names.has(toolset.name));
    return isMeant && toolset.path !== undefined ? [{ file: toolset.file, path: toolset.path }] : [];
  });
}
