import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Journal } from '../../core/events/journal.ts';
import type { Recording } from '../../core/recording/recording.ts';
import type { RunId } from '../../core/ids.ts';
import type { Runtime } from '../../core/runtime.ts';
import type { ProfileSet } from '../../core/profile/profile.ts';
import { randomIds } from '../../engine/random-ids.ts';
import { type EngineOptions } from '../../engine/engine-options.ts';
import type { Engine } from '../../engine/engine.ts';
import { createLlmConfigs } from '../../engine/launch/llm-configs.ts';
import { systemClock } from '../../engine/system-clock.ts';
import { createModelGateway } from '../../models/gateway.ts';
import { createDocumentTools, type DocumentTools } from '../../toolsets/documents/create-document-tools.ts';
import { describeLeftOut } from '../../toolsets/documents/left-out.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { builtInToolsets } from '../../engine/toolsets/toolset-kinds.ts';
import { mayReadDocuments, unreadFilesLine, runDocs, bundledDocs, teamDocs, worksOnDocuments } from '../options/docs-folder.ts';
import { journalSecrets } from '../options/journal-key.ts';
import { openEngine } from '../options/open-engine.ts';
import { isServerStore } from '../options/server-store.ts';
import { modelLine } from '../options/model-line.ts';
import {
  checkNamedFolders,
  checkStorePlace,
  checkDefaultWorkspaces,
  defaultReports,
  defaultStore,
  documentCache,
  storePlace,
} from '../options/store-path.ts';
import { tellWarnings } from '../terminal/loading-warnings.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { askOnTerminal } from '../trust/ask-on-terminal.ts';
import { FolderTrust, type TrustOptions } from '../trust/folder-trust.ts';
import { HistoryTrust } from '../trust/history-trust.ts';
import { FoundDocs } from '../trust/found-docs.ts';
import { isWithin } from '../../files/is-within.ts';
import { realFolder, type RunPlaces } from '../trust/run-folders.ts';
import type { Reading } from '../progress/reading-line.ts';
import { receiveMail } from '../../server/reach/receive-mail.ts';
import { readFoldersNote, writeFoldersNote, type FoldersNote } from '../terminal/folders-note.ts';

/** Options of `openRunSession`. */
export interface RunSessionOptions {
  readonly profiles: EngineOptions['profiles'];
  /** Path of the journal, or `memory`; the default one when absent. */
  readonly store?: string | undefined;
  readonly docs?: string | undefined;
  readonly out?: string | undefined;
  /** Folder tools of a new run work in, as the user named it. */
  readonly workspace?: string | undefined;
  /** Recorded workspace and request values of the run to resume. */
  readonly recorded?: Pick<RunPlaces, 'workspace' | 'request'> | undefined;
  /** Run to resume or to fork; a new id when absent. */
  readonly runId?: RunId;
  /** Fork of `runId` that the session is for: folders are noted for it, and the default reports folder is its own. */
  readonly forkId?: RunId;
  /** Recording that answers instead of models and tools. */
  readonly replay?: Recording | undefined;
  /** True when the user trusts the profiles (`--trust`). */
  readonly trust?: boolean | undefined;
  /** True to refuse profiles that load with warnings (`--strict`). */
  readonly strict?: boolean | undefined;
  readonly json?: boolean | undefined;
  /** Takes runs over even from a holder that seems alive. */
  readonly takeOver?: boolean;
  /** Advances the run, instead of this process. */
  readonly runtime?: Runtime | undefined;
}

/** Engine for one run, with document tools over one folder. */
export interface RunSession extends AsyncDisposable {
  readonly engine: Engine;
  /** Id of the run, existing or new. */
  readonly runId: RunId;
  /** Folder of documents; undefined when none was named and no profile works on documents. */
  readonly docs: string | undefined;
  readonly out: string;
  /** Journal as the user named it; undefined for the default one. */
  readonly store: string | undefined;
  /** Returns lines that name the models, and document files that are not read. */
  openingLines(llmConfig: string | undefined): string;
  /** Starts to read documents while the first model call runs, when a profile works on them. */
  beginReading(): void;
  /** How far documents have been read. */
  readonly reading: Reading;
  /** Returns lines that name unread documents and written reports; empty when there are none. */
  closingLines(): Promise<string>;
}

/**
 * Opens the engine for one run: checks documents, then profiles, then opens the journal. Notes the folders beside the journal, so that
 * the run can be resumed without naming them again.
 */
export async function openRunSession(options: RunSessionOptions): Promise<RunSession> {
  const runId = options.runId ?? randomIds.runId();
  await checkStorePlace(options.store);
  checkNamedFolders([options.workspace, options.out]);
  const store = storePlace(options.store);
  const note = options.runId === undefined ? undefined : await readFoldersNote(store, runId);
  const beside = await docsBeside(options, note);
  const { docs, missing } = await runDocs(options.docs, { usual: note?.docs ?? beside });
  const found = await FoundDocs.beside(beside, options.profiles);
  const outDir = await reportsFolder(options, note, runId);
  if (options.runId === undefined && options.workspace === undefined) await checkDefaultWorkspaces(store);
  const documents = createDocumentTools({ root: found.root(docs ?? missing), outDir, cacheDir: documentCache(store) });
  const history = new HistoryTrust({
    ...consentOf(options),
    store: isServerStore(options.store) || store === 'memory' ? undefined : store,
  });
  const trust = createTrust(options, store, history);
  const places = options.runId === undefined ? undefined : await placesOf({ ...options, runId }, note);
  try {
    const { engine, journal } = await openRunEngine(options, { runId, documents, trust, history });
    history.use(journal);
    // A replay calls no model and no tool, but starts servers and loads code to list the tools, like any run.
    if (options.replay === undefined || hasExternalTools(engine.profiles)) {
      const readable = mayReadDocuments(engine.profiles, documents.tools) ? found.unnamed : undefined;
      await closeOnFailure(engine, journal, async () => {
        if (options.runId !== undefined) await history.check(options.runId);
        await trust.check(engine.profiles, places, readable);
      });
      if (readable !== undefined) found.open();
    }
    tellWarnings(engine.warnings);
    const named = found.isOpen ? [found.unnamed] : [];
    await trust.trustFolders([options.workspace, options.docs, options.out, ...named]);
    // Fails now rather than in the first tool call that needs documents.
    if (docs === undefined && options.replay === undefined && worksOnDocuments(engine.profiles, documents.tools))
      await closeOnFailure(engine, journal, async () => missing());
    const opened = found.isOpen ? docs : undefined;
    await writeFoldersNote(store, options.forkId ?? runId, { out: outDir, ...(opened === undefined ? {} : { docs: opened }) });
    const isReading = options.replay === undefined && found.isOpen;
    const unreadLine = isReading ? await unreadFilesLine(docs, engine.profiles, documents.tools) : '';
    const mail = receiveMail(engine, store);
    return {
      engine,
      runId,
      docs,
      out: outDir,
      store: options.store,
      openingLines: (llmConfig) =>
        `${options.replay === undefined ? lineOf(engine, llmConfig) : replayLine(options.replay)}\n${unreadLine}`,
      beginReading: () => {
        if (isReading && docs !== undefined && worksOnDocuments(engine.profiles, documents.tools)) documents.begin();
      },
      reading: () => documents.progress,
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

/** Opens the engine of one run with its journal. */
async function openRunEngine(
  { profiles, takeOver, replay, store, runtime, strict }: RunSessionOptions,
  parts: {
    readonly runId: RunId;
    readonly documents: ReturnType<typeof createDocumentTools>;
    readonly trust: FolderTrust;
    readonly history: HistoryTrust;
  },
): ReturnType<typeof openEngine> {
  const { runId, documents, trust, history } = parts;
  return await openEngine(
    {
      profiles,
      tools: documents.tools,
      ...(runtime === undefined ? {} : { runtime }),
      ids: idsFrom(runId),
      ...journalSecrets(store),
      trust: async (set, run, launched) => {
        if (replay !== undefined && !hasExternalTools(set)) return;
        if (run !== undefined) await history.checkLater(run);
        await trust.checkLater(set, run, launched);
      },
      ...(strict === undefined ? {} : { strict }),
      ...(replay === undefined ? {} : { replay }),
    },
    { store, takeOver },
  );
}

/** Returns the documents of the team, unless others are named: then there is no need to look, and a link there is no error. */
async function docsBeside({ docs, profiles }: RunSessionOptions, note: FoldersNote | undefined): Promise<string | undefined> {
  return docs === undefined && note?.docs === undefined ? await teamDocs(profiles) : undefined;
}

/** Returns an id source whose first run gets the given id: the note beside the journal is for this run. */
function idsFrom(first: RunId): typeof randomIds {
  let next = first;
  return {
    ...randomIds,
    runId: () => {
      const id = next;
      next = randomIds.runId();
      return id;
    },
  };
}

function createTrust({ profiles, trust, json }: RunSessionOptions, store: string, history: HistoryTrust): FolderTrust {
  return new FolderTrust({
    place: typeof profiles === 'string' ? profiles : path.resolve(store),
    store: store === 'memory' ? undefined : path.resolve(store),
    isOfOthers: history.isOfOthers,
    ...consentOf({ trust, json }),
  });
}

/** Returns how the user of a command can agree. */
function consentOf({ trust, json }: Pick<RunSessionOptions, 'trust' | 'json'>): Pick<TrustOptions, 'isAgreed' | 'ask'> {
  return { isAgreed: trust === true, ask: json !== true && openTerminal().isInteractive ? askOnTerminal : undefined };
}

/** Returns the recorded folders of a run, which need trust; folders named on this command line need none. */
async function placesOf(
  { runId, docs, out, recorded }: RunSessionOptions & { readonly runId: RunId },
  note: FoldersNote | undefined,
): Promise<RunPlaces> {
  const noted = [docs === undefined ? note?.docs : undefined, out === undefined ? note?.out : undefined];
  const folders: string[] = [];
  for (const folder of noted) if (folder !== undefined && !(await isDefaultFolder(folder, runId))) folders.push(folder);
  return { ...recorded, runId, folders };
}

/** Returns the folder for reports: the named one, the noted one, or the default. A fork shares no default folder with its original. */
async function reportsFolder({ out, forkId }: RunSessionOptions, note: FoldersNote | undefined, runId: RunId): Promise<string> {
  if (out !== undefined) return path.resolve(out);
  if (note === undefined) return defaultReports(forkId ?? runId);
  const isShared = forkId !== undefined && note.out === ownReports(runId);
  return isShared ? defaultReports(forkId) : path.resolve(note.out);
}

/** Default reports folder of a run in this project. */
const ownReports = (runId: RunId): string => path.resolve(path.dirname(defaultStore), 'reports', runId);

/** True when a noted folder is a default: the shipped documents, or the run's reports folder in this project. */
async function isDefaultFolder(folder: string, runId: RunId): Promise<boolean> {
  if (folder === bundledDocs()) return true;
  const reports = ownReports(runId);
  return folder === reports && isWithin(await realFolder('.'), await realFolder(reports));
}

/** Runs a check; closes the engine and journal when it fails. */
async function closeOnFailure(engine: Engine, journal: Journal | undefined, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    await engine.close();
    await journal?.close();
    throw thrown;
  }
}

/** True when a toolset gets its tools from a program or code that is started or loaded before any call. */
function hasExternalTools({ toolsets }: ProfileSet): boolean {
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
  return `Model: none; all models and tools are answered from ${safe(source, 200)}.`;
}

const shownSkips = 5;

async function closingLines(documents: DocumentTools, docs: string | undefined, out: string): Promise<string> {
  // Reads no documents just for these lines.
  const { files, skipped, leftOut } = documents.isRead ? await documents.stats() : { files: 0, skipped: [], leftOut: [] };
  const names = skipped.slice(0, shownSkips).map(({ file, reason }) => `${safe(file, 120)} (${reason})`);
  const more = skipped.length > shownSkips ? `, and ${skipped.length - shownSkips} more` : '';
  const kinds = describeLeftOut(leftOut);
  const listed = names.length === 0 ? '' : `; ${names.join(', ')}${more}`;
  const passedOver =
    kinds === undefined
      ? ''
      : `Documents in ${safe(docs ?? '', 200)} that were not read: ${safe(kinds, 400)}${listed}. Read: ${files}.\n`;
  const reports = await readdir(out).catch((): string[] => []);
  return `${passedOver}${reports.length === 0 ? '' : `Written: ${reports.map((name) => safe(path.join(out, name), 300)).join(', ')}\n`}`;
}
