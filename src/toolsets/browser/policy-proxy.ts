import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CadreError, describeThrown } from '../../core/error.ts';
import { fixedLookup } from '../web/fixed-lookup.ts';
import { resolveChecked, type HostAddress, type HostResolver } from '../web/resolve-host.ts';
import { checkUrl, type UrlPolicy } from '../web/url-policy.ts';

/** URL policy and traffic limit of a browser. */
export interface ProxyOptions {
  readonly policy: UrlPolicy;
  readonly resolver: HostResolver;
  /** Most bytes received by all connections together. */
  readonly maxBytes: number;
}

/** Marks an answer of the proxy itself, as opposed to one of a page. */
export const refusedHeader = 'x-cadre-refused';

/** Hosts the browser contacts for itself and no page needs: blocked, and not reported to the model. */
const ownServices =
  /^(?:update|content-autofill|optimizationguide-pa|safebrowsing|clientservices|chromewebstore)\.googleapis\.com$|^clients?\d*\.google\.com$|\.gvt1\.com$/;

const maxSockets = 256;
const idleMs = 60_000;
const hopHeaders: ReadonlySet<string> = new Set([
  'proxy-connection',
  'proxy-authorization',
  'connection',
  'keep-alive',
  'te',
  'upgrade',
]);

/**
 * A browser's only access to the network: every request of a page (redirects, frames, scripts, sockets, workers) passes through it.
 *
 * Owns: the check of every host, by name and by all its addresses, and the connection to exactly those addresses (FAULTS S5); the cap on
 * received bytes. Does not own: the behaviour of pages.
 *
 * 1. The browser resolves no names itself, so a name that changes between check and connection gains nothing.
 * 2. It listens on loopback, and is closed with its browser.
 */
export class PolicyProxy {
  /** Most recent refusals, newest last, for the model to read. */
  readonly refusals: string[] = [];
  readonly #options: ProxyOptions;
  readonly #server: http.Server;
  readonly #sockets = new Set<Duplex>();
  readonly #over = new AbortController();
  #bytes = 0;

  private constructor(options: ProxyOptions) {
    this.#options = options;
    this.#server = http.createServer({ maxHeaderSize: 65_536 }, (request, response) => void this.#forward(request, response));
    this.#server.on(
      'connect',
      (request: IncomingMessage, socket: Duplex, head: Buffer) => void this.#tunnel(request, socket, head),
    );
    this.#server.on('connection', (socket) => this.#keep(socket));
    // A browser that cannot connect reports that itself.
    this.#server.on('error', () => undefined);
    this.#server.maxConnections = maxSockets;
  }

  /** Opens a proxy on a free port of loopback. */
  static async open(options: ProxyOptions): Promise<PolicyProxy> {
    const proxy = new PolicyProxy(options);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    proxy.#server.once('error', reject);
    proxy.#server.listen(0, '127.0.0.1', resolve);
    await promise;
    return proxy;
  }

  /** Address for the browser. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    this.#over.abort(new Error('the browser is closed'));
    for (const socket of this.#sockets) socket.destroy();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const target = checkUrl(request.url ?? '', this.#options.policy);
      const addresses = await this.#resolve(target);
      const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !hopHeaders.has(name)));
      const asked = http.request({
        host: target.host,
        port: target.url.port === '' ? 80 : Number(target.url.port),
        path: `${target.url.pathname}${target.url.search}`,
        method: request.method,
        headers,
        agent: new http.Agent({ keepAlive: false }),
        lookup: fixedLookup(addresses),
        timeout: idleMs,
        signal: this.#over.signal,
      });
      asked.on('timeout', () => asked.destroy(new Error('nothing came for a minute')));
      asked.on('error', (thrown) => answer(response, { status: 502, words: describeThrown(thrown) }));
      asked.on('response', (answered) => {
        const given = Object.fromEntries(Object.entries(answered.headers).filter(([name]) => !hopHeaders.has(name)));
        response.writeHead(answered.statusCode ?? 502, given);
        answered.on('data', (chunk: Buffer) => this.#count(chunk, answered.socket));
        answered.on('error', () => response.destroy());
        answered.pipe(response);
      });
      response.on('error', () => asked.destroy());
      response.on('close', () => asked.destroy());
      request.on('error', () => asked.destroy());
      request.pipe(asked);
    } catch (thrown) {
      answer(response, { status: 403, words: this.#refused(thrown), headers: { [refusedHeader]: 'yes' } });
    }
  }

  async #tunnel(request: IncomingMessage, browser: Duplex, head: Buffer): Promise<void> {
    browser.on('error', () => browser.destroy());
    try {
      const target = checkUrl(`https://${request.url ?? ''}/`, this.#options.policy);
      const addresses = await this.#resolve(target);
      const port = target.url.port === '' ? 443 : Number(target.url.port);
      const server = connect({ host: target.host, port, lookup: fixedLookup(addresses), timeout: idleMs, autoSelectFamily: true });
      this.#keep(server);
      server.on('timeout', () => server.destroy());
      server.on('error', () => browser.destroy());
      server.on('close', () => browser.destroy());
      browser.on('close', () => server.destroy());
      server.on('connect', () => {
        browser.write('HTTP/1.1 200 Connected\r\n\r\n');
        server.write(head);
        server.on('data', (chunk: Buffer) => this.#count(chunk, server));
        server.pipe(browser);
        browser.pipe(server);
      });
    } catch (thrown) {
      this.#refused(thrown);
      browser.end('HTTP/1.1 403 Refused\r\nContent-Length: 0\r\n\r\n');
    }
  }

  #resolve(target: ReturnType<typeof checkUrl>): Promise<readonly HostAddress[]> {
    if (ownServices.test(target.host)) return Promise.reject(new BrowserOwnRequest());
    const { policy, resolver } = this.#options;
    return resolveChecked(target, { policy, resolver, signal: this.#over.signal });
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
    if (this.#over.signal.aborted || this.#sockets.size > maxSockets * 2) socket.destroy();
  }

  #count(chunk: Buffer, socket: Socket): void {
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#options.maxBytes) return;
    this.#note(`more than ${this.#options.maxBytes} bytes came in; nothing more is let through`);
    socket.destroy();
  }

  #refused(thrown: unknown): string {
    const words = thrown instanceof CadreError ? thrown.message : describeThrown(thrown);
    if (!(thrown instanceof BrowserOwnRequest)) this.#note(words);
    return words;
  }

  #note(words: string): void {
    if (this.refusals.at(-1) === words) return;
    this.refusals.push(words);
    if (this.refusals.length > 5) this.refusals.shift();
  }
}

interface ProxyAnswer {
  readonly status: number;
  readonly words: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function answer(response: ServerResponse, { status, words, headers }: ProxyAnswer): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8' }).end(words);
}

/** Thrown for a request that the browser makes for itself. */
class BrowserOwnRequest extends Error {}
