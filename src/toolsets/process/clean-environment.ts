import { safePath, systemPath } from '../../files/programs/outside-environment.ts';

/** Variables a process inherits from the engine besides PATH; no others, so that no key of the engine reaches a command. */
const inherited = ['LANG', 'LC_ALL', 'TZ'] as const;

/** Environment of a process to make. */
export interface EnvironmentRequest {
  readonly home: string;
  /** True when it runs in a sandbox, where programs of the project may be found by name; outside, PATH leaves them out. */
  readonly sandboxed: boolean;
  /** Variables of the settings. */
  readonly given?: Readonly<Record<string, string>>;
}

/** Returns the environment of a process: a few variables of the engine, a separate home, and the variables of the settings. */
export function cleanEnvironment({ home, sandboxed, given = {} }: EnvironmentRequest): Readonly<Record<string, string>> {
  const kept = inherited.flatMap((name) => {
    const value = process.env[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  return {
    PATH: sandboxed ? process.env['PATH'] || systemPath : safePath(),
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
