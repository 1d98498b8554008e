import { createHash } from 'node:crypto';
import type { ProfileSet } from '../../core/profile/profile.ts';
import { type ProfileReach, reachesNothing, reachOfProfiles } from '../../engine/launch/reach-of-profiles.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { areBundledFiles, isBundledFolder } from './bundled-files.ts';
import { isNamedFolder, trustVariable } from './named-folders.ts';
import { folderHash, foldersOutside, type RunPlaces } from './run-folders.ts';
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
    await this.#check(set, { ask: this.#options.ask, request: run?.request, docs });
    await this.#checkFolders(run, this.#options.ask);
  };

  /**
   * Checks profiles that appear during the work, without asking. Profiles of a recorded run come from the journal, so trust in the
   * command's folder does not cover them.
   */
  readonly checkLater = async (set: ProfileSet, run?: RunPlaces): Promise<void> => {
    const { place, store } = this.#options;
    await this.#check(set, { place: run === undefined ? place : (store ?? place), request: run?.request });
    await this.#checkFolders(run, undefined);
  };

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

  async #check(set: ProfileSet, { ask, place = this.#options.place, request, docs }: CheckContext): Promise<void> {
    const hasValues = request !== undefined && Object.keys(request).length > 0;
    if (this.#passed.has(set) && !hasValues) return;
    const reach = await reachOfProfiles(set, request);
    if (!(await isBundled(set, place))) await this.#checkReach(reach, await outsideReads(set, place, docs), { ask, place });
    this.#passed.add(set);
  }

  /** Checks a reach against earlier agreements, which hold in every folder; the exemption of bundled teams does not extend to other files. */
  async #checkReach(
    reach: ProfileReach,
    outside: readonly OutsideRead[],
    context: Pick<CheckContext, 'ask'> & { readonly place: string },
  ): Promise<void> {
    const named = this.#env[trustVariable] ?? '';
    const needed = [
      ...(reachesNothing(reach) ? [] : [hashOf(reach)]),
      ...outside.flatMap(({ place, hash }) => (isNamedFolder(place, named) ? [] : [hash])),
    ];
    const known = new Set((await readTrust(trustFile(this.#env))).map(({ hash }) => hash));
    const missing = needed.filter((hash) => !this.#agreed.has(hash) && !known.has(hash));
    if (missing.length > 0 && !isNamedFolder(context.place, named)) await this.#agree(reachText(reach, outside), missing, context);
    for (const hash of needed) this.#agreed.add(hash);
  }

  async #agree(
    words: string,
    hashes: readonly string[],
    { ask, place }: Pick<CheckContext, 'ask'> & { readonly place: string },
  ): Promise<void> {
    if (!this.#options.isAgreed) {
      if (ask === undefined)
        throw untrusted(place, words, `Review them; to trust them, use --trust, or name the folder in ${trustVariable}.`);
      const asked = `${safe(place, 1_000)} has not been used on this machine before. Its profiles name\n${words}\nTrust it with this? [y/N] `;
      if (!(await ask(asked))) throw untrusted(place, words, 'Nothing was started.');
    }
    for (const hash of hashes) await rememberTrust(trustFile(this.#env), { hash, place, at: Date.now() });
  }
}

async function isBundled({ files }: ProfileSet, place: string): Promise<boolean> {
  return (await isBundledFolder(place)) || (await areBundledFiles(files));
}

/** Context of a check: the source of the profiles, and the request of the recorded run that uses them. */
interface CheckContext extends Pick<TrustOptions, 'ask'> {
  readonly place?: string;
  readonly request?: RunPlaces['request'];
  readonly docs?: string | undefined;
}

/** Hashes the reach that a person agrees to; prompts of the profiles are not part of it. */
function hashOf({ commands, code, variables, destinations, files }: ProfileReach): string {
  const opened = { ...(files.length === 0 ? {} : { files }), ...(code.length === 0 ? {} : { code }) };
  return createHash('sha256')
    .update(JSON.stringify({ version: 1, commands, variables, destinations, ...opened }))
    .digest('hex');
}
