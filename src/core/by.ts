/**
 * Who acted on a run from outside: `by` of events and items. The name of a user of a server, or one of these names and forms, which no user
 * can have. Absent: a program that named no person.
 */
export const actors = {
  /** The person with the one token of a server. */
  owner: 'owner',
  /** Any client of a server that asks for no token. */
  anyone: 'anyone',
  /** How views show an absent `by`. */
  code: 'code',
  /** Repeats what people said in a recorded run. */
  replay: 'replay',
  /** The person that a test of profiles scripts. */
  test: 'test',
} as const;

/** Ways in of the user of this machine; `by` is then `USER@WAY`. */
export const localWays = ['terminal', 'mcp'] as const;

/** Returns `by` for the user of this machine. */
export function localActor(user: string, way: (typeof localWays)[number]): string {
  return `${user}@${way}`;
}

/** Maximum length of `by`, in characters. */
export const longestBy = 200;

/** True for a text that can be recorded as `by`: one line that says something. */
export function isBy(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= longestBy && !/\p{C}|[\u2028\u2029]/u.test(value);
}

/** Returns the words that views show for `by`. */
export function byText(by: string | undefined): string {
  return by ?? actors.code;
}

/** Returns why a name cannot be a user's; undefined when it can. */
export function userNameProblem(name: string): string | undefined {
  if (!/^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@+'-]{0,79}$/u.test(name) || name.endsWith(' '))
    return "a name has 1 to 80 letters, digits, spaces and . _ - + @ ', and begins with a letter or digit";
  const folded = foldName(name);
  if (Object.values(actors).some((actor) => actor === folded)) return `'${folded}' is what is recorded when no user acts`;
  const way = localWays.find((each) => folded.endsWith(`@${each}`));
  return way === undefined ? undefined : `names that end with @${way} are those of this machine's own users`;
}

/** Returns the form in which two names that look the same are equal. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}
