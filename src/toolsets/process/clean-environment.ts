/** What a process gets of the engine's own environment: nothing else, so that no key of it reaches a command. */
const inherited = ['PATH', 'LANG', 'LC_ALL', 'TZ'] as const;

/** What is searched for programs when the engine itself has no PATH. */
const plainPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The environment of a process: a short list from the engine's, a home of its own, and what the settings give it. */
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
    // Programs that would ask on a terminal, or page, are told that nobody is there.
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    DEBIAN_FRONTEND: 'noninteractive',
    ...given,
  };
}
