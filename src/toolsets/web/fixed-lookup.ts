import type { LookupFunction } from 'node:net';
import type { HostAddress } from './resolve-host.ts';

/** Resolves every name to the addresses that were checked. */
export function fixedLookup(addresses: readonly HostAddress[]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all === true) {
      callback(null, [...addresses]);
      return;
    }
    const [first] = addresses;
    callback(null, first?.address ?? '', first?.family);
  };
}
