import { isIP } from 'node:net';

/** Host names of a server on this machine. */
const ownNames: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** A reason not to answer a request. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly code: 'REQUEST_UNAUTHORIZED' | 'REQUEST_REFUSED';
  readonly message: string;
}

/** Rules for access to a server. */
export interface AccessRules {
  /** Port the server listens on; when unknown, `ownNames` match with any port. */
  readonly port?: number | undefined;
  /** Further hosts of the server, as `name` or `name:port`, such as those of a proxy in front of it. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Accepts IP addresses as host, for servers that listen on the network. A page can rebind a name, but not an address. */
  readonly allowsAddresses?: boolean | undefined;
}

/** Returns a header of a request by its lower-case name. */
export type ReadHeader = (name: string) => string | undefined;

/**
 * Checks a request before its body is read (FAULTS S7): it must name this server and port as its host, since a page can make its own
 * name resolve to this machine; it must not come from a page of another origin. Who sends it is another question (`Access`).
 */
export function checkRequest(header: ReadHeader, rules: AccessRules): Refusal | undefined {
  const host = header('host') ?? '';
  if (!isOurs(host, rules))
    return refuse('this server answers to 127.0.0.1 and localhost only; behind a proxy, name its host in allowedHosts');
  const origin = header('origin');
  if (origin !== undefined && !isOwnOrigin(origin, host, rules)) return refuse('requests of pages of other origins are refused');
  if (comesFromElsewhere(header)) return refuse('requests of pages of other sites are refused');
  return undefined;
}

/** Refusal of a request without the token of a known person. */
export const unauthorized: Refusal = {
  status: 401,
  code: 'REQUEST_UNAUTHORIZED',
  message: 'send the header Authorization: Bearer TOKEN, with the token of the link that the server printed, or your own',
};

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

/** True for origins of this server: the host of the request, or one of its names. An address as origin could be any machine's page. */
function isOwnOrigin(origin: string, host: string, rules: AccessRules): boolean {
  if (!URL.canParse(origin)) return false;
  const url = new URL(origin);
  if (!/^https?:$/.test(url.protocol)) return false;
  return url.host === host.toLowerCase() || isOurs(url.host, { ...rules, allowsAddresses: false });
}

/** Browsers send `Sec-Fetch-Site` even without an origin. Following a link to this server is allowed, but not in a frame. */
function comesFromElsewhere(header: ReadHeader): boolean {
  const site = header('sec-fetch-site');
  if (site !== 'cross-site' && site !== 'same-site') return false;
  return header('sec-fetch-mode') !== 'navigate' || header('sec-fetch-dest') !== 'document';
}
