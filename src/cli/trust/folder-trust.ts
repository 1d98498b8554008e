import { createHash } from 'node:crypto';
import { CadreError } from '../../core/error.ts';
import type { ProfileSet } from '../../core/profile/profile.ts';
import { type ProfileReach, reachesNothing, reachOfProfiles } from '../../engine/launch/reach-of-profiles.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { areBundledFiles, isBundledFolder } from './bundled-files.ts';
import { isNamedFolder, trustVariable } from './named-folders.ts';
import { folderHash, foldersOutside, type RunPlaces } from './run-folders.ts';
import { readTrust, rememberTrust, trustFile } from './trust-store.ts';

/** Where profiles came from, and what the command line says of them. */
export interface TrustOptions {
  /** The folder they are in, or the journal that recorded them. */
  readonly place: string;
  /** The journal whose runs are gone on with; none for one in memory. */
  readonly store?: string | undefined;
  /** The user agrees, on the command line. */
  readonly isAgreed: boolean;
  /** Puts a text before the user, and answers with whether they agree; absent when no user can be asked. */
  readonly ask?: ((text: string) => Promise<boolean>) | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Whether profiles may be used. What they start, read and call because their files say so is put before the user once, and remembered by
 * its hash: other words for models ask nothing again, another command does.
 *
 * 1. No part of a set of profiles is started, read or sent before `check` has passed.
 * 2. A run on record works in no folder outside the project of its journal that the user has not agreed to, or named themselves.
 * 3. Teams that come with Cadre, and profiles that reach nothing, are never asked about.
 */
export class FolderTrust {
  readonly #options: TrustOptions;
  readonly #env: NonNullable<TrustOptions['env']>;
  readonly #agreed = new Set<string>();
  /** Sets that passed: an engine asks for each run. */
  readonly #passed = new WeakSet<ProfileSet>();

  constructor(options: TrustOptions) {
    this.#options = options;
    this.#env = options.env ?? process.env;
  }

  /** Asks about the profiles of the command when they are not trusted yet. Fails with FOLDER_UNTRUSTED. */
  readonly check = async (set: ProfileSet, run?: RunPlaces): Promise<void> => {
    await this.#check(set, { ask: this.#options.ask, request: run?.request });
    await this.#checkFolders(run, this.#options.ask);
  };

  /**
   * The same for profiles that turn up later: no person can be asked in the middle of the work. Those of a run on record come from the
   * journal, so that trust in the folder of the command says nothing of them.
   */
  readonly checkLater = async (set: ProfileSet, run?: RunPlaces): Promise<void> => {
    const { place, store } = this.#options;
    await this.#check(set, { place: run === undefined ? place : (store ?? place), request: run?.request });
    await this.#checkFolders(run, undefined);
  };

  /** Remembers folders that the user named for a run: it may be resumed without a question. What cannot be remembered is asked about then. */
  async vouch(folders: readonly (string | undefined)[]): Promise<void> {
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
        throw untrustedFolder(store, words, `say --trust, or name the folder in ${trustVariable}`);
      const asked = `The journal ${safe(store, 1_000)} says that its run works in a folder of yours outside its project:\n${words}\nMay it read and write there? [y/N] `;
      if (!isAgreed && (await ask?.(asked)) !== true) throw untrustedFolder(store, words, 'start a run of your own there');
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

  async #check(set: ProfileSet, { ask, place = this.#options.place, request }: Asked): Promise<void> {
    const hasValues = request !== undefined && Object.keys(request).length > 0;
    if (this.#passed.has(set) && !hasValues) return;
    const reach = await reachOfProfiles(set, request);
    if (!reachesNothing(reach) && !(await isBundled(set, place))) await this.#checkReach(reach, ask, place);
    this.#passed.add(set);
  }

  /** What a person agreed to once is agreed to wherever it is named; what Cadre's own teams reach is not, in other files. */
  async #checkReach(reach: ProfileReach, ask: TrustOptions['ask'], place: string): Promise<void> {
    const hash = hashOf(reach);
    if (!(await this.#isTrusted(hash, place))) await this.#agree(reach, hash, { ask, place });
    this.#agreed.add(hash);
  }

  async #isTrusted(hash: string, place: string): Promise<boolean> {
    if (this.#agreed.has(hash) || isNamedFolder(place, this.#env[trustVariable] ?? '')) return true;
    return (await readTrust(trustFile(this.#env))).some((entry) => entry.hash === hash);
  }

  async #agree(reach: ProfileReach, hash: string, { ask, place }: Pick<TrustOptions, 'ask' | 'place'>): Promise<void> {
    if (!this.#options.isAgreed) {
      const words = reachWords(reach);
      if (ask === undefined)
        throw untrusted(place, words, `Look at them; if you trust them, say --trust, or name the folder in ${trustVariable}.`);
      const asked = `${safe(place, 1_000)} was not used on this machine before. Its profiles name\n${words}\nTrust it with this? [y/N] `;
      if (!(await ask(asked))) throw untrusted(place, words, 'Nothing was started.');
    }
    await rememberTrust(trustFile(this.#env), { hash, place, at: Date.now() });
  }
}

async function isBundled({ files }: ProfileSet, place: string): Promise<boolean> {
  return (await isBundledFolder(place)) || (await areBundledFiles(files));
}

/** How a set of profiles is asked about: the place it came from, and the request of the run on record that goes on with it. */
interface Asked extends Pick<TrustOptions, 'ask'> {
  readonly place?: string;
  readonly request?: RunPlaces['request'];
}

/** What is agreed to, without the words of the profiles. */
function hashOf({ commands, code, variables, destinations, files }: ProfileReach): string {
  const opened = { ...(files.length === 0 ? {} : { files }), ...(code.length === 0 ? {} : { code }) };
  return createHash('sha256')
    .update(JSON.stringify({ version: 1, commands, variables, destinations, ...opened }))
    .digest('hex');
}

/** All of it, however long: the end of a command is what an author would hide. */
function reachWords({ commands, code, variables, destinations, files }: ProfileReach): string {
  const part = (title: string, texts: readonly string[]): readonly string[] =>
    texts.length === 0 ? [] : [`  ${title}`, ...texts.map((text) => `    ${safe(text, text.length)}`)];
  return [
    ...part('programs that are started:', commands),
    ...part('code that is loaded and runs outside the sandbox, with all that you may do:', code),
    ...part('variables of your environment that are read:', variables),
    ...part('addresses that are called:', destinations),
    ...part('files that are kept from agents otherwise:', files),
  ].join('\n');
}

function untrustedFolder(store: string, words: string, what: string): CadreError {
  return new CadreError(
    'FOLDER_UNTRUSTED',
    `${store} says that its run works in a folder outside its project\n${words}\nLook at it; if runs of this journal may read and write there, ${what}.`,
    { details: { place: store } },
  );
}

function untrusted(place: string, words: string, what: string): CadreError {
  return new CadreError('FOLDER_UNTRUSTED', `${place} is not trusted, and its profiles name\n${words}\n${what}`, {
    details: { place },
  });
}
