import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CadreError } from '../../core/error.ts';
import type { ProfileSet } from '../../core/profile/profile.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { checkDocumentRoot } from '../../toolsets/documents/check-document-root.ts';
import { describeLeftOut } from '../../toolsets/documents/left-out.ts';
import { surveyDocuments } from '../../toolsets/documents/survey-documents.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { isBundledFolder } from '../trust/bundled-files.ts';
import { ownFolder } from '../trust/own-folder.ts';

/** The documents of a team of the user's own: the folder `docs` beside its folder of profiles, if there is one. */
export async function teamDocs(profiles: unknown): Promise<string | undefined> {
  if (typeof profiles !== 'string') return undefined;
  const folder = path.join(path.dirname(path.resolve(profiles)), 'docs');
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder || (await isBundledFolder(profiles))) return undefined;
  return await ownFolder(folder, path.dirname(folder), '--docs PATH');
}

/**
 * The documents of a command that serves teams, checked when they are `named`; serving and looking at runs needs none, so that where
 * there are none, or none can be read in the team's `own` folder, the tools say so when they are called.
 */
export async function servedDocs(
  named: string | undefined,
  { own, shipped = shippedDocs }: { readonly own?: string | undefined; readonly shipped?: () => string | undefined } = {},
): Promise<string | (() => string)> {
  const { docs, missing } = await runDocs(named, { usual: own, shipped });
  return docs ?? missing;
}

/** The documents of a command that sees one run through; `missing` says why there are none. */
export interface RunDocs {
  readonly docs: string | undefined;
  readonly missing: () => never;
}

/**
 * Checks the documents of a command: the ones that are `named` must be readable. Those of the run or its team (`usual`), and those that are
 * shipped, matter only to teams that work on documents: when they cannot be read, `missing` throws the reason.
 */
export async function runDocs(
  named: string | undefined,
  { usual, shipped = shippedDocs }: { readonly usual?: string | undefined; readonly shipped?: () => string | undefined } = {},
): Promise<RunDocs> {
  if (named !== undefined) return { docs: await checkDocumentRoot(named), missing: missingDocs };
  const folder = usual ?? shipped();
  if (folder === undefined) return { docs: undefined, missing: missingDocs };
  try {
    return { docs: await checkDocumentRoot(folder), missing: missingDocs };
  } catch (thrown) {
    const missing = (): never => {
      throw thrown;
    };
    return { docs: undefined, missing };
  }
}

/** Says that there are no documents, and what to do. */
export function missingDocs(): never {
  throw new CadreError(
    'OPTION_INVALID',
    'there are no documents to work on: the `ai` package, whose documents are used otherwise, is not installed; name a folder, or a file, with --docs PATH',
  );
}

/**
 * Line that says how many files of the documents are not read, by kind; empty when all are, when no profile works on documents, and of the
 * documents that are shipped.
 */
export async function leftOutLine(
  docs: string | undefined,
  set: Pick<ProfileSet, 'profiles'>,
  tools: readonly Tool[],
): Promise<string> {
  if (docs === undefined || docs === shippedDocs() || !worksOnDocuments(set, tools)) return '';
  const kinds = describeLeftOut(await surveyDocuments(docs));
  return kinds === undefined ? '' : `Documents in ${safe(docs, 200)}: not read are ${safe(kinds, 400)}.\n`;
}

/** Whether a profile names tools that read documents; one that allows all tools may do without. */
export function worksOnDocuments({ profiles }: Pick<ProfileSet, 'profiles'>, tools: readonly Tool[]): boolean {
  const reading = tools.filter(({ name }) => name !== 'write_report');
  const named = new Set(reading.flatMap(({ name, toolset }) => [name, toolset]));
  return [...profiles.values()].some(({ allowedToolsets, allowedTools }) =>
    [...allowedToolsets, ...allowedTools].some((name) => named.has(name)),
  );
}

/** The documents inside the `ai` package, wherever it is installed; undefined when it is not. */
export function shippedDocs(): string | undefined {
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
