import { readFileSync, statSync } from 'node:fs';
import { CadreError, describeThrown } from '../../core/error.ts';
import { rememberUsers } from '../../files/guard/engine-places.ts';
import { maxFileBytes, sizeText } from '../../profiles/files/file-limits.ts';
import { Report } from '../../profiles/report.ts';
import { parseYaml } from '../../profiles/yaml/parse-yaml.ts';
import { childOf, type MapNode, type Place, type SourceNode } from '../../profiles/yaml/source-node.ts';
import { SourceText } from '../../profiles/yaml/source-text.ts';
import { doubledUser, type ServerUser, userProblems } from './users.ts';

/** Keys of a user in a file, by field. */
const keys = { name: 'name', role: 'role', tokenHash: 'token_hash' } as const;
const allowed = Object.values(keys);

/**
 * Parses a file of users: `users`, a list of `name`, `role` and `token_hash`.
 *
 * @throws CadreError `OPTION_INVALID` naming every faulty place as FILE:LINE:COLUMN, and what is allowed there
 */
export function parseUsers(file: string, text: string): readonly ServerUser[] {
  const source = new SourceText(file, text);
  const report = new Report();
  const root = parseYaml(source, report);
  const problems = report.diagnostics.map(({ source: at, message, hint }) => {
    return `${at.file}:${at.line}:${at.column}: ${message}${hint === undefined ? '' : `; ${hint}`}`;
  });
  const fault = ({ start }: Place, message: string): void => {
    const { line, column } = source.refAt(start);
    problems.push(`${file}:${line}:${column}: ${message}`);
  };
  const users = root === undefined ? [] : usersIn(root, fault);
  if (problems.length > 0)
    throw new CadreError('OPTION_INVALID', `the users cannot be read:\n${problems.join('\n')}`, { details: { file } });
  return users;
}

type Fault = (at: Place, message: string) => void;

function usersIn(root: SourceNode, fault: Fault): readonly ServerUser[] {
  const list = childOf(root, 'users');
  if (root.kind !== 'map' || list?.kind !== 'list') {
    fault(list?.at ?? root.at, 'the file is a map with the key users, a list of { name, role, token_hash }');
    return [];
  }
  for (const [key, { keyAt }] of root.entries) if (key !== 'users') fault(keyAt, `there is no key '${key}' here, only users`);
  const read = list.items.flatMap((node) => {
    const user = readUser(node, fault);
    return user === undefined ? [] : [{ user, node }];
  });
  const doubled = doubledUser(read.map(({ user }) => user));
  const [again, first] = doubled === undefined ? [] : [read[doubled.index], read[doubled.first]];
  if (doubled !== undefined && again !== undefined && first !== undefined) {
    const { line } = first.node.at.file.refAt(first.node.at.start);
    const place = childOf(again.node, keys[doubled.field]) ?? again.node;
    fault(place.at, `the user '${first.user.name}' on line ${line} has the same ${keys[doubled.field]}; each user has their own`);
  }
  return read.map(({ user }) => user);
}

function readUser(node: SourceNode, fault: Fault): ServerUser | undefined {
  if (node.kind !== 'map') {
    fault(node.at, `a user is a map of ${allowed.join(', ')}`);
    return undefined;
  }
  for (const [key, { keyAt }] of node.entries)
    if (!allowed.some((each) => each === key)) fault(keyAt, `a user has no key '${key}', only ${allowed.join(', ')}`);
  const user = { name: textAt(node, keys.name), role: textAt(node, keys.role), tokenHash: textAt(node, keys.tokenHash) };
  const problems = userProblems(user);
  for (const { field, message } of problems) {
    const at = childOf(node, keys[field])?.at;
    fault(at ?? node.at, at === undefined ? `this user has no ${keys[field]}: ${message}` : message);
  }
  return problems.length === 0 ? (user as ServerUser) : undefined;
}

function textAt(node: MapNode, key: string): unknown {
  const value = childOf(node, key);
  return value?.kind === 'scalar' ? value.value : undefined;
}

/** Reads the text of a file of users. Fails with OPTION_INVALID, naming the file and what to do. */
function readText(file: string): string {
  try {
    if (statSync(file).size > maxFileBytes) throw new Error(`it is larger than ${sizeText(maxFileBytes)}`);
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    const isAbsent = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
    const why = isAbsent
      ? 'it does not exist; add the first user with: cadre users add NAME --role ROLE --users FILE'
      : describeThrown(thrown);
    throw new CadreError('OPTION_INVALID', `${file}: the users cannot be read: ${why}`, { cause: thrown, details: { file } });
  }
}

/** Reads a file of users. Fails with OPTION_INVALID, as `parseUsers`, and when there is no such file. */
export function readUsersFile(file: string): readonly ServerUser[] {
  return parseUsers(file, readText(file));
}

/**
 * Returns a function that gives the users of a file as it is now: the file is read again when it has changed. While it cannot be read, the
 * function throws, since the file may have taken away the access of a user.
 *
 * @throws CadreError `OPTION_INVALID` when the file cannot be read in the first place
 */
export function usersOfFile(file: string, onProblem: (message: string) => void = () => undefined): () => readonly ServerUser[] {
  let known: { readonly stamp: string; readonly users: readonly ServerUser[] | undefined } | undefined;
  const read = (): readonly ServerUser[] => {
    const stamp = stampOf(file);
    if (known?.stamp === stamp && known.users !== undefined) return known.users;
    const isNews = known?.stamp !== stamp;
    known = { stamp, users: undefined };
    try {
      const users = readUsersFile(file);
      known = { stamp, users };
      return users;
    } catch (thrown) {
      if (isNews) onProblem(thrown instanceof Error ? thrown.message : String(thrown));
      throw thrown;
    }
  };
  // The first problem is the caller's to report.
  readUsersFile(file);
  rememberUsers(file);
  return read;
}

/** Identifies the content of a file without reading it. */
function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? 'none' : [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}
