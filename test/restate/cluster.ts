import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createEngine, type Engine } from '../../src/index.ts';
import type { Journal } from '../../src/core/events/journal.ts';
import { createPostgresJournal } from '../../src/journal/postgres/postgres-journal.ts';
import { restateRuntime } from '../../src/restate/restate-runtime.ts';
import { type PostgresServer, sharedServer } from '../support/postgres/postgres-server.ts';
import { freePorts, type RestateServer, sharedRestate } from '../support/restate/restate-server.ts';
import { type LedgerLine, readLedger, teamOptions } from '../support/runtime/plan-team.ts';

const started: TestCluster[] = [];

/** A schema, a name in Restate, an engine in this process that launches, and workers as processes. */
export class TestCluster implements AsyncDisposable {
  readonly url: string;
  readonly name: string;
  readonly restate: RestateServer;
  readonly ledger: string;
  readonly journal: Journal;
  readonly engine: Engine;
  readonly #port: number;
  readonly workers: ChildProcess[] = [];

  private constructor(parts: {
    url: string;
    name: string;
    restate: RestateServer;
    ledger: string;
    journal: Journal;
    engine: Engine;
    port: number;
  }) {
    this.url = parts.url;
    this.name = parts.name;
    this.restate = parts.restate;
    this.ledger = parts.ledger;
    this.journal = parts.journal;
    this.engine = parts.engine;
    this.#port = parts.port;
    started.push(this);
  }

  static async start(workers: number, restate?: RestateServer, own?: PostgresServer): Promise<TestCluster> {
    const postgres = own ?? (await sharedServer());
    const server = restate ?? (await sharedRestate());
    const schema = postgres.newSchema();
    const url = postgres.url(schema);
    const name = `t${schema.replaceAll(/\W/g, '_')}`;
    const ledger = path.join(mkdtempSync(path.join(tmpdir(), 'cadre-cluster-')), 'ledger.jsonl');
    const journal = createPostgresJournal({ url });
    const [port = 0] = await freePorts(1);
    const runtime = restateRuntime({ ingress: server.ingress, admin: server.admin, name });
    const engine = await createEngine({ ...teamOptions(ledger, journal), store: journal, runtime });
    const cluster = new TestCluster({ url, name, restate: server, ledger, journal, engine, port });
    await Promise.all(Array.from({ length: workers }, () => cluster.startWorker()));
    return cluster;
  }

  /** Starts a worker and waits until it works. */
  async startWorker(): Promise<ChildProcess> {
    const script = path.join(import.meta.dirname, 'worker-process.ts');
    const args = [script, this.ledger, this.url, this.restate.ingress, this.restate.admin, String(this.#port), this.name];
    const worker = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    this.workers.push(worker);
    await new Promise<void>((resolve, reject) => {
      worker.stdout?.once('data', () => resolve());
      worker.once('exit', (code) => reject(new Error(`a worker ended with ${code}`)));
    });
    return worker;
  }

  /** What tools did. */
  get did(): readonly LedgerLine[] {
    return readLedger(this.ledger);
  }

  /** What tools did for one run: `begin pay`. */
  didIn(runId: string): readonly string[] {
    return this.did.flatMap((line) => (line.runId === runId ? [`${line.kind} ${line.tool}`] : []));
  }

  /** Opens another engine that launches and steers, with a connection of its own. */
  async client(): Promise<AsyncDisposable & { readonly engine: Engine }> {
    const journal = createPostgresJournal({ url: this.url });
    const runtime = restateRuntime({ ingress: this.restate.ingress, admin: this.restate.admin, name: this.name });
    const engine = await createEngine({ ...teamOptions(this.ledger, journal), store: journal, runtime });
    return {
      engine,
      [Symbol.asyncDispose]: async () => {
        await engine.close();
        await journal.close();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine.close();
    await this.journal.close();
    for (const worker of this.workers) if (worker.exitCode === null && worker.signalCode === null) worker.kill('SIGKILL');
  }
}

process.once('exit', () => {
  for (const { workers } of started) for (const worker of workers) worker.kill('SIGKILL');
});
