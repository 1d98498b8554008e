import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { CutProxy } from '../support/network/cut-proxy.ts';
import { PostgresServer } from '../support/postgres/postgres-server.ts';
import { freePorts, RestateServer } from '../support/restate/restate-server.ts';

/** Outside parts that a team works with. */
export const partNames = ['postgres', 'restate', 'model', 'mcp'] as const;
export type PartName = (typeof partNames)[number];

/** A real server behind a proxy. */
export interface Part extends AsyncDisposable {
  readonly proxy: CutProxy;
  /** From Restate to its workers. */
  readonly inward?: CutProxy;
  /** Ends the server at once, and starts it again with what it had on disk. */
  restart(): Promise<void>;
}

/** All of them; Restate only where it is cut. */
export interface Parts extends AsyncDisposable {
  readonly all: Readonly<Record<Exclude<PartName, 'restate'>, Part>> & { readonly restate?: Part };
  readonly server: PostgresServer;
  readonly restateServer: RestateServer | undefined;
  /** Port of the workers. */
  readonly workerPort: number;
}

/** Starts the real servers, each behind a proxy; the MCP server writes to `ledger`. */
export async function startParts(ledger: string, hasRestate: boolean): Promise<Parts> {
  const [modelPort = 0, mcpPort = 0, workerPort = 0] = await freePorts(3);
  const [server, restateServer] = await Promise.all([
    PostgresServer.start({ max_connections: '100' }),
    hasRestate ? RestateServer.start() : undefined,
  ]);
  const postgres: Part = {
    proxy: await CutProxy.start(server.port),
    restart: async () => {
      await server.stopNow();
      await server.launch();
    },
    [Symbol.asyncDispose]: () => server.remove(),
  };
  const [model, mcp] = await Promise.all([
    processPart('model-server.ts', modelPort, []),
    processPart('mcp-server.ts', mcpPort, [ledger]),
  ]);
  const restate = restateServer === undefined ? {} : { restate: await restatePart(restateServer, workerPort) };
  const all = { postgres, model, mcp, ...restate };
  return {
    all,
    server,
    restateServer,
    workerPort,
    [Symbol.asyncDispose]: async () => {
      for (const part of Object.values(all)) {
        await Promise.all([part.proxy, part.inward].map((proxy) => proxy?.[Symbol.asyncDispose]()));
        await part[Symbol.asyncDispose]();
      }
    },
  };
}

async function restatePart(server: RestateServer, workerPort: number): Promise<Part> {
  return {
    proxy: await CutProxy.start(Number(new URL(server.ingress).port)),
    inward: await CutProxy.start(workerPort),
    restart: async () => {
      await server.kill();
      await server.launch();
    },
    [Symbol.asyncDispose]: () => server.remove(),
  };
}

/** Starts a file of this folder, and resolves once it says `ready`. */
export async function startProcess(file: string, args: readonly string[]): Promise<ChildProcess> {
  const child = fork(path.join(import.meta.dirname, file), [...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  let said = '';
  child.stderr?.on('data', (data: Buffer) => (said = (said + data.toString()).slice(-2_000)));
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}: ${said}`)));
  });
  return child;
}

async function processPart(file: string, port: number, args: readonly string[]): Promise<Part> {
  let child = await startProcess(file, [String(port), ...args]);
  const end = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  return {
    proxy: await CutProxy.start(port),
    restart: async () => {
      await end();
      child = await startProcess(file, [String(port), ...args]);
    },
    [Symbol.asyncDispose]: end,
  };
}
