/*
 * `npm run cluster -- "question"`: PostgreSQL, Restate and three workers on this machine, and the main job on them. With `--serve` the page stays
 * up until Ctrl-C. All of it, with its data, ends with this process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { PostgresServer } from '../support/postgres/postgres-server.ts';
import { freePorts, RestateServer } from '../support/restate/restate-server.ts';

const cadre = path.join(import.meta.dirname, '..', '..', 'bin', 'cadre.mjs');
const isServing = process.argv.includes('--serve');
const words = process.argv.slice(2).filter((word) => word !== '--serve');
const question = words.length === 0 ? 'How do I water tomatoes in pots?' : words.join(' ');
const tell = (text: string): void => void process.stderr.write(`${text}\n`);

function start(args: readonly string[], prefix: string): ChildProcess {
  const child = spawn(process.execPath, [cadre, ...args], { stdio: prefix === '' ? 'inherit' : ['ignore', 'pipe', 'pipe'] });
  for (const pipe of [child.stdout, child.stderr])
    pipe?.on('data', (data: Buffer) => void process.stderr.write(data.toString().replaceAll(/^(?=.)/gm, prefix)));
  return child;
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once('exit', (code) => resolve(code)));

const [postgres, restate] = await Promise.all([PostgresServer.start(), RestateServer.start()]);
const [port] = await freePorts(1);
const where = ['--store', postgres.url('cluster'), '--restate', restate.ingress, '--restate-admin', restate.admin];
tell(`PostgreSQL is on port ${postgres.port}, Restate at ${restate.ingress} (admin API ${restate.admin}).`);
const workers = [1, 2, 3].map((number) =>
  start(['worker', ...where, '--port', String(port), '--share-port'], `worker ${number} | `),
);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
let code: number | null = 1;
try {
  await Promise.race([
    Promise.all(
      workers.map(
        (worker) =>
          new Promise<void>((resolve) => worker.stderr?.on('data', (data: Buffer) => data.includes('Working on') && resolve())),
      ),
    ),
    Promise.race(workers.map(ended)).then((failed) => Promise.reject(new Error(`a worker ended with ${failed}`))),
  ]);
  tell(`Three workers share port ${port}.`);
  code = await ended(start(['run', ...where, question], ''));
  if (isServing && !stop.signal.aborted) code = await ended(start(['serve', ...where], ''));
} finally {
  for (const worker of workers) worker.kill('SIGTERM');
  await Promise.all(workers.map((worker) => (worker.exitCode === null && worker.signalCode === null ? ended(worker) : undefined)));
  await Promise.all([postgres.remove(), restate.remove()]);
  tell(
    `PostgreSQL, Restate and the workers have ended, and the journal with them${isServing ? '' : '; with --serve they stay up until Ctrl-C, and other terminals can inspect the run'}.`,
  );
}
process.exitCode = code ?? 1;
