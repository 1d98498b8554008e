import { rm } from 'node:fs/promises';
import path from 'node:path';
import { CadreError } from '../../../core/error.ts';
import type { RunSummary } from '../../../core/events/journal.ts';
import { RunCatalog } from '../../../engine/run-catalog.ts';
import { systemClock } from '../../../engine/system-clock.ts';
import { safe } from '../../../inspect/format/text/layout.ts';
import { timeText } from '../../../inspect/format/text/quantity-text.ts';
import type { ExitCode } from '../../exit-code.ts';
import { openJournal } from '../../options/open-journal.ts';
import { checkDefaultStore, checkDefaultWorkspaces, shownStore, storePath } from '../../options/store-path.ts';
import { openRecords } from '../../runs/recorded-run.ts';
import { show, type ReadingOptions } from '../../runs/show.ts';
import { folderOfNotes } from '../../terminal/folders-note.ts';
import { askOnTerminal } from '../../trust/ask-on-terminal.ts';

/** Options of `runs prune`. */
export interface PruneCommandOptions extends ReadingOptions {
  /** Milliseconds. */
  readonly olderThan: number;
  readonly project?: string;
  readonly deleted?: boolean;
  readonly idle?: boolean;
  readonly workspaces?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Runs listed before the question. */
const listedRuns = 20;

/** Erases runs that ended long ago, after showing which. */
export async function pruneCommand(options: PruneCommandOptions): Promise<ExitCode> {
  const { olderThan: olderThanMs, project, deleted = false, idle = false, dryRun = false, json = false } = options;
  await checkDefaultStore(options.store);
  // Opening for writing would create a missing journal.
  await (await openRecords(options.store)).close();
  const journal = await openJournal(options.store);
  try {
    const catalog = new RunCatalog(journal, systemClock);
    const which = { olderThanMs, deleted, idle, ...(project === undefined ? {} : { project }) };
    const { runs } = await catalog.prune({ ...which, dryRun: true });
    if (dryRun || runs.length === 0) {
      const chats = idle || runs.length > 0 ? [] : (await catalog.prune({ ...which, idle: true, dryRun: true })).runs;
      const hint =
        chats.length === 0 ? '' : ` ${chats.length} runs of that age only wait for a message: add --idle to erase those.`;
      const text =
        runs.length === 0 ? `No run is that old: nothing to erase.${hint}\n` : `${listText(runs)}Nothing was erased (--dry-run).\n`;
      return show(
        { data: { runIds: runs.map(({ runId }) => runId), texts: 0, held: [], dryRun: true }, text: () => text },
        options,
      );
    }
    if (options.yes !== true && !(await confirm(runs, options))) {
      if (!json) process.stderr.write('Nothing was erased.\n');
      return 1;
    }
    const chosen = new Set(runs.map(({ runId }) => runId));
    const pruned = await catalog.prune({ ...which, include: ({ runId }) => chosen.has(runId) });
    const runIds = pruned.runs.map(({ runId }) => runId);
    const folders = await removeFolders(runIds, options);
    const { texts, held } = pruned;
    const kept = held.length === 0 ? '' : ` Not erased, since a process holds them: ${held.map((id) => safe(id)).join(', ')}.`;
    const also = options.workspaces === true ? ` and ${folders} workspaces` : '';
    return show(
      {
        data: { runIds, texts, held, ...(options.workspaces === true ? { workspaces: folders } : {}), dryRun: false },
        text: () => `Erased ${runIds.length} runs, ${texts} texts${also} from ${safe(shownStore(options.store))}.${kept}\n`,
      },
      options,
    );
  } finally {
    await journal.close();
  }
}

async function confirm(runs: readonly RunSummary[], { store, workspaces }: PruneCommandOptions): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new CadreError(
      'OPTION_INVALID',
      `${runs.length} runs would be erased, and there is no terminal to ask on: add --yes to erase them, or --dry-run to list them. Nothing was erased`,
    );
  process.stderr.write(listText(runs));
  const also = workspaces === true ? ' with their workspaces' : '';
  return await askOnTerminal(`Erase these ${runs.length} runs${also} from ${safe(shownStore(store))}? It cannot be undone. [y/N] `);
}

function listText(runs: readonly RunSummary[]): string {
  const lines = runs
    .slice(0, listedRuns)
    .map(({ runId, status, updatedAt, title }) =>
      `  ${safe(runId, 60)}  ${safe(status)}, ${timeText(updatedAt).slice(0, 10)}  ${safe(title, 60)}`.trimEnd(),
    );
  const more = runs.length - lines.length;
  return `${lines.join('\n')}\n${more > 0 ? `  … and ${more} more\n` : ''}`;
}

/** Removes the notes of erased runs on this machine, and with `--workspaces` their default workspaces; returns how many of those. */
async function removeFolders(runIds: readonly string[], { store, workspaces }: PruneCommandOptions): Promise<number> {
  const file = storePath(store);
  if (workspaces === true) await checkDefaultWorkspaces(file);
  let removed = 0;
  for (const runId of runIds) {
    await rm(path.join(folderOfNotes(file), `${runId}.json`), { force: true });
    if (workspaces !== true) continue;
    const folder = path.join(path.dirname(file), 'workspaces', runId);
    // Removing a link removes the link, and nothing behind it.
    const found = await rm(folder, { recursive: true }).then(
      () => true,
      (thrown: unknown) => {
        if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return false;
        throw thrown;
      },
    );
    if (found) removed += 1;
  }
  return removed;
}
