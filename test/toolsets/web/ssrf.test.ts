import { createServer, type Server } from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CadreError } from '../../../src/index.ts';
import { classifyAddress } from '../../../src/toolsets/web/address-policy.ts';
import { fetchResource, type FetchOptions } from '../../../src/toolsets/web/fetch-resource.ts';
import type { HostResolver } from '../../../src/toolsets/web/resolve-host.ts';
import type { UrlPolicy } from '../../../src/toolsets/web/url-policy.ts';

const open: UrlPolicy = { allowHosts: [], denyHosts: [], allowPrivate: false };
const secret = 'the secret of this machine';

let server: Server;
let port = 0;
let asked = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked += 1;
    const to = new URL(request.url ?? '/', 'http://x').searchParams.get('to');
    if (to === null) response.end(secret);
    else response.writeHead(302, { location: to }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

function options(policy: Partial<UrlPolicy> = {}, resolver: HostResolver = () => Promise.resolve([])): FetchOptions {
  return {
    policy: { ...open, ...policy },
    resolver,
    timeoutMs: 5_000,
    maxBytes: 10_000,
    maxRedirects: 5,
    userAgent: 'test',
  };
}

async function codeOf(url: string, given: FetchOptions): Promise<string> {
  try {
    await fetchResource(url, given, new AbortController().signal);
    return 'answered';
  } catch (thrown) {
    return thrown instanceof CadreError ? thrown.code : `not ours: ${String(thrown)}`;
  }
}

const resolvesTo =
  (...addresses: readonly string[]): HostResolver =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })));

describe('S5: what may not be asked', () => {
  it.each([
    // Forms of loopback.
    'http://127.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://0x7f.1:PORT/',
    'http://0x7f000001:PORT/',
    'http://2130706433:PORT/',
    'http://017700000001:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://①②⑦.⓪.⓪.①:PORT/',
    'http://127。0。0。1:PORT/',
    'http://%31%32%37.0.0.1:PORT/',
    'http://127.255.255.254:PORT/',
    'http://0.0.0.0:PORT/',
    'http://0:PORT/',
    'http://localhost:PORT/',
    'http://LOCALHOST.:PORT/',
    'http://foo.localhost:PORT/',
    'http://[::1]:PORT/',
    'http://[0:0:0:0:0:0:0:1]:PORT/',
    'http://[::]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[::ffff:0:127.0.0.1]:PORT/',
    'http://[::127.0.0.1]:PORT/',
    'http://[64:ff9b::127.0.0.1]:PORT/',
    'http://[64:ff9b:1::7f00:1]:PORT/',
    'http://[2002:7f00:1::]:PORT/',
    'http://[2001:0:7f00:1::]:PORT/',
    // Private networks, metadata servers, and invalid hosts.
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:169.254.169.254]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://2852039166/',
    'http://168.63.129.16/',
    'http://100.100.100.200/',
    'http://192.0.0.192/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[fc00::1]/',
    'http://[ff02::1]/',
    'http://[2001:db8::1]/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://metadata.google.internal/',
    'http://printer.local/',
    'http://router.lan/',
    'http://intranet/',
    // Other schemes, names and passwords, ports of other protocols.
    'file:///etc/passwd',
    'ftp://example.org/',
    'gopher://example.org:70/_x',
    'data:text/html,x',
    'javascript:alert(1)',
    'unix:/var/run/docker.sock',
    'http://user:password@example.org/',
    'http://example.org@127.0.0.1:PORT/',
    'http://example.org:22/',
    'http://example.org:6379/',
    'http://example.org:25/',
    '//example.org/',
    'example.org',
    '',
  ])('%s', async (url) => {
    const before = asked;
    expect(await codeOf(url.replace('PORT', String(port)), options())).toBe('URL_REFUSED');
    expect(asked).toBe(before);
  });

  it.each([
    ['127.0.0.1'],
    ['10.1.2.3'],
    ['169.254.169.254'],
    ['::1'],
    ['::ffff:10.0.0.1'],
    ['fd12::1'],
    ['fe80::1%eth0'],
    ['93.184.215.14', '127.0.0.1'],
    ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', '::1'],
    ['no address'],
  ])('a name that resolves to %s %s', async (...addresses) => {
    expect(await codeOf(`http://innocent.example:${port}/`, options({}, resolvesTo(...addresses)))).toBe('URL_REFUSED');
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'http://168.63.129.16/',
    'http://0.0.0.0/',
    'file:///etc/passwd',
    'http://me:secret@127.0.0.1/',
    '//169.254.169.254/',
  ])('a redirect to %s, also where private addresses are allowed', async (to) => {
    const url = `http://127.0.0.1:${port}/?to=${encodeURIComponent(to)}`;
    expect(await codeOf(url, options({ allowPrivate: true }))).toBe('URL_REFUSED');
  });

  it('a redirect to a name that resolves to a private address', async () => {
    const resolver: HostResolver = (host) => resolvesTo(host === 'first.example' ? '127.0.0.1' : '169.254.169.254')(host);
    const url = `http://first.example:${port}/?to=http://second.example/`;
    expect(await codeOf(url, options({ allowPrivate: true }, resolver))).toBe('URL_REFUSED');
  });

  it('a name is looked up once: one that changes between check and connection is connected to what was checked', async () => {
    const answers = ['127.0.0.1', '169.254.169.254'];
    let lookups = 0;
    const resolver: HostResolver = (host) => resolvesTo(answers[lookups++] ?? '')(host);
    const page = await fetchResource(
      `http://rebinding.example:${port}/`,
      options({ allowPrivate: true }, resolver),
      new AbortController().signal,
    );
    expect({ text: page.body.toString(), lookups }).toEqual({ text: secret, lookups: 1 });
  });

  it('hosts outside the list, on the deny list, and redirects from an allowed host to another', async () => {
    const resolver = resolvesTo('127.0.0.1');
    const given = options(
      { allowPrivate: true, allowHosts: ['docs.example', '*.wiki.example'], denyHosts: ['bad.wiki.example'] },
      resolver,
    );
    expect(await codeOf(`http://docs.example:${port}/`, given)).toBe('answered');
    expect(await codeOf(`http://en.wiki.example:${port}/`, given)).toBe('answered');
    expect(await codeOf(`http://other.example:${port}/`, given)).toBe('URL_REFUSED');
    expect(await codeOf(`http://evilwiki.example:${port}/`, given)).toBe('URL_REFUSED');
    expect(await codeOf(`http://docs.example.evil:${port}/`, given)).toBe('URL_REFUSED');
    expect(await codeOf(`http://bad.wiki.example:${port}/`, given)).toBe('URL_REFUSED');
    expect(await codeOf(`http://docs.example:${port}/?to=http://other.example/?secret`, given)).toBe('URL_REFUSED');
  });

  it('what is public is asked, in both families', () => {
    const ok = ['93.184.215.14', '8.8.8.8', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '64:ff9b::808:808', '::ffff:8.8.8.8'];
    expect(ok.map(classifyAddress)).toEqual(ok.map(() => 'public'));
  });
});
