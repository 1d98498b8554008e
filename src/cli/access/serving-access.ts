import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import type { AccessOptions } from '../../server/access/access.ts';
import { readUsersFile } from '../../server/access/users-file.ts';
import { isWithin } from '../../files/is-within.ts';
import { realFolder } from '../trust/run-folders.ts';
import { newToken, ownToken } from './own-tokens.ts';

/** Flags that say who a server answers. */
export interface AccessFlags {
  readonly token?: boolean;
  readonly users?: string;
  readonly open?: boolean;
}

/** Environment variable with a token of the user's choice for the page and its API. */
export const tokenVariable = 'CADRE_TOKEN';

/** Where a server is, and what its own settings say about who may reach it. */
export interface ServingPlace extends AccessFlags {
  /** Where the journal is. */
  readonly location: string;
  /** Environment variable with a token of the user's choice. */
  readonly variable: string;
  readonly host?: string | undefined;
  /** Folder that agents work in, where the list of users must not be. */
  readonly workspace?: string | undefined;
  readonly tell: (text: string) => void;
}

/** Who a server answers, and how a person gets in. */
export interface ServingAccess {
  readonly options: AccessOptions;
  /** Token to show to the person at the terminal; undefined when there is none, or they know it. */
  readonly shown: string | undefined;
  /** Query of the link that opens the page; empty when there is nothing to bring. */
  readonly query: string;
}

/**
 * Decides who a server answers: the users of a file, everyone with `--open`, or else clients with the one token: that of the environment
 * variable, a new one with `--token`, or the stored one of this journal.
 *
 * @throws CadreError `OPTION_INVALID` for flags that contradict each other, and for users that cannot be read
 */
export async function servingAccess(place: ServingPlace): Promise<ServingAccess> {
  const { token, users, open, host, tell } = place;
  const given = [token === true && '--token', users !== undefined && '--users', open === true && '--open'].filter(Boolean);
  if (given.length > 1) throw new CadreError('OPTION_INVALID', `${given.join(' and ')} contradict each other; give one of them`);
  const isRemote = host !== undefined && !loopback.has(host);
  if (isRemote && given.length === 0)
    throw new CadreError(
      'OPTION_INVALID',
      `${host} can be reached from other machines: give its clients a token (--token), or name its users (--users)`,
    );
  if (open === true) return { options: { open }, shown: undefined, query: '' };
  if (users !== undefined) return await accessOfUsers(users, place);
  const known = process.env[place.variable];
  // The user knows a token from the environment, and it must not reach a log.
  if (known !== undefined && known !== '')
    return { options: { token: known }, shown: undefined, query: `/?token=$${place.variable}` };
  const made = token === true ? newToken() : await storedToken(place.location, tell);
  return { options: { token: made }, shown: made, query: `/?token=${made}` };
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '::1']);

async function accessOfUsers(users: string, { workspace, tell }: ServingPlace): Promise<ServingAccess> {
  const file = path.resolve(users);
  if (readUsersFile(file).length === 0)
    tell(`${users} names nobody yet, so nobody is answered; add someone with: cadre users add NAME --role ROLE --users ${users}\n`);
  if (workspace !== undefined && isWithin(await realFolder(workspace), await realFolder(file)))
    throw new CadreError(
      'OPTION_INVALID',
      `${file} is in the workspace ${path.resolve(workspace)}, where agents write: they could make themselves users. Keep it elsewhere`,
    );
  const onUsersProblem = (message: string): void => tell(`error: ${message}\nUntil this is mended, nobody is answered.\n`);
  return { options: { users: file, onUsersProblem }, shown: undefined, query: '/?token=TOKEN' };
}

/** A token that cannot be stored serves this time only. */
async function storedToken(location: string, tell: (text: string) => void): Promise<string> {
  try {
    const journal = existsSync(location) ? await realpath(location) : location;
    return location === 'memory' ? newToken() : await ownToken(journal);
  } catch (thrown) {
    if (!(thrown instanceof CadreError)) throw thrown;
    tell(`${thrown.message}; the next server has another one.\n`);
    return newToken();
  }
}
