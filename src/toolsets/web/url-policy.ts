import { isIP } from 'node:net';
import { CadreError } from '../../core/error.ts';
import { classifyAddress } from './address-policy.ts';

/** Limits on the URLs web tools may request. */
export interface UrlPolicy {
  /** Host names, `*.example.com` for all below one; unless empty, only these are allowed. */
  readonly allowHosts: readonly string[];
  readonly denyHosts: readonly string[];
  /** Allows addresses of this machine and its networks, but never metadata servers and the like. */
  readonly allowPrivate: boolean;
}

/** A URL allowed as far as can be decided before its name is resolved. */
export interface CheckedUrl {
  readonly url: URL;
  /** Host without brackets and without a trailing dot. */
  readonly host: string;
  /** True when the host is an IP address. */
  readonly isAddress: boolean;
}

const maxUrlChars = 8_192;
/** Names that only have meaning inside a network, whatever they resolve to. */
const privateNames = /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)$/;
/** Ports of other protocols that browsers refuse, too: mail, remote shells, and others that may take a request for commands. */
const refusedPorts: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115,
  117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587,
  601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080, 11211,
]);

/**
 * Parses a URL and makes all checks possible before its name is resolved: scheme, no user name or password in it, port, host.
 *
 * @throws CadreError `URL_REFUSED` with the reason and the allowed URLs
 */
export function checkUrl(text: string, policy: UrlPolicy): CheckedUrl {
  if (text.length > maxUrlChars) throw refuseUrl(text, `it is longer than ${maxUrlChars} characters`);
  const url = URL.parse(text);
  if (url === null) throw refuseUrl(text, 'it is not an absolute URL; give one like https://example.org/page');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refuseUrl(text, `its scheme is ${url.protocol.slice(0, 40)} and only http: and https: are allowed`);
  if (url.username !== '' || url.password !== '') throw refuseUrl(text, 'it has a user name or a password in it');
  if (refusedPorts.has(Number(url.port))) throw refuseUrl(text, `port ${url.port} belongs to another protocol`);
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isAddress = isIP(host) !== 0;
  checkHost(text, host, policy);
  if (isAddress) checkAddress(text, host, policy);
  else if (!policy.allowPrivate && (privateNames.test(host) || !host.includes('.')))
    throw refuseUrl(text, `${host} is a name inside a private network`);
  return { url, host, isAddress };
}

/** Checks an address that a URL leads to; all addresses of a name must pass. */
export function checkAddress(text: string, address: string, policy: UrlPolicy): void {
  const kind = classifyAddress(address);
  if (kind === 'public' || (kind === 'private' && policy.allowPrivate)) return;
  const what = kind === 'private' ? 'a private address' : 'an address that is never allowed';
  throw refuseUrl(text, `it leads to ${address}, ${what}`);
}

/** Returns the error for a refused URL. */
export function refuseUrl(text: string, reason: string): CadreError {
  const shown = JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
  return new CadreError('URL_REFUSED', `${shown} is not opened: ${reason}.`, { details: { reason } });
}

function checkHost(text: string, host: string, policy: UrlPolicy): void {
  if (policy.denyHosts.some((pattern) => covers(pattern, host)))
    throw refuseUrl(text, `the host ${host} is denied by the settings of this toolset`);
  if (policy.allowHosts.length > 0 && !policy.allowHosts.some((pattern) => covers(pattern, host)))
    throw refuseUrl(text, `the host ${host} is not among those that are allowed: ${policy.allowHosts.join(', ')}`);
}

function covers(pattern: string, host: string): boolean {
  const wanted = pattern.toLowerCase().replace(/\.$/, '');
  return wanted.startsWith('*.') ? host.endsWith(wanted.slice(1)) || host === wanted.slice(2) : host === wanted;
}
