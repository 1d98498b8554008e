import type { Scope } from './roots.ts';

/** A `${NAME}` or `${NAME:-default}` in a text. */
export interface Variable {
  readonly name: string;
  /** Default value; absent when none is given. */
  readonly fallback: string | undefined;
  /** Offset in its text. */
  readonly start: number;
}

const pattern = /\\?\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}/g;

/** Splits a text at its variables; `\${` is a literal `${`. */
export function splitVariables(text: string): readonly (string | Variable)[] {
  if (!text.includes('${')) return [text];
  const pieces: (string | Variable)[] = [];
  let plain = '';
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const [whole, name = '', fallback] = match;
    plain += text.slice(end, match.index);
    end = match.index + whole.length;
    if (whole.startsWith('\\')) {
      plain += whole.slice(1);
      continue;
    }
    if (plain !== '') pieces.push(plain);
    plain = '';
    pieces.push({ name, fallback, start: match.index });
  }
  plain += text.slice(end);
  if (plain !== '' || pieces.length === 0) pieces.push(plain);
  return pieces;
}

/** Variable names that indicate credentials, for any program. */
const credentialName = /(?:API_?KEY|ACCESS_KEY|PRIVATE_KEY|SECRET|SECRET_KEY|TOKEN|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** True when a name indicates that its value is a credential. */
export function isCredentialName(name: string): boolean {
  return credentialName.test(name);
}

/** Returns a variable's value once the run is known: from the request, else the environment, else its default, else null. */
export function valueOfVariable({ name, fallback }: Variable, environment: string | undefined, scope: Scope): unknown {
  const request = scope['request'];
  const asked =
    typeof request === 'object' && request !== null && Object.hasOwn(request, name) ? (request as Scope)[name] : undefined;
  if (asked !== undefined && asked !== null && asked !== '') return asked;
  return environment === undefined || environment === '' ? (fallback ?? null) : environment;
}
