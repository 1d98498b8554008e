import { createHash } from 'node:crypto';
import { CadreError } from '../../core/error.ts';
import { foldName, userNameProblem } from '../../core/by.ts';
import { isRole, type Role, roles } from '../../core/roles.ts';

/** A user of a server. */
export interface ServerUser {
  readonly name: string;
  readonly role: Role;
  /** Hash of the user's token: `sha256:` and 64 hexadecimal digits, from `hashToken`. */
  readonly tokenHash: string;
}

const hashForm = /^sha256:[0-9a-f]{64}$/i;

/**
 * Returns the hash of a token, as users have it. Tokens are random and at least 192 bits long, so a fast hash is enough: unlike passwords,
 * they cannot be found by trying.
 */
export function hashToken(token: string): string {
  return `sha256:${createHash('sha256').update(token).digest('hex')}`;
}

/** A field of a user that cannot be used, and why. */
export interface UserProblem {
  readonly field: 'name' | 'role' | 'tokenHash';
  readonly message: string;
}

/** Returns the first problem of each field of a user. */
export function userProblems(user: { readonly [Field in keyof ServerUser]: unknown }): readonly UserProblem[] {
  const { name, role, tokenHash } = user;
  const problems: UserProblem[] = [];
  const nameProblem = typeof name === 'string' ? userNameProblem(name) : 'a name is a text';
  if (nameProblem !== undefined) problems.push({ field: 'name', message: `${nameProblem}; not ${shown(name)}` });
  if (!isRole(role)) problems.push({ field: 'role', message: `the role is one of ${roles.join(', ')}; not ${shown(role)}` });
  if (typeof tokenHash !== 'string' || !hashForm.test(tokenHash))
    problems.push({
      field: 'tokenHash',
      // A token written instead of its hash must not reach a log.
      message: 'a token hash is sha256: and 64 hexadecimal digits, as `cadre users add` makes it; it is never the token itself',
    });
  return problems;
}

/** Returns the place of a user whose name or token an earlier one has, and what they share. */
export function doubledUser(
  users: readonly ServerUser[],
): { readonly index: number; readonly first: number; readonly field: 'name' | 'tokenHash' } | undefined {
  for (const [index, user] of users.entries()) {
    for (const [first, other] of users.slice(0, index).entries()) {
      if (foldName(other.name) === foldName(user.name)) return { index, first, field: 'name' };
      if (other.tokenHash.toLowerCase() === user.tokenHash.toLowerCase()) return { index, first, field: 'tokenHash' };
    }
  }
  return undefined;
}

/**
 * Checks users that a program gives.
 *
 * @throws CadreError `OPTION_INVALID` naming the user and the field
 */
export function checkUsers(users: readonly ServerUser[]): void {
  for (const [index, user] of users.entries()) {
    const [problem] = userProblems(user);
    if (problem !== undefined) throw new CadreError('OPTION_INVALID', `users[${index}].${problem.field}: ${problem.message}`);
  }
  const doubled = doubledUser(users);
  if (doubled === undefined) return;
  const { index, first, field } = doubled;
  throw new CadreError('OPTION_INVALID', `users[${index}].${field}: users[${first}] has the same; each user has their own`);
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 100) ?? String(value);
}
