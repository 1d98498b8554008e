import { CadreError } from '../../core/error.ts';
import { isPostgresUrl } from '../../journal/postgres/postgres-url.ts';

/** True when `--store` or `store:` names a server instead of a file. */
export function isServerStore(store: string | undefined): store is string {
  return store !== undefined && isPostgresUrl(store);
}

/** Returns a server's URL for people and for commands to type again: a password is masked, a variable stays. */
export function shownServer(url: string): string {
  const shown = url.replace(/^(\w+:\/\/[^:/@]*):(.*)@/s, (_, user: string, password: string) =>
    /^\$\{\w+\}$/.test(password) ? `${user}:${password}@` : `${user}:***@`,
  );
  return shown.replaceAll(/([?&]\w*pass\w*=)[^&]*/gi, '$1***');
}

/** Replaces `${NAME}` by variables of the environment, as parts of a URL. Throws OPTION_INVALID when one is not set. */
export function serverUrl(url: string, env: Readonly<Record<string, string | undefined>> = process.env): string {
  return url.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = env[name];
    if (value !== undefined) return encodeURIComponent(value);
    throw new CadreError('OPTION_INVALID', `${shownServer(url)}: the environment has no variable ${name}; set it`);
  });
}

/** Returns the passwords with which a server may be opened: the one in its URL, and that of the environment. */
export function serverPasswords(url: string, env: Readonly<Record<string, string | undefined>> = process.env): readonly string[] {
  const full = serverUrl(url, env);
  const inUrl = URL.canParse(full) ? decodeURIComponent(new URL(full).password) : '';
  return [inUrl, env['PGPASSWORD'] ?? ''].filter((password) => password !== '');
}
