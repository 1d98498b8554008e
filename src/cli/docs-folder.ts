import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CadreError } from '../core/error.ts';
import { checkDocumentRoot } from '../tools/documents/check-document-root.ts';

/** The folder of documents to work on: the one that is named, else those that the `ai` package ships. */
export function docsFolder(named: string | undefined, shipped = shippedDocs): string {
  if (named !== undefined) return path.resolve(named);
  const folder = shipped();
  if (folder !== undefined) return folder;
  throw new CadreError(
    'OPTION_INVALID',
    'there are no documents to work on: the `ai` package, whose documents are used otherwise, is not installed; name a folder with --docs DIR',
  );
}

/**
 * The documents of a command that serves teams, checked; serving and looking at runs needs none, so that where there are none the
 * tools say so when they are called.
 */
export async function servedDocs(named: string | undefined, shipped = shippedDocs): Promise<string | (() => string)> {
  if (named === undefined && shipped() === undefined) return () => docsFolder(undefined, shipped);
  return await checkDocumentRoot(docsFolder(named, shipped));
}

/** The documents inside the `ai` package, wherever it is installed; undefined when it is not. */
function shippedDocs(): string | undefined {
  let packageFile: string;
  try {
    packageFile = fileURLToPath(import.meta.resolve('ai/package.json'));
  } catch {
    // Not installed: the caller says what to do instead.
    return undefined;
  }
  const folder = path.join(path.dirname(packageFile), 'docs');
  return existsSync(folder) ? folder : undefined;
}
