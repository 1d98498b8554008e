import type { Scope } from './roots.ts';

/** A `${NAME}` or `${NAME:-default}` in a text. */
export interface Variable {
  readonly name: string;
  /** What stands there when it is not set; absent when nothing is said. */
  readonly fallback: string | undefined;
  /** Where it begins in its text. */
  readonly start: number;
}

const pattern = /\\?\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^{}]*))?\}/g;

/** Splits a text at its variables; `\${` stands for a literal `${`. */
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

/** Names of variables that hold credentials, whoever reads them. */
const credentialName = /(?:API_?KEY|ACCESS_KEY|PRIVATE_KEY|SECRET|SECRET_KEY|TOKEN|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Tells whether a name says that its value is a credential. */
export function isCredentialName(name: string): boolean {
  return credentialName.test(name);
}

/** What a variable comes to where the run is known: its value of the request, else of the environment, else its default, else null. */
export function valueOfVariable({ name, fallback }: Variable, environment: string | undefined, scope: Scope): unknown {
  const request = scope['request'];
  const asked =
    typeof request === 'object' && request !== null && Object.hasOwn(request, name) ? (request as Scope)[name] : undefined;
  if (asked !== undefined && asked !== null && asked !== '') return asked;
  return environment === undefined || environment === '' ? (fallback ?? null) : environment;
}
