import { CadreError } from '../../../core/error.ts';
import type { Journal } from '../../../core/events/journal.ts';
import { type ProjectRow, RunCatalog } from '../../../engine/run-catalog.ts';
import { checkStorePlace } from '../../options/store-path.ts';
import { systemClock } from '../../../engine/system-clock.ts';
import { safe } from '../../../inspect/format/text/layout.ts';
import { timeText } from '../../../inspect/format/text/quantity-text.ts';
import { cell, table } from '../../../inspect/format/text/table.ts';
import { plainStyle, type FormatOptions } from '../../../inspect/format/text/text-style.ts';
import type { ExitCode } from '../../exit-code.ts';
import { openJournal } from '../../options/open-journal.ts';
import { findRun, findRunIn } from '../../runs/find-run.ts';
import { openRecords } from '../../runs/recorded-run.ts';
import { show, type ReadingOptions } from '../../runs/show.ts';

/** Options of `delete` and `restore`. */
export interface ForksOption extends ReadingOptions {
  readonly forks?: boolean;
}

/** Options of `projects`: the project to rename, and its new name. */
export interface ProjectsOptions extends ReadingOptions {
  readonly rename?: string;
  readonly to?: string;
}

/** Renames a run; without words, restores its generated title. */
export async function renameCommand(reference: string, words: readonly string[], options: ReadingOptions): Promise<ExitCode> {
  return await withCatalog(options, async (catalog, journal) => {
    const { runId } = await findRunIn(journal, reference);
    await catalog.rename(runId, words.length === 0 ? null : words.join(' '));
    const title = (await journal.runs({ runId }))[0]?.title ?? '';
    return show({ data: { runId, title }, text: () => `Renamed: run ${safe(runId)} has the title “${safe(title)}”.\n` }, options);
  });
}

/** Moves a run into a project, or out of its project. */
export async function moveCommand(reference: string, project: string | undefined, options: ReadingOptions): Promise<ExitCode> {
  return await withCatalog(options, async (catalog, journal) => {
    const { runId } = await findRunIn(journal, reference);
    await catalog.move(runId, project ?? null);
    const where = project === undefined ? 'in no project' : `in the project ${safe(project)}`;
    return show({ data: { runId, project: project ?? null }, text: () => `Run ${safe(runId)} is ${where}.\n` }, options);
  });
}

/** Hides a run from the lists. */
export async function deleteCommand(reference: string, options: ForksOption): Promise<ExitCode> {
  return await withCatalog(options, async (catalog, journal) => {
    const { runId } = await findRunIn(journal, reference);
    const runIds = await catalog.remove(runId, { forks: options.forks === true });
    return show(
      { data: { runIds }, text: () => `Deleted: ${safe(runIds.join(', '))}. Nothing is erased; restore brings it back.\n` },
      options,
    );
  });
}

/** Restores a deleted run. */
export async function restoreCommand(reference: string, options: ForksOption): Promise<ExitCode> {
  return await withCatalog(options, async (catalog, journal) => {
    const { runId } = findRun(await journal.runs({ isDeleted: true }), reference, `the deleted runs of ${journal.location}`);
    const runIds = await catalog.restore(runId, { forks: options.forks === true });
    return show({ data: { runIds }, text: () => `Restored: ${safe(runIds.join(', '))}.\n` }, options);
  });
}

/** Lists the projects, or renames one. */
export async function projectsCommand(options: ProjectsOptions): Promise<ExitCode> {
  const { rename, to } = options;
  if ((rename === undefined) !== (to === undefined))
    throw new CadreError('OPTION_INVALID', 'renaming a project takes both --rename NAME and --to NAME');
  if (rename !== undefined && to !== undefined)
    return await withCatalog(options, async (catalog) => {
      const runs = await catalog.renameProject(rename, to);
      return show({ data: { project: to, runs }, text: () => `${runs} runs are now in the project ${safe(to)}.\n` }, options);
    });
  const journal = await openRecords(options.store);
  try {
    const projects = await new RunCatalog(journal, systemClock).projects();
    return show({ data: projects, text: (format) => formatProjects(projects, format) }, options);
  } finally {
    await journal.close();
  }
}

/** Runs `work` on the catalog of an existing journal, which other processes may write at the same time. */
async function withCatalog(
  options: ReadingOptions,
  work: (catalog: RunCatalog, journal: Journal) => Promise<ExitCode>,
): Promise<ExitCode> {
  await checkStorePlace(options.store);
  const records = await openRecords(options.store);
  await records.close();
  const journal = await openJournal(options.store);
  try {
    return await work(new RunCatalog(journal, systemClock), journal);
  } finally {
    await journal.close();
  }
}

function formatProjects(projects: readonly ProjectRow[], { style = plainStyle, width }: FormatOptions = {}): string {
  if (projects.length === 0) return 'No projects. Move a run into one with: cadre move RUN PROJECT\n';
  const header = ['PROJECT', 'RUNS', 'LATEST'].map((title) => cell(title, style.dim));
  const body = projects.map(({ name, runs, updatedAt }) => [
    cell(safe(name, 60), style.bold),
    cell(`${runs}`),
    cell(timeText(updatedAt).replace('T', ' ').slice(0, 19)),
  ]);
  return `${table([header, ...body], { width, least: { 0: 8 } }).join('\n')}\n`;
}
