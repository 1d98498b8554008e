import { BlockList, isIP } from 'node:net';

/**
 * Classification of an address (FAULTS S5): `public` is always allowed; `private` is this machine or its networks; `never` has no pages
 * (metadata services of clouds, link-local, multicast, documentation, tunnels).
 */
export type AddressClass = 'public' | 'private' | 'never';

const privateRanges = [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
] as const;

const neverRanges = [
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  // Servers of clouds that issue credentials, outside the link-local range.
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
] as const;

const neverRanges6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
] as const;

const privateV4 = blockList(privateRanges, 'ipv4');
const neverV4 = blockList(neverRanges, 'ipv4');
const neverV6 = blockList(neverRanges6, 'ipv6');
const privateV6 = blockList(
  [
    ['::1', 128],
    ['fc00::', 7],
  ],
  'ipv6',
);
/** The only range of IPv6 with public routing. */
const globalV6 = blockList([['2000::', 3]], 'ipv6');
/** Ranges whose last 32 bits are an IPv4 address (mapped, translated, NAT64), which is the address to check. */
const embeddingV6 = blockList(
  [
    ['::ffff:0:0', 96],
    ['::ffff:0:0:0', 96],
    ['64:ff9b::', 96],
  ],
  'ipv6',
);

/** Classifies an address in text form; text that is not an address is `never`. */
export function classifyAddress(address: string): AddressClass {
  const family = isIP(address);
  if (family === 4) return classifyV4(address);
  // A zone names a link of this machine.
  if (family !== 6 || address.includes('%')) return 'never';
  if (embeddingV6.check(address, 'ipv6')) return classifyV4(lastFourBytes(address));
  if (neverV6.check(address, 'ipv6')) return 'never';
  if (privateV6.check(address, 'ipv6')) return 'private';
  return globalV6.check(address, 'ipv6') ? 'public' : 'never';
}

function classifyV4(address: string): AddressClass {
  if (neverV4.check(address, 'ipv4')) return 'never';
  return privateV4.check(address, 'ipv4') ? 'private' : 'public';
}

/** Returns the IPv4 address in the last 32 bits of an IPv6 address. */
function lastFourBytes(address: string): string {
  // The URL parser normalizes every form, with the last 32 bits as two groups of hex digits.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':');
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group === '' ? '0' : group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function blockList(ranges: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
}
