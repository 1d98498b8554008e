import { timingSafeEqual, createHash } from 'node:crypto';
import { isIP } from 'node:net';

/** Names under which a server on this machine may be asked. */
const ownNames: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Why a request is not answered. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly code: 'REQUEST_UNAUTHORIZED' | 'REQUEST_REFUSED';
  readonly message: string;
}

/** For whom a server is, and what its clients must bear. */
export interface AccessRules {
  /** The port it listens on; when it is not known, its own names are good with any port. */
  readonly port?: number | undefined;
  readonly token?: string | undefined;
  /** Further hosts it is known by, as `name` or `name:port`: those of a proxy in front of it. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** It also answers to addresses: it listens on one of the network's. A page can point a name elsewhere, but not an address. */
  readonly allowsAddresses?: boolean | undefined;
  /** What a browser that bears the token once has sent back. */
  readonly hasSession?: boolean | undefined;
}

/** A header of a request by its name in lower case. */
export type ReadHeader = (name: string) => string | undefined;

/**
 * Checks a request before anything of it is read (FAULTS S7): it must be for this server by name and port, since a page can
 * have its own name point here; it must not come from a page of another origin; it must bear the token when there is one.
 */
export function checkRequest(header: ReadHeader, rules: AccessRules): Refusal | undefined {
  const host = header('host') ?? '';
  if (!isOurs(host, rules))
    return refuse('this server answers to 127.0.0.1 and localhost only; behind a proxy, name its host in allowedHosts');
  const origin = header('origin');
  if (origin !== undefined && !isOwnOrigin(origin, host, rules)) return refuse('requests of pages of other origins are refused');
  if (comesFromElsewhere(header)) return refuse('requests of pages of other sites are refused');
  const { token, hasSession } = rules;
  if (token === undefined || hasSession === true || bears(header('authorization'), token)) return undefined;
  return { status: 401, code: 'REQUEST_UNAUTHORIZED', message: 'send the header Authorization: Bearer TOKEN' };
}

/** Whether two texts are equal, in a time that says nothing about them. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function refuse(message: string): Refusal {
  return { status: 403, code: 'REQUEST_REFUSED', message };
}

function isOurs(host: string, { port, allowedHosts = [], allowsAddresses = false }: AccessRules): boolean {
  const match = /^(\[[^\]]*\]|[^:]+)(?::(\d{1,5}))?$/.exec(host.toLowerCase());
  if (match === null) return false;
  const name = match[1] ?? '';
  if (allowedHosts.some((allowed) => [name, host.toLowerCase()].includes(allowed.toLowerCase()))) return true;
  const isAddress = isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  if (!ownNames.has(name) && !(allowsAddresses && isAddress)) return false;
  return port === undefined || Number(match[2] ?? 80) === port;
}

/** A page of ours: it has the host that was asked, or one of the names we are known by. Any machine's page could come from an address. */
function isOwnOrigin(origin: string, host: string, rules: AccessRules): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (!/^https?:$/.test(url.protocol)) return false;
  return url.host === host.toLowerCase() || isOurs(url.host, { ...rules, allowsAddresses: false });
}

/** Browsers say where a request comes from also where they send no origin. Following a link to here is allowed, in no frame. */
function comesFromElsewhere(header: ReadHeader): boolean {
  const site = header('sec-fetch-site');
  if (site !== 'cross-site' && site !== 'same-site') return false;
  return header('sec-fetch-mode') !== 'navigate' || header('sec-fetch-dest') !== 'document';
}

function bears(authorization: string | undefined, token: string): boolean {
  return isSameSecret(authorization ?? '', `Bearer ${token}`);
}
