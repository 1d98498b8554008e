import path from 'node:path';
import { CadreError } from '../../../core/error.ts';
import type { RunSummary } from '../../../core/events/journal.ts';
import { EngineFolder } from '../../../files/engine-folder.ts';
import { RunCatalog } from '../../../engine/run-catalog.ts';
import { systemClock } from '../../../engine/system-clock.ts';
import { safe } from '../../../inspect/format/text/layout.ts';
import { countText, timeText } from '../../../inspect/format/text/quantity-text.ts';
import type { ExitCode } from '../../exit-code.ts';
import { openJournal } from '../../options/open-journal.ts';
import { checkStorePlace, checkDefaultWorkspaces, shownStore, storePath } from '../../options/store-path.ts';
import { openRecords } from '../../runs/recorded-run.ts';
import { show, type ReadingOptions } from '../../runs/show.ts';
import { removeFoldersNote } from '../../terminal/folders-note.ts';
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
  await checkStorePlace(options.store);
  // Opening for writing would create a missing journal.
  await (await openRecords(options.store)).close();
  const journal = await openJournal(options.store);
  try {
    const catalog = new RunCatalog(journal, systemClock);
    const which = { olderThanMs, deleted, idle, ...(project === undefined ? {} : { project }) };
    const { runs } = await catalog.prune({ ...which, dryRun: true });
    if (runs.length === 0 && !dryRun) {
      const { texts } = await catalog.prune({ ...which, include: () => false });
      if (texts > 0) return show(leftTexts(texts), options);
    }
    if (dryRun || runs.length === 0) {
      const chats = idle || runs.length > 0 ? [] : (await catalog.prune({ ...which, idle: true, dryRun: true })).runs;
      const hint =
        chats.length === 0
          ? ''
          : ` ${countText(chats.length, 'run')} of that age only ${chats.length === 1 ? 'waits' : 'wait'} for a message: add --idle to erase ${chats.length === 1 ? 'it' : 'those'}.`;
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
    if (options.workspaces === true) await checkDefaultWorkspaces(storePath(options.store));
    const chosen = new Set(runs.map(({ runId }) => runId));
    let folders = 0;
    const pruned = await catalog.prune({
      ...which,
      include: ({ runId }) => chosen.has(runId),
      onErased: async ({ runId }) => void (folders += (await removeFolders(runId, options)) ? 1 : 0),
    });
    const runIds = pruned.runs.map(({ runId }) => runId);
    const { texts, held } = pruned;
    const kept = held.length === 0 ? '' : ` Not erased, since a process holds them: ${held.map((id) => safe(id)).join(', ')}.`;
    const also = options.workspaces === true ? ` and ${countText(folders, 'workspace')}` : '';
    return show(
      {
        data: { runIds, texts, held, ...(options.workspaces === true ? { workspaces: folders } : {}), dryRun: false },
        text: () =>
          `Erased ${countText(runIds.length, 'run')}, ${countText(texts, 'text')}${also} from ${safe(shownStore(options.store))}.${kept}\n`,
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

/** Removes the note of an erased run on this machine, and with `--workspaces` its default workspace; true when there was one. */
async function removeFolders(runId: string, { store, workspaces }: PruneCommandOptions): Promise<boolean> {
  const file = storePath(store);
  await removeFoldersNote(file, runId);
  if (workspaces !== true) return false;
  return await new EngineFolder(path.dirname(file), ['workspaces']).remove(runId);
}

/** Says that an earlier call was interrupted after it had erased its runs, and that the rest is done now. */
function leftTexts(texts: number) {
  return {
    data: { runIds: [], texts, held: [], dryRun: false },
    text: () => `No run is that old. Erased ${countText(texts, 'text')} of runs that an interrupted call had erased before.\n`,
  };
}
