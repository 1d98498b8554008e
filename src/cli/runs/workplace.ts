import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Journal } from '../../core/events/journal.ts';
import type { Recording } from '../../core/recording/recording.ts';
import type { RunId } from '../../core/ids.ts';
import type { ProfileSet } from '../../core/profile/profile.ts';
import { randomIds } from '../../engine/random-ids.ts';
import { createEngine } from '../../engine/create-engine.ts';
import { type EngineOptions } from '../../engine/engine-options.ts';
import type { Engine } from '../../engine/engine.ts';
import { createLlmConfigs } from '../../engine/launch/llm-configs.ts';
import { systemClock } from '../../engine/system-clock.ts';
import { createModelGateway } from '../../models/gateway.ts';
import { createSqliteJournal } from '../../journal/sqlite/sqlite-journal.ts';
import { createDocumentTools, type DocumentTools } from '../../toolsets/documents/create-document-tools.ts';
import { describeLeftOut } from '../../toolsets/documents/left-out.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { builtInToolsets } from '../../engine/toolsets/toolset-kinds.ts';
import { leftOutLine, runDocs, shippedDocs, teamDocs, worksOnDocuments } from '../options/docs-folder.ts';
import { journalIntegrity, journalSecrets } from '../options/journal-key.ts';
import { modelLine } from '../options/model-line.ts';
import { checkUsualWorkspaces, usualReports, usualStore } from '../options/store-path.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { askOnTerminal } from '../trust/ask-on-terminal.ts';
import { FolderTrust } from '../trust/folder-trust.ts';
import { isBelow, realFolder, type RunPlaces } from '../trust/run-folders.ts';
import { receiveMail } from '../../server/reach/receive-mail.ts';
import { readWorkNote, writeWorkNote, type WorkNote } from '../terminal/work-note.ts';

/** What a workplace is opened with. */
export interface WorkplaceOptions {
  readonly profiles: EngineOptions['profiles'];
  /** The journal's file, or `memory`; the usual one when absent. */
  readonly store?: string | undefined;
  readonly docs?: string | undefined;
  readonly out?: string | undefined;
  /** The folder tools of a new run work in, as the user named it. */
  readonly workspace?: string | undefined;
  /** What the journal says of the run to go on with: where it works, and the values of its request. */
  readonly recorded?: Pick<RunPlaces, 'workspace' | 'request'> | undefined;
  /** The run to go on with; a new id when absent. */
  readonly runId?: RunId;
  /** A recording that answers in the place of models and tools. */
  readonly replay?: Recording | undefined;
  /** The user trusts the profiles, on the command line. */
  readonly trust?: boolean | undefined;
  readonly json?: boolean | undefined;
  /** Takes runs even from a holder that seems alive. */
  readonly takeOver?: boolean;
}

/** An engine with the documents tools over one folder, for one run. */
export interface Workplace extends AsyncDisposable {
  readonly engine: Engine;
  /** The id the next run gets, or has. */
  readonly runId: RunId;
  /** The folder of documents; undefined when none was named and none of the profiles works on any. */
  readonly docs: string | undefined;
  readonly out: string;
  /** The journal as the reader named it; undefined for the usual one. */
  readonly store: string | undefined;
  /** Which model answers, and which files of the documents are not read, if there are any; whole lines. */
  openingLines(llmConfig: string | undefined): string;
  /** What the tools could not read of the documents, and where reports were written; empty when there is nothing to say. */
  closingLines(): Promise<string>;
}

/**
 * Opens the engine for one run: documents are checked first, if there are any, then all profiles, then the store is opened. The folders
 * are noted beside the journal, so that the run can go on later without naming them again.
 */
export async function openWorkplace(options: WorkplaceOptions): Promise<Workplace> {
  const runId = options.runId ?? randomIds.runId();
  const store = options.store ?? usualStore;
  const note = options.runId === undefined ? undefined : await readWorkNote(store, runId);
  const { docs, missing } = await runDocs(options.docs, { usual: note?.docs ?? (await teamDocs(options.profiles)) });
  const out = options.out ?? note?.out;
  const outDir = out === undefined ? await usualReports(runId) : path.resolve(out);
  if (options.runId === undefined && options.workspace === undefined) await checkUsualWorkspaces(store);
  const documents = createDocumentTools({ root: docs ?? missing, outDir });
  // The first run is the one that was noted; a page beside it may start others.
  let next = runId;
  const ids = {
    ...randomIds,
    runId: (): RunId => {
      const id = next;
      next = randomIds.runId();
      return id;
    },
  };
  const trust = new FolderTrust({
    place: typeof options.profiles === 'string' ? options.profiles : path.resolve(store),
    store: store === 'memory' ? undefined : path.resolve(store),
    isAgreed: options.trust === true,
    ask: options.json !== true && openTerminal().isInteractive ? askOnTerminal : undefined,
  });
  const places = options.runId === undefined ? undefined : await placesOf({ ...options, runId }, note);
  try {
    const journal = options.takeOver === true ? createSqliteJournal(store, { takeOver: true, ...journalIntegrity() }) : undefined;
    const engine = await createEngine({
      profiles: options.profiles,
      tools: documents.tools,
      store: journal ?? store,
      ids,
      ...(journal === undefined && store !== 'memory' ? journalIntegrity() : {}),
      ...journalSecrets(),
      trust: (set, run) => (options.replay === undefined || connects(set) ? trust.checkLater(set, run) : undefined),
      ...(options.replay === undefined ? {} : { replay: options.replay }),
    });
    // A replay calls no model and runs no tool; for what tools there are, it starts servers and loads code like any run.
    if (options.replay === undefined || connects(engine.profiles))
      await closingOnFailure(engine, journal, () => trust.check(engine.profiles, places));
    await trust.vouch([options.workspace, options.docs, options.out]);
    // Said now, and not by the first tool that looks for them in the middle of the work.
    if (docs === undefined && options.replay === undefined && worksOnDocuments(engine.profiles, documents.tools)) {
      await engine.close();
      await journal?.close();
      missing();
    }
    await writeWorkNote(store, runId, { ...(docs === undefined ? {} : { docs }), out: outDir });
    const notRead = options.replay === undefined ? await leftOutLine(docs, engine.profiles, documents.tools) : '';
    const mail = receiveMail(engine, store);
    return {
      engine,
      runId,
      docs,
      out: outDir,
      store: options.store,
      openingLines: (llmConfig) =>
        `${options.replay === undefined ? lineOf(engine, llmConfig) : replayLine(options.replay)}\n${notRead}`,
      closingLines: () => closingLines(documents, docs, outDir),
      [Symbol.asyncDispose]: async () => {
        mail[Symbol.dispose]();
        await engine.close();
        await journal?.close();
        documents[Symbol.dispose]();
      },
    };
  } catch (error) {
    documents[Symbol.dispose]();
    throw error;
  }
}

/** Where a run on record works by the word of its journal and its note. Folders that the user names today are theirs to name. */
async function placesOf(
  { runId, docs, out, recorded }: WorkplaceOptions & { readonly runId: RunId },
  note: WorkNote | undefined,
): Promise<RunPlaces> {
  const noted = [docs === undefined ? note?.docs : undefined, out === undefined ? note?.out : undefined];
  const folders: string[] = [];
  for (const folder of noted) if (folder !== undefined && !(await isUsualFolder(folder, runId))) folders.push(folder);
  return { ...recorded, runId, folders };
}

/** Tells whether a noted folder is one that runs have when none is named: the shipped documents, and the reports of a run in this folder. */
async function isUsualFolder(folder: string, runId: RunId): Promise<boolean> {
  if (folder === shippedDocs()) return true;
  const reports = path.resolve(path.dirname(usualStore), 'reports', runId);
  return folder === reports && isBelow(await realFolder('.'), await realFolder(reports));
}

/** Does something that may refuse the profiles; an engine that was opened for them is closed then. */
async function closingOnFailure(engine: Engine, journal: Journal | undefined, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    await engine.close();
    await journal?.close();
    throw thrown;
  }
}

/** Whether toolsets of the files have their tools from elsewhere: a program is started, or code loaded, before any tool is called. */
function connects({ toolsets }: ProfileSet): boolean {
  return [...toolsets.values()].some(({ kind }) => builtInToolsets[kind]?.tools.length === 0);
}

function lineOf({ profiles }: Engine, llmConfig: string | undefined): string {
  const { find } = createLlmConfigs(profiles.llmConfigs);
  const gateway = createModelGateway({ models: {}, clock: systemClock, llmConfigs: find });
  return modelLine(profiles, llmConfig, (config) => {
    const check = gateway.resolves(config);
    return check.ok ? check.config : undefined;
  });
}

function replayLine({ source }: Recording): string {
  return `Model: none is called, and no tool is run: everything is answered from ${safe(source, 200)}.`;
}

const shownSkips = 5;

async function closingLines(documents: DocumentTools, docs: string | undefined, out: string): Promise<string> {
  // Nothing is read only to say what was read.
  const { files, skipped, leftOut } = documents.isRead ? await documents.stats() : { files: 0, skipped: [], leftOut: [] };
  const names = skipped.slice(0, shownSkips).map(({ file, reason }) => `${safe(file, 120)} (${reason})`);
  const more = skipped.length > shownSkips ? `, and ${skipped.length - shownSkips} more` : '';
  const kinds = describeLeftOut(leftOut);
  const listed = names.length === 0 ? '' : `; ${names.join(', ')}${more}`;
  const passedOver =
    kinds === undefined
      ? ''
      : `Not read, of the documents in ${safe(docs ?? '', 200)}: ${safe(kinds, 400)}${listed}. Read: ${files}.\n`;
  const reports = await readdir(out).catch((): string[] => []);
  return `${passedOver}${reports.length === 0 ? '' : `Written: ${reports.map((name) => safe(path.join(out, name), 300)).join(', ')}\n`}`;
}
