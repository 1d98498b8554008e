import type { RunSummary } from '../../../core/events/journal.ts';
import { hasWords, statusWord } from '../../../inspect/run-words.ts';
import { safe } from '../../../inspect/format/text/layout.ts';
import { costText, durationText, timeText, tokensText } from '../../../inspect/format/text/quantity-text.ts';
import { cell, table } from '../../../inspect/format/text/table.ts';
import { plainStyle, styledStatus, type FormatOptions } from '../../../inspect/format/text/text-style.ts';
import type { ExitCode } from '../../exit-code.ts';
import { openRecords } from '../../runs/recorded-run.ts';
import { show, type ReadingOptions } from '../../runs/show.ts';
import { thisCommand } from '../../options/this-command.ts';

/** Maximum number of runs listed without `--all`. */
const listedRuns = 200;

/** Options of `runs`. */
export interface RunsOptions extends ReadingOptions {
  readonly project?: string;
  readonly search?: string;
  readonly deleted?: boolean;
  readonly all?: boolean;
}

/** Lists the runs of a journal, newest first: the newest 200 for people, all with `--all` or `--json`. */
export async function runsCommand(options: RunsOptions): Promise<ExitCode> {
  const journal = await openRecords(options.store);
  try {
    const { project, search = '', deleted, all, json } = options;
    const filter = { ...(project === undefined ? {} : { project }), ...(deleted === true ? { isDeleted: true as const } : {}) };
    // What is shown without a search is read, and one more: older runs are not counted.
    const isShort = search === '' && all !== true && json !== true;
    const read = await journal.runs({ ...filter, ...(isShort ? { limit: listedRuns + 1 } : {}) });
    const listed = read.filter((run) => hasWords(run, search));
    const found = listed.toSorted((a, b) => b.createdAt - a.createdAt);
    const runs = all === true || json === true ? found : found.slice(0, listedRuns);
    const older = found.length - runs.length;
    const hint =
      older === 0
        ? ''
        : `… ${isShort ? '' : `${older} `}older runs; list all with: ${thisCommand(listAllCommand(options), options.store)}\n`;
    return show({ data: runs, text: (format) => `${formatRuns(runs, format)}${hint}` }, options);
  } finally {
    await journal.close();
  }
}

/** Returns the command that lists all runs with the same filter. */
function listAllCommand({ project, search, deleted }: RunsOptions): readonly string[] {
  const words = ['runs', '--all'];
  if (project !== undefined) words.push('--project', project);
  if (search !== undefined) words.push('--search', search);
  if (deleted === true) words.push('--deleted');
  return words;
}

/** Minimum widths of the columns id, title and project in a narrow window. */
const least = { 0: 8, 8: 12, 9: 8 };

/** Renders runs, one per line. */
function formatRuns(runs: readonly RunSummary[], { style = plainStyle, width }: FormatOptions = {}): string {
  if (runs.length === 0) return 'No runs.\n';
  const hasProjects = runs.some(({ project }) => project !== undefined);
  const header = [
    'RUN',
    'STATUS',
    'STARTED',
    'TIME',
    'AGENTS',
    'TURNS',
    'TOKENS',
    'COST',
    'TITLE',
    ...(hasProjects ? ['PROJECT'] : []),
  ].map((title) => cell(title, style.dim));
  const body = runs.map((run) => [
    cell(safe(run.runId, 60), style.bold),
    cell(statusWord(run), (text) => styledStatus(style, text)),
    cell(timeText(run.createdAt).replace('T', ' ').slice(0, 19)),
    cell(durationText(run.updatedAt - run.createdAt)),
    cell(`${run.agents}`),
    cell(`${run.turns}`),
    cell(tokensText(run.inputTokens, run.outputTokens)),
    cell(costText(run.cost, run.costAtLeast)),
    cell(`${run.isImported === true ? '(imported) ' : ''}${safe(run.title, 80)}`),
    ...(hasProjects ? [cell(safe(run.project ?? '', 40))] : []),
  ]);
  return `${table([header, ...body], { width, least }).join('\n')}\n`;
}
