import { lookup } from 'node:dns/promises';
import { CadreError, describeThrown } from '../../core/error.ts';
import { checkAddress, type CheckedUrl, type UrlPolicy } from './url-policy.ts';

/** One address of a host name. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Finds all addresses of a host name. */
export type HostResolver = (host: string) => Promise<readonly HostAddress[]>;

/** Resolves with the operating system, as other programs do. */
export const systemResolver: HostResolver = (host) => lookup(host, { all: true, verbatim: true });

/** Rules and means of a checked lookup. */
export interface LookupOptions {
  readonly policy: UrlPolicy;
  readonly resolver: HostResolver;
  readonly signal: AbortSignal;
}

/**
 * Returns the addresses of a URL's host after checking each: one forbidden address refuses the whole name. The connection uses exactly
 * these addresses without another lookup, so that a name that changes between check and connection gains nothing.
 *
 * @throws CadreError `URL_REFUSED` when an address is forbidden, `TOOL_FAILED` when the name cannot be resolved
 */
export async function resolveChecked(
  checked: CheckedUrl,
  { policy, resolver, signal }: LookupOptions,
): Promise<readonly HostAddress[]> {
  if (checked.isAddress) return [{ address: checked.host, family: checked.host.includes(':') ? 6 : 4 }];
  const addresses = await resolve(checked.host, resolver, signal);
  for (const { address } of addresses) checkAddress(checked.url.href, address, policy);
  return addresses;
}

async function resolve(host: string, resolver: HostResolver, signal: AbortSignal): Promise<readonly HostAddress[]> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const addresses = await Promise.race([resolver(host), aborted]);
    if (addresses.length > 0) return addresses;
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    throw new CadreError('TOOL_FAILED', `The host ${host} was not found (${codeOf(thrown)}); check the spelling of the URL.`, {
      cause: thrown,
    });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  throw new CadreError('TOOL_FAILED', `The host ${host} has no address.`);
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : describeThrown(thrown);
}
