import path from 'node:path';
import type { Recording } from '../../core/recording/recording.ts';
import type { Journal } from '../../core/events/journal.ts';
import type { ProfileFile } from '../../core/profile/profile.ts';
import type { Runtime } from '../../core/runtime.ts';
import { type EngineOptions } from '../../engine/engine-options.ts';
import type { Engine } from '../../engine/engine.ts';
import { receiveMail } from '../../server/reach/receive-mail.ts';
import { createDocumentTools } from '../../toolsets/documents/create-document-tools.ts';
import { mayReadDocuments, unreadFilesLine, servedDocs, teamDocs, worksOnDocuments } from './docs-folder.ts';
import { journalSecrets } from './journal-key.ts';
import { openEngine } from './open-engine.ts';
import { profilesFolder } from './profiles-folder.ts';
import {
  checkNamedFolders,
  checkStorePlace,
  checkDefaultWorkspaces,
  defaultReports,
  documentCache,
  storePlace,
} from './store-path.ts';
import { isServerStore } from './server-store.ts';
import { tellWarnings } from '../terminal/loading-warnings.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { askOnTerminal } from '../trust/ask-on-terminal.ts';
import { FolderTrust, type TrustOptions } from '../trust/folder-trust.ts';
import { HistoryTrust } from '../trust/history-trust.ts';
import { FoundDocs } from '../trust/found-docs.ts';

/** Options of `openTeams`. */
export interface TeamsOptions {
  readonly docs?: string | undefined;
  readonly out?: string | undefined;
  readonly profiles?: string | undefined;
  readonly store?: string | undefined;
  /** Folder tools work in, as the user named it. */
  readonly workspace?: string | undefined;
  /** True when the user trusts the profiles (`--trust`). */
  readonly trust?: boolean | undefined;
  /** True to refuse profiles that load with warnings (`--strict`). */
  readonly strict?: boolean | undefined;
  /** Answers instead of models and tools. */
  readonly replay?: Recording | undefined;
}

/** Command that opens teams. */
export interface TeamsCommand {
  /** Name of the command, and of its default reports folder. */
  readonly command: 'serve' | 'mcp' | 'eval' | 'worker';
  /** Advances the runs, instead of this process. */
  readonly runtime?: Runtime | undefined;
  /** Open journal to use, which is closed with the teams; opened from the options when absent. */
  readonly journal?: Journal | undefined;
  /** Files that the command reads besides the profiles, which the user agrees to with them. */
  readonly also?: readonly ProfileFile[] | undefined;
  /** Models besides the configured ones. */
  readonly models?: NonNullable<EngineOptions['models']>;
}

/** Engine for any number of runs, with document tools over one folder; disposing closes it with its resources. */
export interface Teams extends AsyncDisposable {
  readonly engine: Engine;
  /** Folder the profiles were loaded from. */
  readonly profiles: string;
  /** Line that lists document files that are not read; empty when all are. */
  readonly unreadFilesLine: string;
}

/** Milliseconds for running tools to finish when the teams are closed. */
const graceMs = 5_000;

/**
 * Opens the engine of a command that serves teams; runs of other processes are reached through the mail beside the journal.
 */
export async function openTeams(options: TeamsOptions, served: TeamsCommand): Promise<Teams> {
  const { command, journal: given, models = {}, runtime, also } = served;
  await checkStorePlace(options.store);
  checkNamedFolders([options.workspace, options.out]);
  const profiles = profilesFolder(options.profiles);
  const beside = options.docs === undefined ? await teamDocs(profiles) : undefined;
  const found = await FoundDocs.beside(beside, profiles);
  const docs = await servedDocs(options.docs, { own: beside });
  const outDir = options.out === undefined ? await defaultReports(command) : path.resolve(options.out);
  const store = storePlace(options.store);
  if (options.workspace === undefined) await checkDefaultWorkspaces(store);
  const documents = createDocumentTools({ root: found.root(docs), outDir, cacheDir: documentCache(store) });
  let journal: Journal | undefined = given;
  try {
    const history = new HistoryTrust({
      ...consentOf(options, command),
      // An eval opens teams many times: it does not ask about runs of others each time, and continues them with --trust.
      ...(command === 'eval' ? { ask: undefined } : {}),
      store: isServerStore(options.store) || store === 'memory' ? undefined : store,
    });
    const trust = folderTrust(options, { command, profiles, store, also, history });
    const { tools } = documents;
    const engineOptions: Parameters<typeof openEngine>[0] = {
      profiles,
      tools,
      models,
      ...(runtime === undefined ? {} : { runtime }),
      trust: async (set, run, launched) => {
        if (run !== undefined) await history.checkLater(run);
        await trust.checkLater(set, run, launched);
        // A run begins: its documents are read while its first model call runs.
        const isRun = run !== undefined || launched !== undefined;
        if (isRun && options.replay === undefined && typeof docs === 'string' && found.isOpen && worksOnDocuments(set, tools))
          documents.begin();
      },
      ...journalSecrets(options.store),
      ...(options.strict === undefined ? {} : { strict: options.strict }),
      ...(options.replay === undefined ? {} : { replay: options.replay }),
    };
    const opened = await openEngine(engineOptions, { store: options.store, journal: given });
    const { engine } = opened;
    journal = opened.journal;
    // Nothing continues in a journal that is only read.
    history.use(given === undefined ? opened.journal : undefined);
    const readable = mayReadDocuments(engine.profiles, tools) ? found.unnamed : undefined;
    try {
      await trust.check(engine.profiles, undefined, readable);
      await history.offer();
    } catch (thrown) {
      await engine.close();
      throw thrown;
    }
    tellWarnings(engine.warnings);
    if (readable !== undefined) found.open();
    await trust.trustFolders([options.workspace]);
    const unreadLine = typeof docs === 'string' && found.isOpen ? await unreadFilesLine(docs, engine.profiles, tools) : '';
    const mail = given === undefined ? receiveMail(engine, store) : undefined;
    return {
      engine,
      profiles,
      unreadFilesLine: unreadLine,
      [Symbol.asyncDispose]: async () => {
        mail?.[Symbol.dispose]();
        await engine.close({ graceMs });
        await journal?.close();
        documents[Symbol.dispose]();
      },
    };
  } catch (thrown) {
    await journal?.close();
    documents[Symbol.dispose]();
    throw thrown;
  }
}

/** Returns who decides whether the folders of these teams are trusted; asks at a terminal, but not with MCP, where stdin belongs to the client. */
function folderTrust(
  { trust }: TeamsOptions,
  {
    command,
    profiles,
    store,
    also,
    history,
  }: Pick<TeamsCommand, 'command' | 'also'> & {
    readonly profiles: string;
    readonly store: string;
    readonly history: HistoryTrust;
  },
): FolderTrust {
  return new FolderTrust({
    place: profiles,
    store: store === 'memory' ? undefined : store,
    also,
    isOfOthers: history.isOfOthers,
    ...consentOf({ trust }, command),
  });
}

/** Returns how the user of a command can agree. */
function consentOf({ trust }: TeamsOptions, command: TeamsCommand['command']): Pick<TrustOptions, 'isAgreed' | 'ask'> {
  return { isAgreed: trust === true, ask: command !== 'mcp' && openTerminal().isInteractive ? askOnTerminal : undefined };
}
