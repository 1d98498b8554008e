import path from 'node:path';
import { type CodeFile, isCodeFile, localImports } from '../../core/tool/code-files.ts';
import { CadreError } from '../../core/error.ts';
import { toInsidePath } from '../../files/inside-path.ts';
import { noSuchFile, readInside } from '../../files/read-inside.ts';
import { resolveInside } from '../../files/resolve-inside.ts';
import { secretFiles } from '../../files/guard/secret-files.ts';

/** Largest file of code or JSON, in bytes, and most files of one toolset. */
const maxCodeBytes = 1024 * 1024;
const maxCodeFiles = 200;
const folderName = "the team's folder";

/** Request for a file: `root` is the team's folder, `from` the folder in it of the file that names the path. */
export interface ModuleRequest {
  readonly root: string;
  readonly from: string;
  readonly path: string;
}

/**
 * Reads a code file below a team's folder and the files it imports from there; never follows a link and never leaves the folder. The path
 * is relative to the naming file's folder or to a folder above, like that of a script. Returned paths are relative to the team's folder.
 */
export async function readModuleFiles(
  request: ModuleRequest,
): Promise<{ readonly files: readonly CodeFile[] } | { readonly reason: string }> {
  try {
    const wanted = toInsidePath(request.path, folderName);
    if (secretFiles.placeIn(wanted) !== undefined) return { reason: 'files that hold secrets are not read' };
    if (!isCodeFile(wanted)) return { reason: 'only .ts, .mts, .js and .mjs files are, each as an ES module' };
    const entry = await findAbove(request, wanted);
    if ('reason' in entry) return entry;
    const { root } = await resolveInside(request.root, entry.path, folderName);
    return { files: await withImports(root, entry) };
  } catch (thrown) {
    if (thrown instanceof CadreError) return { reason: String(thrown.details['reason'] ?? thrown.message) };
    throw thrown;
  }
}

async function findAbove({ root, from }: ModuleRequest, wanted: string): Promise<CodeFile | { readonly reason: string }> {
  for (let folder = from; ; folder = path.posix.dirname(folder)) {
    const tried = path.posix.normalize(path.posix.join(folder, wanted));
    const { found } = await resolveInside(root, tried, folderName);
    if (found !== 'missing') return await readCode(root, tried);
    if (folder === '.') return { reason: `${noSuchFile} in ${folderName}` };
  }
}

async function readCode(root: string, file: string): Promise<CodeFile | { readonly reason: string }> {
  const { root: real, absolute } = await resolveInside(root, file, folderName);
  const read = await readInside(real, file, maxCodeBytes);
  return 'reason' in read ? read : { path: file, text: read.text, place: absolute };
}

/** Leaves out unreadable files: a string may look like an import, and a real import fails with its name when the code is loaded. */
async function withImports(root: string, entry: CodeFile): Promise<readonly CodeFile[]> {
  const found = new Map<string, CodeFile>();
  const waiting = [entry];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    found.set(file.path, file);
    if (!isCodeFile(file.path)) continue;
    for (const imported of localImports(file.path, file.text)) {
      if (found.has(imported) || secretFiles.placeIn(imported) !== undefined || imported.split('/').includes('node_modules'))
        continue;
      const read = await readCode(root, imported).catch(leftOut);
      if ('text' in read) waiting.push(read);
    }
    if (found.size > maxCodeFiles) throw new CadreError('OPTION_INVALID', `it imports more than ${maxCodeFiles} files`);
  }
  return [...found.values()];
}

function leftOut(thrown: unknown): { readonly reason: string } {
  if (thrown instanceof CadreError) return { reason: String(thrown.details['reason'] ?? thrown.message) };
  throw thrown;
}
