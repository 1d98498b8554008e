import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import type { RuntimeHost } from '../../src/core/runtime.ts';
import { restateRuntime } from '../../src/restate/restate-runtime.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { until } from '../support/runtime/until.ts';

/** What a Restate answers, as one that starts, or loses its data, does: a real one cannot be stopped between two of these answers. */
class ScriptedRestate {
  /** Statuses of the next answers to "which services are there"; afterwards it tells the truth. */
  readonly answers: number[] = [];
  registrations = 0;
  hasServices = true;
  /** Its identity; undefined while no worker answers. */
  restate: string | undefined = 'the first';
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      request.resume().on('end', () => {
        const [status, body] = this.#answer(request.url ?? '');
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
  }

  static async start(): Promise<ScriptedRestate> {
    const restate = new ScriptedRestate();
    restate.#server.listen(0, '127.0.0.1');
    await once(restate.#server, 'listening');
    return restate;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #answer(path: string): readonly [number, unknown] {
    if (path === '/version') return [200, { version: '1.5.0' }];
    if (path === '/deployments') {
      this.registrations += 1;
      this.hasServices = true;
      return [201, {}];
    }
    if (path.startsWith('/services/')) return [this.answers.shift() ?? (this.hasServices ? 200 : 404), {}];
    if (path.endsWith('/identify'))
      return this.restate === undefined ? [503, {}] : [200, { restate: this.restate, journal: 'memory' }];
    return [200, {}];
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

afterEach(() => void vi.restoreAllMocks());

async function serve(restate: ScriptedRestate) {
  const { shared } = createMemoryJournal();
  if (shared === undefined) throw new Error('the journal in memory is not shared');
  const warned: string[] = [];
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warned.push(String(warning)));
  const link = await restateRuntime({ ingress: restate.url, admin: restate.url, worker: { port: 0 } }).connect({
    ...shared,
    id: () => 'memory',
  });
  let losses = 0;
  const worker = await link.serve({} as RuntimeHost, () => (losses += 1));
  return { shared, worker, warned, losses: () => losses };
}

it('a loss is told once the journal belongs to the new Restate, also when no worker answers at first', async () => {
  const restate = await ScriptedRestate.start();
  const { shared, worker, losses } = await serve(restate);
  expect(await shared.runtime('the first')).toBe('the first');
  restate.hasServices = false;
  restate.restate = undefined;
  await until(() => restate.registrations === 2);
  expect(losses()).toBe(0);
  restate.restate = 'the second';
  await until(() => losses() === 1);
  expect(await shared.runtime('the second')).toBe('the second');
  await worker.close(0);
  restate.close();
});

it('a Restate that starts, and cannot tell its services yet, has not lost its data', async () => {
  const restate = await ScriptedRestate.start();
  const { worker, warned, losses } = await serve(restate);
  restate.answers.push(503, 500);
  await until(() => restate.answers.length === 0);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect([restate.registrations, losses(), warned]).toEqual([1, 0, []]);
  await worker.close(0);
  restate.close();
});
