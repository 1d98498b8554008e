import { describeThrown } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ProfileFile, ProfileSet } from '../../core/profile/profile.ts';
import { nothingReached, type ProfileReach, reachesNothing, reachOfProfiles } from '../../engine/launch/reach-of-profiles.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { timeText } from '../../inspect/format/text/quantity-text.ts';
import { thisCommand } from '../options/this-command.ts';
import { keepAgreed, readAgreed } from './agreed-before.ts';
import { agreementHash, isWithin, reachHash } from './agreement-hash.ts';
import { isBundledSet } from './bundled-files.ts';
import { type AgreedNow, changeText } from './change-text.ts';
import { coveredFiles } from './covered-files.ts';
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
  /** Tells runs that others recorded: their profiles were never agreed to, whatever other profiles with the same reach were. */
  readonly isOfOthers?: ((run: Pick<RunPlaces, 'runId' | 'parentRun'>) => Promise<boolean>) | undefined;
  /** Files that the command reads besides the profiles, such as the suite of an eval. */
  readonly also?: readonly ProfileFile[] | undefined;
  /** Shows a line to the user; on the standard error output when absent. */
  readonly tell?: ((text: string) => void) | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Decides whether profiles may be used. The user agrees to a folder as it is: what its files make Cadre start, read and call, what they let
 * run unasked, and every file it is made of. A change asks again, and shows what changed.
 *
 * 1. Nothing that a profile set reaches is started, read or sent before `check` has passed.
 * 2. An agreement holds for one real folder and one content. Runs that this machine recorded need none again (`HistoryTrust`), unless they
 *    reach something without an agreement, such as a variable that is set by now.
 * 3. In a process whose user has agreed, changes of texts that widen nothing are accepted and remembered: `cadre dev` loads what its
 *    user edits.
 * 4. A run that others recorded needs one for its own profiles, files and gates included, as runs of that journal.
 * 5. A recorded run works in a folder outside the project of its journal only if the user agreed to it or named it.
 * 6. Bundled teams as they are, and profiles that reach nothing, need no agreement.
 */
export class FolderTrust {
  readonly #options: TrustOptions;
  readonly #env: NonNullable<TrustOptions['env']>;
  readonly #agreed = new Set<string>();
  /** Profile sets that passed: an engine checks for each run. */
  readonly #passed = new WeakSet<ProfileSet>();
  /** What the user of this process agreed to last. */
  #session: ProfileReach | undefined;

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
   * @param launched request of a new run: its client agrees to what it adds
   */
  readonly checkLater = async (set: ProfileSet, run?: RunPlaces, launched?: { readonly request: JsonObject }): Promise<void> => {
    await this.#check(set, { ask: undefined, run, hint: resumeHint(run, this.#options.store) });
    await this.#checkFolders(run, undefined);
    if (launched !== undefined) await this.#rememberRequest(set, launched.request);
  };

  /** Checks code that a file other than a profile names, asking when it is not trusted yet. Fails with FOLDER_UNTRUSTED. */
  async checkCode(file: ProfileFile, code: readonly string[]): Promise<void> {
    if (code.length === 0) return;
    const files = await coveredFiles({ files: [file], llmConfigs: new Map() }, file.path);
    const now = { reach: { ...nothingReached, code }, outside: [], files };
    await this.#checkFolder(now, [], { ask: this.#options.ask, place: file.path, hint: undefined, what: 'checks' });
  }

  /** Remembers what the request of a new run adds, so that it resumes without a question; if that fails, the question comes then. */
  async #rememberRequest(set: ProfileSet, request: JsonObject): Promise<void> {
    const { store } = this.#options;
    if (store === undefined || Object.keys(request).length === 0) return;
    const reach = await reachOfProfiles(set, request);
    if (reachHash(reach) === reachHash(await reachOfProfiles(set))) return;
    const hash = reachHash(reach, await realFolder(store));
    this.#agreed.add(hash);
    await rememberTrust(trustFile(this.#env), { hash, place: store, at: Date.now() }).catch(this.#tellForgotten);
  }

  /** Remembers folders that the user named for a run, so that it resumes without a question; if that fails, the question comes then. */
  async trustFolders(folders: readonly (string | undefined)[]): Promise<void> {
    for (const folder of folders) {
      if (folder === undefined || this.#options.store === undefined) continue;
      for (const outside of await foldersOutside(this.#options.store, { runId: '', workspace: folder }))
        await this.#rememberFolder(outside).catch(this.#tellForgotten);
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

  async #check(set: ProfileSet, { ask, run, docs, hint }: CheckContext): Promise<void> {
    const { request = {} } = run ?? {};
    const isOfFolder = run === undefined || set.folders !== undefined;
    const hasValues = Object.keys(request).length > 0;
    const isOfOthers = run !== undefined && (await this.#options.isOfOthers?.(run)) === true;
    if (this.#passed.has(set) && !hasValues && !isOfOthers) return;
    const isBundled = await isBundledSet(set);
    // Folders are known only of sets that were read from the command's own; documents beside it are the user's, whatever the profiles.
    const outside = await outsideReads(isBundled ? { llmConfigs: new Map() } : set, this.#options.place, docs);
    const { place, store, also } = this.#options;
    if (isOfFolder && !this.#passed.has(set)) {
      const reach = await reachOfProfiles(set);
      const files = isBundled ? [] : await coveredFiles(set, place, also);
      const now = { reach: isBundled ? nothingReached : reach, outside: outside.map(lineOf), files };
      await this.#checkFolder(now, outside, { ask, place, hint });
      this.#session ??= reach;
      // A run of it reaches the same, and goes on without its folder.
      this.#agreed.add(reachHash(reach));
      this.#passed.add(set);
    }
    if (run === undefined || (isOfFolder && !hasValues)) return;
    const reach = await reachOfProfiles(set, request);
    const isKnown = !isOfOthers && store !== undefined && (await this.#knows(reach, store));
    const isAgreed = isBundled || reachesNothing(reach) || isKnown;
    const theirs = isOfOthers && store !== undefined ? [await this.#hashOfOthers(set, reach, store)] : [];
    const added = hasValues && !isBundled ? { request, usual: await reachOfProfiles(set) } : undefined;
    const words = reachText({ reach, outside, added });
    await this.#checkHashes(isAgreed ? [] : [...theirs, reachHash(reach)], outside, {
      words,
      ask,
      place: store ?? place,
      hint,
      runId: run.runId,
    });
    if (!hasValues && !isOfOthers) this.#passed.add(set);
  }

  /** Returns the hash of what others recorded: it holds for runs of one journal, with these files and gates. */
  async #hashOfOthers(set: ProfileSet, reach: ProfileReach, store: string): Promise<string> {
    const files = await coveredFiles(set, store);
    return agreementHash(`runs of ${await realFolder(store)}`, { reach, files });
  }

  /** Checks a folder as it is now against what was agreed to there. */
  async #checkFolder(now: AgreedNow, outside: readonly OutsideRead[], about: Omit<Question, 'words' | 'runId'>): Promise<void> {
    if (reachesNothing(now.reach) && outside.length === 0) return;
    const { place } = about;
    const key = await this.#keyOf(place);
    const own = agreementHash(key, now);
    const isSession = this.#session !== undefined && isWithin(now.reach, this.#session);
    if (isSession) this.#agreed.add(own);
    const hashes = reachesNothing(now.reach) ? [] : [own];
    const before = await readAgreed(this.#env, key);
    const changes = before === undefined ? '' : changeText(before, now);
    const words = changes === '' || before === undefined ? reachText({ ...now, outside }) : changes;
    const since = changes === '' || before === undefined ? undefined : before.at;
    const isNew = await this.#checkHashes(hashes, outside, { ...about, words, since, runId: undefined });
    if (!isNew && !(isSession && before !== undefined && changes !== '')) return;
    const entries = [own, reachHash(now.reach)].map((hash) => ({ hash, place: key, at: Date.now() }));
    const remembered = rememberTrust(trustFile(this.#env), ...entries);
    await (isNew ? remembered : remembered.catch(this.#tellForgotten));
    await keepAgreed(this.#env, { ...now, place: key, at: Date.now() }).catch(this.#tellForgotten);
  }

  /** An agreement that cannot be kept holds for this command; the next one asks again, and says all instead of what changed. */
  readonly #tellForgotten = (thrown: unknown): void => {
    const tell = this.#options.tell ?? ((text: string): void => void process.stderr.write(text));
    tell(`warning: what was agreed to could not be remembered, and is asked again: ${safe(describeThrown(thrown), 1_000)}\n`);
  };

  /** True when a client of this journal agreed to a reach by its request. */
  async #knows(reach: ProfileReach, store: string): Promise<boolean> {
    const hash = reachHash(reach, await realFolder(store));
    return this.#agreed.has(hash) || (await readTrust(trustFile(this.#env))).some((entry) => entry.hash === hash);
  }

  /** Returns the place that an agreement holds for: a real folder, with what a command reads besides. */
  async #keyOf(place: string): Promise<string> {
    const { also = [] } = this.#options;
    return [await realFolder(place), ...also.map(({ path }) => path)].join(' with ');
  }

  /** Checks hashes against earlier agreements; the exemption of bundled teams does not extend to other files. True when the user agreed now. */
  async #checkHashes(hashes: readonly string[], outside: readonly OutsideRead[], question: Question): Promise<boolean> {
    const named = this.#env[trustVariable] ?? '';
    const all = [...hashes, ...outside.flatMap(({ place, hash }) => (isNamedFolder(place, named) ? [] : [hash]))];
    const known = new Set([...this.#agreed, ...(await readTrust(trustFile(this.#env))).map(({ hash }) => hash)]);
    const missing = all.filter((hash) => !known.has(hash));
    const asks = missing.length > 0 && !isNamedFolder(question.place, named);
    if (asks) await this.#agree(missing, question);
    for (const hash of all) this.#agreed.add(hash);
    return asks;
  }

  async #agree(hashes: readonly string[], { words, ask, place, hint, runId, since, what = 'profiles' }: Question): Promise<void> {
    const who = safe(runId === undefined ? place : `run ${safe(runId)}: ${place}`, 1_000);
    const isKnown = since !== undefined;
    const isNot = isKnown
      ? `${who} is not trusted as it is now: it changed since you agreed to it (${timeText(since)})`
      : `${who} is not trusted, and its ${what} name`;
    if (!this.#options.isAgreed) {
      if (ask === undefined)
        throw untrusted(
          place,
          `${isNot}\n${words}`,
          `Review ${isKnown ? 'the changes' : 'them'}; to trust them, ${hint ?? 'use --trust'}, or name the folder in ${trustVariable}.`,
        );
      const asked = isKnown
        ? `${who} changed since you agreed to it (${timeText(since)}):\n${words}\nTrust it as it is now? [y/N] `
        : `${who} has not been used on this machine before. Its ${what} name\n${words}\nTrust it with this? [y/N] `;
      if (!(await ask(asked))) throw untrusted(place, `${isNot}\n${words}`, 'Nothing was started.');
    }
    await rememberTrust(trustFile(this.#env), ...hashes.map((hash) => ({ hash, place, at: Date.now() })));
  }
}

/** Returns how a user of a server agrees to what a recorded run needs. */
function resumeHint(run: RunPlaces | undefined, store: string | undefined): string | undefined {
  return run === undefined ? undefined : `resume it once with \`${thisCommand(['resume', run.runId, '--trust'], store)}\``;
}

const lineOf = ({ place, what }: OutsideRead): string => `${place} (${what})`;

/** Context of a check: the recorded run that uses the profiles. */
interface CheckContext extends Pick<TrustOptions, 'ask'> {
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
  /** Time of the agreement that the words are compared with. */
  readonly since?: number | undefined;
}
