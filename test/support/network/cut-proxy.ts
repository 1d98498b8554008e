import { connect, createServer, type Server, type Socket } from 'node:net';

/** One connection through the proxy. */
interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** How the network fails. */
export type Cut = 'reset' | 'silence' | 'half-close';

/**
 * TCP proxy in front of a real server, whose network fails on demand.
 *
 * A silence swallows what both sides send, as a firewall that has lost its table: connections that were open stay dead after it, without a
 * sign, and those opened in it get no answer.
 */
export class CutProxy implements AsyncDisposable {
  readonly port: number;
  /** Connections that were opened, and pieces that clients sent. */
  readonly seen = { connections: 0, pieces: 0 };
  readonly #listener: Server;
  readonly #pairs = new Set<Pair>();
  readonly #sockets = new Set<Socket>();
  readonly #dead = new WeakSet<Pair>();
  #isSilent = false;
  #onPiece: ((piece: number, data: Buffer) => 'before' | 'after' | undefined) | undefined;

  private constructor(listener: Server, port: number) {
    this.#listener = listener;
    this.port = port;
  }

  /** Listens on a free port of this machine, or the one named, for a server on `target`. */
  static async start(target: number, port = 0): Promise<CutProxy> {
    const listener = createServer({ allowHalfOpen: true });
    await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
    const address = listener.address();
    if (typeof address !== 'object' || address === null) throw new Error('no port');
    const proxy = new CutProxy(listener, address.port);
    listener.on('connection', (client) => proxy.#join(client, target));
    return proxy;
  }

  /** Fails once, for every connection that is open. A silence lasts until `speak`. */
  cut(how: Cut): void {
    if (how === 'silence') {
      this.#isSilent = true;
      for (const pair of this.#pairs) this.#dead.add(pair);
      return;
    }
    for (const pair of this.#pairs) {
      if (how === 'reset') reset(pair);
      // The server's half ends; the client's stays open, and nothing more comes.
      else {
        this.#dead.add(pair);
        pair.client.end();
      }
    }
  }

  /** Ends a silence: for new connections. */
  speak(): void {
    this.#isSilent = false;
  }

  /** Resets the connection of a piece that a client sent, before or after the server gets it; undefined lets it pass. */
  cutPieces(choose: ((piece: number, data: Buffer) => 'before' | 'after' | undefined) | undefined): void {
    this.#onPiece = choose;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#listener.close(resolve));
  }

  #join(client: Socket, target: number): void {
    const server = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    const pair = { client, server };
    this.seen.connections += 1;
    this.#pairs.add(pair);
    if (this.#isSilent) this.#dead.add(pair);
    client.on('data', (data) => {
      this.seen.pieces += 1;
      const when = this.#onPiece?.(this.seen.pieces, data);
      if (when === 'before') return reset(pair);
      if (!this.#dead.has(pair)) server.write(data);
      // Time for the server to do what it got: its answer is lost.
      if (when === 'after') {
        this.#dead.add(pair);
        setTimeout(() => reset(pair), 20);
      }
    });
    server.on('data', (data) => {
      if (!this.#dead.has(pair)) client.write(data);
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('end', () => {
        if (!this.#dead.has(pair) || from === client) to.end();
      });
      this.#sockets.add(from);
      from.on('close', () => this.#sockets.delete(from));
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#pairs.delete(pair);
        if (!this.#dead.has(pair)) to.destroy();
      });
    }
  }
}

/** Ends a connection at once on both sides: its client gets RST. */
function reset({ client, server }: Pair): void {
  client.resetAndDestroy();
  server.destroy();
}
