/** Variables a process inherits from the engine; no others, so that no key of the engine reaches a command. */
const inherited = ['PATH', 'LANG', 'LC_ALL', 'TZ'] as const;

/** PATH of a process when the engine itself has none. */
const plainPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Returns the environment of a process: a few variables of the engine, a separate home, and the variables of the settings. */
export function cleanEnvironment(home: string, given: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const kept = inherited.flatMap((name) => {
    const value = process.env[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return {
    PATH: plainPath,
    LANG: 'C.UTF-8',
    ...Object.fromEntries(kept),
    HOME: home,
    TMPDIR: home,
    TERM: 'dumb',
    // Keeps programs from asking questions on a terminal, and from paging.
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    DEBIAN_FRONTEND: 'noninteractive',
    ...given,
  };
}
