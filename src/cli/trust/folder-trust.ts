import { createHash } from 'node:crypto';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import type { ProfileSet } from '../../core/profile.ts';
import { type ProfileReach, reachesNothing, reachOfProfiles } from '../../engine/reach-of-profiles.ts';
import { safe } from '../../inspector/format/layout.ts';
import { areBundledFiles, isBundledFolder } from './bundled-files.ts';
import { readTrust, rememberTrust, trustFile } from './trust-store.ts';

/** Folders that are trusted with all that is below them, separated like those of PATH. */
const trustVariable = 'CADRE_TRUST';

/** Where profiles came from, and what the command line says of them. */
export interface TrustOptions {
  /** The folder they are in, or the journal that recorded them. */
  readonly place: string;
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
 * 1. Nothing of a set of profiles is started, read or sent before `check` has passed.
 * 2. Teams that come with Cadre, and profiles that reach nothing, are never asked about.
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
  readonly check = async (set: ProfileSet): Promise<void> => await this.#check(set, this.#options.ask);

  /** The same for profiles that turn up later, recorded by a run: nobody can be asked in the middle of the work. */
  readonly checkLater = async (set: ProfileSet): Promise<void> => await this.#check(set, undefined);

  async #check(set: ProfileSet, ask: TrustOptions['ask']): Promise<void> {
    if (this.#passed.has(set)) return;
    const reach = await reachOfProfiles(set);
    const hash = hashOf(reach);
    if (!reachesNothing(reach) && !(await this.#isTrusted(set, hash))) await this.#agree(reach, hash, ask);
    this.#agreed.add(hash);
    this.#passed.add(set);
  }

  async #isTrusted(set: ProfileSet, hash: string): Promise<boolean> {
    if (this.#agreed.has(hash) || isNamed(this.#options.place, this.#env[trustVariable])) return true;
    if ((await readTrust(trustFile(this.#env))).some((entry) => entry.hash === hash)) return true;
    return (await isBundledFolder(this.#options.place)) || (await areBundledFiles(set.files));
  }

  async #agree(reach: ProfileReach, hash: string, ask: TrustOptions['ask']): Promise<void> {
    const { place, isAgreed } = this.#options;
    if (!isAgreed) {
      const words = reachWords(reach);
      if (ask === undefined)
        throw untrusted(place, words, `Look at them; if you trust them, say --trust, or name the folder in ${trustVariable}.`);
      const asked = `${safe(place, 1_000)} was not used on this machine before. Its profiles name\n${words}\nTrust it with this? [y/N] `;
      if (!(await ask(asked))) throw untrusted(place, words, 'Nothing was started.');
    }
    await rememberTrust(trustFile(this.#env), { hash, place, at: Date.now() });
  }
}

/** What is agreed to, without the words of the profiles. */
function hashOf({ commands, variables, destinations, files }: ProfileReach): string {
  const opened = files.length === 0 ? {} : { files };
  return createHash('sha256')
    .update(JSON.stringify({ version: 1, commands, variables, destinations, ...opened }))
    .digest('hex');
}

function isNamed(place: string, named = ''): boolean {
  const folders = named.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.some((folder) => {
    const relative = path.relative(folder, path.resolve(place));
    return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
  });
}

/** All of it, however long: the end of a command is what an author would hide. */
function reachWords({ commands, variables, destinations, files }: ProfileReach): string {
  const part = (title: string, texts: readonly string[]): readonly string[] =>
    texts.length === 0 ? [] : [`  ${title}`, ...texts.map((text) => `    ${safe(text, text.length)}`)];
  return [
    ...part('programs that are started:', commands),
    ...part('variables of your environment that are read:', variables),
    ...part('addresses that are called:', destinations),
    ...part('files that are kept from agents otherwise:', files),
  ].join('\n');
}

function untrusted(place: string, words: string, what: string): CadreError {
  return new CadreError('FOLDER_UNTRUSTED', `${place} is not trusted, and its profiles name\n${words}\n${what}`, {
    details: { place },
  });
}
