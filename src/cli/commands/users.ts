import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { foldName } from '../../core/by.ts';
import { CadreError } from '../../core/error.ts';
import { writeOutput } from '../../files/output-file.ts';
import { hashToken, type ServerUser, userProblems } from '../../server/access/users.ts';
import { parseUsers } from '../../server/access/users-file.ts';
import { newToken } from '../access/own-tokens.ts';
import type { ExitCode } from '../exit-code.ts';
import { openTerminal } from '../terminal/terminal.ts';

/** Options of `users add`. */
export interface UsersAddOptions {
  readonly role: string;
  readonly users: string;
}

const head = `# People of cadre serve --users: their roles, and hashes of their tokens (docs/server.md).
# Add one with: cadre users add NAME --role read|talk|approve|operate. Remove one by deleting the entry.
users:
`;

/** Adds a user to a file, and prints their token: the only time it is seen. */
export async function usersAddCommand(name: string, { role, users: file }: UsersAddOptions): Promise<ExitCode> {
  const token = newToken();
  const user = { name, role, tokenHash: hashToken(token) };
  const problems = userProblems(user).map(({ message }) => message);
  if (problems.length > 0) throw new CadreError('OPTION_INVALID', problems.join('; '));
  const before = existsSync(file) ? await readFile(file, 'utf8') : head;
  const known = before === head ? [] : parseUsers(file, before);
  if (known.some((other) => foldName(other.name) === foldName(name)))
    throw new CadreError(
      'OPTION_INVALID',
      `${file} has a user '${name}' already; delete that entry first to give them a new token or another role`,
    );
  await writeUsers(file, { before, known, user: user as ServerUser });
  const terminal = openTerminal();
  terminal.print(`${token}\n`);
  terminal.tell(
    `This is the token of ${name}, with the role ${role}; it is shown this once, and ${file} has only its hash.\nThey open http://HOST:PORT/?token=TOKEN once in each browser, or send Authorization: Bearer TOKEN.\n`,
  );
  return 0;
}

/** Appends an entry to the text of a file, and makes sure that the result says what it should before it is written. */
async function writeUsers(
  file: string,
  { before, known, user }: { readonly before: string; readonly known: readonly ServerUser[]; readonly user: ServerUser },
): Promise<void> {
  const indent = /^([ \t]*)-[ \t]/m.exec(before)?.[1] ?? '  ';
  const lines = [`- name: ${JSON.stringify(user.name)}`, `  role: ${user.role}`, `  token_hash: ${user.tokenHash}`];
  const entry = lines.map((line) => `${indent}${line}\n`).join('');
  const text = `${before.replace(/^users:[ \t]*\[[ \t]*\][ \t]*$/m, 'users:').replace(/\n*$/, '\n')}${entry}`;
  if (!holds(file, text, [...known, user]))
    throw new CadreError(
      'OPTION_INVALID',
      `${file} is not written as a plain list, so no entry can be added at its end; write the list with one "- name: …" per user, then add again`,
    );
  await writeOutput(file, text, { namedBy: 'user', ...(known.length === 0 ? { mode: 0o600 } : {}) });
}

function holds(file: string, text: string, users: readonly ServerUser[]): boolean {
  try {
    return JSON.stringify(parseUsers(file, text)) === JSON.stringify(users);
  } catch {
    return false;
  }
}
