import { createHash } from 'node:crypto';
import { CadreError } from '../../core/error.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { shownServer } from '../options/server-store.ts';
import { isNamedFolder, trustVariable } from './named-folders.ts';
import { realFolder } from './run-folders.ts';
import { readTrust, rememberTrust, trustFile } from './trust-store.ts';

/** Server that the `team.yaml` of a folder names. */
export interface ProjectServer {
  readonly folder: string;
  readonly url: string;
}

/** What a server means for its user. */
const about =
  'It gets everything that runs read and write, and runs that others record there may continue with your permissions and keys';

/** How the user agrees. */
export interface ServerConsent {
  /** True when the user agrees on the command line (`--trust`). */
  readonly isAgreed: boolean;
  /** Asks the user; absent when no user can be asked. */
  readonly ask?: ((text: string) => Promise<boolean>) | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Checks that the user agrees to a server that a project names: it gets everything its runs read and write, and variables of the
 * environment that the URL names. Asked once for each folder and URL. Fails with FOLDER_UNTRUSTED.
 */
export async function checkProjectServer(
  { folder, url }: ProjectServer,
  { isAgreed, ask, env = process.env }: ServerConsent,
): Promise<void> {
  if (isNamedFolder(folder, env[trustVariable] ?? '')) return;
  const place = await realFolder(folder);
  const hash = createHash('sha256')
    .update(JSON.stringify({ version: 2, server: url, from: place }))
    .digest('hex');
  if ((await readTrust(trustFile(env))).some((entry) => entry.hash === hash)) return;
  const words = `${safe(place, 1_000)} stores its runs on a server: ${safe(shownServer(url), 1_000)}`;
  if (!isAgreed && ask === undefined)
    throw new CadreError(
      'FOLDER_UNTRUSTED',
      `${words}\n${about}. To agree, use --trust with a command that has it, name the folder in ${trustVariable}, or name the server with --store.`,
      { details: { place } },
    );
  if (!isAgreed && (await ask?.(`${words}\n${about}. Use it? [y/N] `)) !== true)
    throw new CadreError('FOLDER_UNTRUSTED', `${words}\nNothing was sent there; name another journal with --store.`, {
      details: { place },
    });
  await rememberTrust(trustFile(env), { hash, place, at: Date.now() });
}
