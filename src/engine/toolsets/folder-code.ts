import { CadreError } from '../../core/error.ts';
import type { ToolsetCode } from '../../core/tool/code-files.ts';
import { toolsetCode } from '../../profiles/compile/compile-toolset-code.ts';
import { importCode } from '../../toolsets/module/import-code.ts';
import { readModuleFiles } from '../../toolsets/module/read-module-files.ts';

/** Code of a folder that no toolset names, such as that of an eval's check. */
export interface FolderCode {
  /** Reads the code with its local imports, once: later calls return the same. Fails with TOOL_INVALID. */
  read(): Promise<ToolsetCode>;
  /** Imports what `read` returns, whatever the files contain now, and returns its exports. Fails with TOOL_INVALID. */
  load(): Promise<Readonly<Record<string, unknown>>>;
}

/** Returns the code of a file in a folder, with what it imports from there. */
export function folderCode(root: string, file: string): FolderCode {
  let reading: Promise<ToolsetCode> | undefined;
  let loading: Promise<Readonly<Record<string, unknown>>> | undefined;
  const read = (): Promise<ToolsetCode> => (reading ??= readOnce(root, file));
  return { read, load: () => (loading ??= read().then(importCode)) };
}

async function readOnce(root: string, file: string): Promise<ToolsetCode> {
  const found = await readModuleFiles({ root, from: '.', path: file });
  if ('reason' in found) throw new CadreError('TOOL_INVALID', `the code ${file} cannot be used: ${found.reason}`);
  const files = found.files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return toolsetCode(found.files[0]?.path ?? file, files);
}
