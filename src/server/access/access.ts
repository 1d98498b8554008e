import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { actors } from '../../core/by.ts';
import { CadreError } from '../../core/error.ts';
import type { Person } from '../../core/roles.ts';
import { checkUsers, hashToken, type ServerUser } from './users.ts';
import { usersOfFile } from './users-file.ts';

/** Clients that a server answers: users, those with the one token, or everyone that can reach it. */
export interface AccessOptions {
  /** Token that every request must have; who has it is recorded as `owner`. */
  readonly token?: string | undefined;
  /**
   * People and their roles: a file (docs/server.md), a list, or a function that returns the current list. A user who is removed, or gets
   * another role, loses open streams, too.
   */
  readonly users?: string | readonly ServerUser[] | (() => readonly ServerUser[]) | undefined;
  /** True answers everyone that can reach the server, recorded as `anyone`: the default without `token` and `users`. */
  readonly open?: boolean | undefined;
  /** Receives why a file of users cannot be read any more; until it can, no request is answered. */
  readonly onUsersProblem?: ((message: string) => void) | undefined;
}

/** What a request brings to say who sends it. */
export interface Credentials {
  readonly token?: string | undefined;
  /** Value of the cookie that a browser gets for a token. */
  readonly session?: string | undefined;
}

/** Tells who sends a request. */
export interface Access {
  /** True when requests must have a token. */
  readonly asks: boolean;
  /** Returns the person, or undefined. Fails with REQUEST_REFUSED while the users cannot be read. */
  find(given: Credentials): Person | undefined;
  /** Returns the session for a token that names a person: it opens this server and does not reveal the token. */
  sessionOf(token: string): string | undefined;
  /** Calls `leave` once the credentials name another person, another role or no person. The returned function ends the watch. */
  watch(given: Credentials, person: Person, leave: () => void): () => void;
}

/** Milliseconds between two looks whether the people of open streams still have their access. */
const checkEveryMs = 500;

/** A person with the digests of what names them. */
interface Known {
  readonly person: Person;
  readonly tokenDigest: Buffer;
  readonly session: string;
  readonly sessionDigest: Buffer;
}

/**
 * Creates the access to a server.
 *
 * @throws CadreError `OPTION_INVALID` for users that cannot be used, and for options that contradict each other
 */
export function createAccess({ token, users, open, onUsersProblem }: AccessOptions): Access {
  if (token !== undefined && users !== undefined)
    throw new CadreError('OPTION_INVALID', 'a server has a token or users, not both: each user has a token of their own');
  if (open === true && (token !== undefined || users !== undefined))
    throw new CadreError('OPTION_INVALID', 'open answers everyone, and token or users do not; give one of them');
  if (open === false && token === undefined && users === undefined)
    throw new CadreError('OPTION_INVALID', 'a server that is not open needs a token, or users');
  if (users === undefined && token === undefined) return openAccess;
  // Sessions for the one token last beyond this process. Those of users end with it: their tokens are not known here, and what can be
  // derived from a file must open nothing.
  const key = token ?? randomBytes(32);
  const current = token === undefined ? usersOf(users ?? [], onUsersProblem) : ownerOf(token);
  return new KnownPeople(key, current);
}

const openAccess: Access = {
  asks: false,
  find: () => ({ name: actors.anyone, role: 'operate' }),
  sessionOf: () => undefined,
  watch: () => () => undefined,
};

function ownerOf(token: string): () => readonly Holder[] {
  const owner = [{ name: actors.owner, role: 'operate', tokenHash: hashToken(token) }] as const;
  return () => owner;
}

function usersOf(users: NonNullable<AccessOptions['users']>, onProblem: AccessOptions['onUsersProblem']): () => readonly Holder[] {
  if (typeof users === 'string') return usersOfFile(users, onProblem);
  const given = typeof users === 'function' ? users : (): readonly ServerUser[] => users;
  let checked: readonly ServerUser[] | undefined;
  const read = (): readonly ServerUser[] => {
    const now = given();
    if (now !== checked) checkUsers(now);
    checked = now;
    return now;
  };
  read();
  return read;
}

/** A person and the hash of their token. */
type Holder = ServerUser;

/** The people of a server; asked with every request, so that changes count from the next one on. */
class KnownPeople implements Access {
  readonly asks = true;
  readonly #key: string | Buffer;
  readonly #current: () => readonly Holder[];
  readonly #watches = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #of: readonly Holder[] | undefined;
  #known: readonly Known[] = [];

  constructor(key: string | Buffer, current: () => readonly Holder[]) {
    this.#key = key;
    this.#current = current;
  }

  find({ token, session }: Credentials): Person | undefined {
    const known = this.#read();
    return this.#byToken(known, token)?.person ?? this.#bySession(known, session)?.person;
  }

  sessionOf(token: string): string | undefined {
    return this.#byToken(this.#read(), token)?.session;
  }

  watch(given: Credentials, person: Person, leave: () => void): () => void {
    const check = (): void => {
      if (!this.#isStill(given, person)) leave();
    };
    this.#watches.add(check);
    this.#timer ??= setInterval(() => {
      for (const look of this.#watches) look();
    }, checkEveryMs).unref();
    return () => {
      this.#watches.delete(check);
      if (this.#watches.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #isStill(given: Credentials, { name, role }: Person): boolean {
    try {
      const now = this.find(given);
      return now?.name === name && now.role === role;
    } catch {
      return false;
    }
  }

  #read(): readonly Known[] {
    const users = this.#users();
    if (users !== this.#of) {
      this.#known = users.map(({ name, role, tokenHash }) => {
        const session = createHmac('sha256', this.#key).update(`cadre page ${tokenHash.toLowerCase()}`).digest('base64url');
        return { person: { name, role }, tokenDigest: digest(tokenHash.toLowerCase()), session, sessionDigest: digest(session) };
      });
      this.#of = users;
    }
    return this.#known;
  }

  #users(): readonly Holder[] {
    try {
      return this.#current();
    } catch (thrown) {
      // The reason may name places on this machine; the server's own output has it.
      throw new CadreError('REQUEST_REFUSED', 'the users of this server cannot be read now, so nobody is answered', {
        cause: thrown,
      });
    }
  }

  /** Compares with every person, so that the time of an answer does not tell which one comes close. */
  #byToken(known: readonly Known[], token: string | undefined): Known | undefined {
    if (token === undefined) return undefined;
    const given = digest(hashToken(token));
    let found: Known | undefined;
    for (const each of known) if (timingSafeEqual(given, each.tokenDigest)) found = each;
    return found;
  }

  #bySession(known: readonly Known[], session: string | undefined): Known | undefined {
    if (session === undefined) return undefined;
    const given = digest(session);
    let found: Known | undefined;
    for (const each of known) if (timingSafeEqual(given, each.sessionDigest)) found = each;
    return found;
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
