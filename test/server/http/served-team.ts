import { request } from 'node:http';
import { afterEach } from 'vitest';
import type { Engine } from '../../../src/index.ts';
import { serve, type Served, type ServeOptions } from '../../../src/server/index.ts';
import { testEngine, type TestEngine, type TestEngineOptions } from '../../support/test-engine.ts';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** An engine and its server, both closed after the test. */
export interface ServedTeam extends TestEngine {
  readonly served: Served;
  /** Sends a GET request; fails when the status differs. */
  get(path: string, status?: number, headers?: Readonly<Record<string, string>>): Promise<unknown>;
  readonly text: (path: string, status?: number) => Promise<string>;
}

/** Serves a test engine on a free port. */
export async function servedTeam(options: TestEngineOptions = {}, serveOptions: ServeOptions = {}): Promise<ServedTeam> {
  const team = await testEngine(options);
  return await serveTeam(team, serveOptions);
}

/** Serves an existing engine. */
export async function serveTeam(team: TestEngine, options: ServeOptions = {}): Promise<ServedTeam> {
  closeAfter(team.engine);
  const served = await serve(team.engine, options);
  closing.push(() => served.close());
  const text = async (path: string, status = 200, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
    const response = await fetch(served.url + path, { headers });
    const body = await response.text();
    if (response.status !== status) throw new Error(`${path} answered ${response.status}, not ${status}: ${body.slice(0, 500)}`);
    return body;
  };
  return { ...team, served, text, get: async (path, status, headers) => JSON.parse(await text(path, status, headers)) as unknown };
}

/** Closes an engine after the test. */
export function closeAfter(engine: Pick<Engine, 'close'>): void {
  closing.push(() => engine.close());
}

/** A raw request, with any headers. */
export interface RawRequest {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request that no well-behaved client would, and returns the answer. */
export function ask(
  port: number,
  { path = '/api/info', method = 'GET', headers = {}, body }: RawRequest,
): Promise<{
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path, method, headers, agent: false, setHost: headers['host'] === undefined },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}
