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
import { projectPath } from './project-file.ts';
import { ownFolder } from '../trust/own-folder.ts';

/** Returns the documents of the user's team: those that its `team.yaml` names, else the folder `docs` beside its profiles folder, if it exists. */
export async function teamDocs(profiles: unknown): Promise<string | undefined> {
  if (typeof profiles !== 'string') return undefined;
  const named = await projectPath(profiles, 'docs');
  if (named !== undefined) return named;
  const folder = path.join(path.dirname(path.resolve(profiles)), 'docs');
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder || (await isBundledFolder(profiles))) return undefined;
  return await ownFolder(folder, path.dirname(folder), '--docs PATH');
}

/**
 * Returns the documents of a command that serves teams; checked when they are `named`. Serving needs no documents: when there are none,
 * or those in the team's `own` folder cannot be read, the tools report it when called.
 */
export async function servedDocs(
  named: string | undefined,
  { own, shipped = bundledDocs }: { readonly own?: string | undefined; readonly shipped?: () => string | undefined } = {},
): Promise<string | (() => string)> {
  const { docs, missing } = await runDocs(named, { usual: own, shipped });
  return docs ?? missing;
}

/** Documents of a command that drives one run; `missing` throws the reason why there are none. */
export interface RunDocs {
  readonly docs: string | undefined;
  readonly missing: () => never;
}

/**
 * Checks the documents of a command. `named` ones must be readable; those of the run or its team (`usual`) and the shipped ones matter
 * only to teams that work on documents: when they cannot be read, `missing` throws the reason.
 */
export async function runDocs(
  named: string | undefined,
  { usual, shipped = bundledDocs }: { readonly usual?: string | undefined; readonly shipped?: () => string | undefined } = {},
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

/** Throws the error that there are no documents. */
export function missingDocs(): never {
  throw new CadreError(
    'OPTION_INVALID',
    'there are no documents: the default ones, in the `ai` package, are not installed; name a folder or a file with --docs PATH',
  );
}

/**
 * Returns a line with the number of document files that are not read, by kind; empty when all are read, when no profile works on
 * documents, and for the shipped documents.
 */
export async function unreadFilesLine(
  docs: string | undefined,
  set: Pick<ProfileSet, 'profiles'>,
  tools: readonly Tool[],
): Promise<string> {
  if (docs === undefined || docs === bundledDocs() || !worksOnDocuments(set, tools)) return '';
  const kinds = describeLeftOut(await surveyDocuments(docs));
  return kinds === undefined ? '' : `Documents in ${safe(docs, 200)} that are not read: ${safe(kinds, 400)}.\n`;
}

/** True when a profile names tools that read documents; a profile that allows all tools does not count. */
export function worksOnDocuments({ profiles }: Pick<ProfileSet, 'profiles'>, tools: readonly Tool[]): boolean {
  const reading = tools.filter(({ name }) => name !== 'write_report');
  const named = new Set(reading.flatMap(({ name, toolset }) => [name, toolset]));
  return [...profiles.values()].some(({ allowedToolsets, allowedTools }) =>
    [...allowedToolsets, ...allowedTools].some((name) => named.has(name)),
  );
}

/** True when a profile may read documents, also by allowing all tools. */
export function mayReadDocuments(set: Pick<ProfileSet, 'profiles'>, tools: readonly Tool[]): boolean {
  const isOpen = [...set.profiles.values()].some(({ allowedToolsets, allowedTools }) =>
    [...allowedToolsets, ...allowedTools].includes('*'),
  );
  return isOpen || worksOnDocuments(set, tools);
}

/** Returns the documents inside the `ai` package; undefined when it is not installed. */
export function bundledDocs(): string | undefined {
  let packageFile: string;
  try {
    packageFile = fileURLToPath(import.meta.resolve('ai/package.json'));
  } catch {
    // Not installed: the caller reports what to do instead.
    return undefined;
  }
  const folder = path.join(path.dirname(packageFile), 'docs');
  return existsSync(folder) ? folder : undefined;
}
