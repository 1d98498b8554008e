import { createHash } from 'node:crypto';
import type { JsonObject } from '../../core/json.ts';
import type { ProfileSet } from '../../core/profile/profile.ts';
import { nothingReached, type ProfileReach, reachesNothing, reachOfProfiles } from '../../engine/launch/reach-of-profiles.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { thisCommand } from '../options/this-command.ts';
import { areBundledFiles, isBundledFolder } from './bundled-files.ts';
import { isNamedFolder, trustVariable } from './named-folders.ts';
import { folderHash, foldersOutside, realFolder, type RunPlaces } from './run-folders.ts';
import { outsideReads, type OutsideRead } from './outside-reads.ts';
import { reachText, untrusted, untrustedFolder } from './trust-texts.ts';
import { readTrust, rememberTrust, trustFile } from './trust-store.ts';

/** Settings of a `FolderTrust`. */
export interface TrustOptions {
  /** Folder of the profiles, or journal that recorded them. */
  readonly place: string;
  /** Journal whose runs are resumed; undefined for one in memory. */
  readonly store?: string | undefined;
  /** True when the user agrees on the command line (`--trust`). */
  readonly isAgreed: boolean;
  /** Asks the user; true when they agree. Absent when no user can be asked. */
  readonly ask?: ((text: string) => Promise<boolean>) | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Decides whether profiles may be used. The user confirms once what the files make Cadre start, read and call; the hash of that reach is
 * remembered: changed prompts do not ask again, a changed command does.
 *
 * 1. Nothing that a profile set reaches is started, read or sent before `check` has passed.
 * 2. A recorded run works in a folder outside the project of its journal only if the user agreed to it or named it.
 * 3. Bundled teams, and profiles that reach nothing, need no confirmation.
 */
export class FolderTrust {
  readonly #options: TrustOptions;
  readonly #env: NonNullable<TrustOptions['env']>;
  readonly #agreed = new Set<string>();
  /** Profile sets that passed: an engine checks for each run. */
  readonly #passed = new WeakSet<ProfileSet>();

  constructor(options: TrustOptions) {
    this.#options = options;
    this.#env = options.env ?? process.env;
  }

  /**
   * Checks the profiles of the command, asking when they are not trusted yet. Fails with FOLDER_UNTRUSTED.
   *
   * @param docs documents found beside the profiles, when agents may read them
   */
  readonly check = async (set: ProfileSet, run?: RunPlaces, docs?: string): Promise<void> => {
    await this.#check(set, { ask: this.#options.ask, run, docs });
    await this.#checkFolders(run, this.#options.ask);
  };

  /**
   * Checks profiles that appear during the work, without asking. Profiles of a recorded run come from the journal, so trust in the
   * command's folder does not cover them.
   *
   * @param launched request of a new run: its client agrees to what it adds, for runs of this journal
   */
  readonly checkLater = async (set: ProfileSet, run?: RunPlaces, launched?: { readonly request: JsonObject }): Promise<void> => {
    const { place, store } = this.#options;
    await this.#check(set, { place: run === undefined ? place : (store ?? place), run, hint: resumeHint(run, store) });
    await this.#checkFolders(run, undefined);
    if (launched !== undefined) await this.#rememberRequest(set, launched.request);
  };

  /** Checks code that a file other than a profile names, asking when it is not trusted yet. Fails with FOLDER_UNTRUSTED. */
  async checkCode(place: string, code: readonly string[]): Promise<void> {
    if (code.length === 0) return;
    const reach = { ...nothingReached, code };
    const words = reachText({ reach, outside: [], added: undefined });
    await this.#checkHashes(reach, [], { words, ask: this.#options.ask, place, hint: undefined, runId: undefined, what: 'checks' });
  }

  /** Remembers what the request of a new run adds, so that it resumes without a question; if that fails, the question comes then. */
  async #rememberRequest(set: ProfileSet, request: JsonObject): Promise<void> {
    const { store } = this.#options;
    if (store === undefined || Object.keys(request).length === 0) return;
    const hash = hashOf(await reachOfProfiles(set, request));
    if (hash === hashOf(await reachOfProfiles(set))) return;
    const entry = { hash: await hashInJournal(hash, store), place: store, at: Date.now() };
    this.#agreed.add(entry.hash);
    await rememberTrust(trustFile(this.#env), entry).catch(() => undefined);
  }

  /** Remembers folders that the user named for a run, so that it resumes without a question; if that fails, the question comes then. */
  async trustFolders(folders: readonly (string | undefined)[]): Promise<void> {
    for (const folder of folders) {
      if (folder === undefined || this.#options.store === undefined) continue;
      for (const outside of await foldersOutside(this.#options.store, { runId: '', workspace: folder }))
        await this.#rememberFolder(outside).catch(() => undefined);
    }
  }

  async #checkFolders(run: RunPlaces | undefined, ask: TrustOptions['ask']): Promise<void> {
    const { store, isAgreed } = this.#options;
    const named = this.#env[trustVariable] ?? '';
    if (run === undefined || store === undefined || isNamedFolder(store, named)) return;
    for (const folder of await foldersOutside(store, run)) {
      const hash = folderHash(folder);
      if (this.#agreed.has(hash) || isNamedFolder(folder, named)) continue;
      if ((await readTrust(trustFile(this.#env))).some((entry) => entry.hash === hash)) continue;
      const words = `    ${safe(folder, folder.length)}`;
      if (!isAgreed && ask === undefined)
        throw untrustedFolder(store, words, `use --trust, or name the folder in ${trustVariable}`);
      const asked = `The journal ${safe(store, 1_000)} records that its run works in a folder outside its project:\n${words}\nMay the run read and write there? [y/N] `;
      if (!isAgreed && (await ask?.(asked)) !== true) throw untrustedFolder(store, words, 'start a new run there');
      await this.#rememberFolder(folder);
    }
  }

  async #rememberFolder(folder: string): Promise<void> {
    const hash = folderHash(folder);
    if (this.#agreed.has(hash)) return;
    this.#agreed.add(hash);
    if ((await readTrust(trustFile(this.#env))).some((entry) => entry.hash === hash)) return;
    await rememberTrust(trustFile(this.#env), { hash, place: folder, at: Date.now() });
  }

  async #check(set: ProfileSet, { ask, place = this.#options.place, run, docs, hint }: CheckContext): Promise<void> {
    const request = run?.request ?? {};
    const hasValues = Object.keys(request).length > 0;
    if (this.#passed.has(set) && !hasValues) return;
    const isKnown = await isBundled(set, place);
    const reach = isKnown ? nothingReached : await reachOfProfiles(set, request);
    // Folders are known only of sets that were read from the command's own; documents beside it are the user's, whatever the profiles.
    const outside = await outsideReads(isKnown ? { llmConfigs: new Map() } : set, this.#options.place, docs);
    const added = hasValues && !isKnown ? { request, usual: await reachOfProfiles(set) } : undefined;
    const words = reachText({ reach, outside, added });
    await this.#checkHashes(reach, outside, { words, ask, place, hint, runId: run?.runId });
    this.#passed.add(set);
  }

  /** Checks a reach against earlier agreements, which hold in every folder; the exemption of bundled teams does not extend to other files. */
  async #checkHashes(reach: ProfileReach, outside: readonly OutsideRead[], question: Question): Promise<void> {
    const named = this.#env[trustVariable] ?? '';
    const hashes = reachesNothing(reach) ? [] : [hashOf(reach)];
    for (const { place, hash } of outside) if (!isNamedFolder(place, named)) hashes.push(hash);
    const known = new Set([...this.#agreed, ...(await readTrust(trustFile(this.#env))).map(({ hash }) => hash)]);
    const asked: string[] = [];
    for (const hash of hashes) if (!(await this.#isKnownInJournal(hash, question, known))) asked.push(hash);
    const missing = asked.filter((hash) => !known.has(hash));
    if (missing.length > 0 && !isNamedFolder(question.place, named)) await this.#agree(missing, question);
    for (const hash of asked) this.#agreed.add(hash);
  }

  /** True when a client of this journal agreed to a reach by its request, which counts for recorded runs only. */
  async #isKnownInJournal(hash: string, { runId }: Question, known: ReadonlySet<string>): Promise<boolean> {
    const { store } = this.#options;
    return runId !== undefined && store !== undefined && known.has(await hashInJournal(hash, store));
  }

  async #agree(hashes: readonly string[], { words, ask, place, hint, runId, what = 'profiles' }: Question): Promise<void> {
    if (!this.#options.isAgreed) {
      const who = runId === undefined ? place : `run ${safe(runId)}: ${place}`;
      if (ask === undefined)
        throw untrusted(
          place,
          `${who} is not trusted, and its ${what} name\n${words}`,
          `Review them; to trust them, ${hint ?? 'use --trust'}, or name the folder in ${trustVariable}.`,
        );
      const asked = `${safe(who, 1_000)} has not been used on this machine before. Its ${what} name\n${words}\nTrust it with this? [y/N] `;
      if (!(await ask(asked)))
        throw untrusted(place, `${who} is not trusted, and its ${what} name\n${words}`, 'Nothing was started.');
    }
    for (const hash of hashes) await rememberTrust(trustFile(this.#env), { hash, place, at: Date.now() });
  }
}

/** Returns how a user of a server agrees to what a recorded run needs. */
function resumeHint(run: RunPlaces | undefined, store: string | undefined): string | undefined {
  return run === undefined ? undefined : `resume it once with \`${thisCommand(['resume', run.runId, '--trust'], store)}\``;
}

/** Returns the hash under which a reach is remembered for the runs of one journal only. */
async function hashInJournal(hash: string, store: string): Promise<string> {
  return createHash('sha256')
    .update(JSON.stringify({ version: 1, reach: hash, journal: await realFolder(store) }))
    .digest('hex');
}

async function isBundled({ files }: ProfileSet, place: string): Promise<boolean> {
  return (await isBundledFolder(place)) || (await areBundledFiles(files));
}

/** Context of a check: the source of the profiles, and the recorded run that uses them. */
interface CheckContext extends Pick<TrustOptions, 'ask'> {
  readonly place?: string;
  readonly run?: RunPlaces | undefined;
  readonly docs?: string | undefined;
  /** How the user can agree; with `--trust` when absent. */
  readonly hint?: string | undefined;
}

/** Question about a reach, with its words for the user. */
interface Question extends Pick<CheckContext, 'ask' | 'hint'> {
  readonly words: string;
  /** What names these things, in the plural; `profiles` when absent. */
  readonly what?: string;
  readonly place: string;
  readonly runId: string | undefined;
}

/** Hashes the reach that a person agrees to; prompts of the profiles are not part of it. */
function hashOf({ commands, code, variables, destinations, files }: ProfileReach): string {
  const opened = { ...(files.length === 0 ? {} : { files }), ...(code.length === 0 ? {} : { code }) };
  return createHash('sha256')
    .update(JSON.stringify({ version: 1, commands, variables, destinations, ...opened }))
    .digest('hex');
}
