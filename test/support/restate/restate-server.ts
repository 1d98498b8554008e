import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Restate for tests, from the binary in the package `@restatedev/restate-server`: on loopback, with a folder of its own.
 *
 * A guard process ends it and removes its folder when the test process is gone, however that ended.
 */
export class RestateServer {
  readonly ingress: string;
  readonly admin: string;
  readonly #folder: string;
  readonly #guard: ChildProcess;
  #process: ChildProcess | undefined;

  private constructor(folder: string, ports: readonly number[]) {
    this.#folder = folder;
    const [ingress, admin, node] = ports;
    this.ingress = `http://127.0.0.1:${ingress}`;
    this.admin = `http://127.0.0.1:${admin}`;
    writeFileSync(path.join(folder, 'restate.toml'), settings(Number(ingress), Number(admin), Number(node)));
    this.#guard = guard(folder);
  }

  static async start(): Promise<RestateServer> {
    const folder = mkdtempSync(path.join(tmpdir(), 'cadre-restate-'));
    const server = new RestateServer(folder, await freePorts(3));
    await server.launch();
    return server;
  }

  /** Starts the server of this folder, and waits until it answers. */
  async launch(): Promise<void> {
    const args = ['--no-logo', '-c', path.join(this.#folder, 'restate.toml'), '--base-dir', path.join(this.#folder, 'data')];
    const server = spawn(binary(), args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: this.#folder });
    let said = '';
    for (const pipe of [server.stdout, server.stderr])
      pipe?.on('data', (data: Buffer) => (said = (said + data.toString()).slice(-4_000)));
    writeFileSync(path.join(this.#folder, 'pid'), String(server.pid));
    for (const handle of [server, server.stdout, server.stderr]) unref(handle);
    this.#process = server;
    for (;;) {
      if (server.exitCode !== null || server.signalCode !== null) throw new Error(`Restate ended: ${said}`);
      if ((await isWell(`${this.admin}/health`)) && (await isWell(`${this.ingress}/restate/health`))) return;
      await pause(30);
    }
  }

  /** Kills the server; what it acknowledged is on disk. */
  async kill(): Promise<void> {
    const server = this.#process;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.ref();
    server.kill('SIGKILL');
    await ended;
  }

  /** Kills the server and starts it again without its data. */
  async loseData(): Promise<void> {
    await this.kill();
    rmSync(path.join(this.#folder, 'data'), { recursive: true, force: true });
    await this.launch();
  }

  /** Stops the server and removes its folder. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
    const gone = new Promise((resolve) => this.#guard.once('exit', resolve));
    this.#guard.ref();
    this.#guard.stdin?.end();
    await gone;
  }
}

function settings(ingress: number, admin: number, node: number): string {
  return `node-name = "test"
bind-ip = "127.0.0.1"
bind-port = ${node}
listen-mode = "tcp"
disable-telemetry = true
default-num-partitions = 4
rocksdb-total-memory-size = "128.0 MiB"
log-filter = "warn"
log-disable-ansi-codes = true
http-keep-alive-options = { interval = "3s", timeout = "3s" }
[admin]
bind-address = "127.0.0.1:${admin}"
disable-web-ui = true
[admin.query-engine]
memory-size = "64.0 MiB"
[ingress]
bind-address = "127.0.0.1:${ingress}"
`;
}

function binary(): string {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  const from = createRequire(createRequire(import.meta.url).resolve('@restatedev/restate-server/package.json'));
  return path.join(path.dirname(from.resolve(`${name}/package.json`)), 'bin', 'restate-server');
}

async function isWell(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}

/** Starts the process that cleans up: its input ends with the test process. */
function guard(folder: string): ChildProcess {
  const script = 'cat > /dev/null; kill -9 "$(cat "$1/pid")" 2> /dev/null; sleep 0.2; rm -rf "$1"';
  const child = spawn('/bin/sh', ['-c', script, 'sh', folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  for (const handle of [child, child.stdin]) unref(handle);
  return child;
}

/** Lets this process end while a child runs. */
function unref(handle: unknown): void {
  if (handle instanceof Socket) handle.unref();
  else (handle as Partial<Pick<ChildProcess, 'unref'>> | null)?.unref?.();
}

/** Returns ports that are free at the moment, all different. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { readonly port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

let shared: Promise<RestateServer> | undefined;

/** Returns the Restate that the tests of this process share; its guard ends it with the process. */
export async function sharedRestate(): Promise<RestateServer> {
  return await (shared ??= RestateServer.start());
}
