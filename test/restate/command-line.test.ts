import { expect, it } from 'vitest';
import { createPostgresJournal } from '../../src/journal/postgres/postgres-journal.ts';
import { assertJournal } from '../../src/testing/index.ts';
import { runCli, startForTest, starterFolder } from '../cli/cli-process.ts';
import { sharedServer } from '../support/postgres/postgres-server.ts';
import { freePorts, sharedRestate } from '../support/restate/restate-server.ts';

const [postgres, restate] = [await sharedServer(), await sharedRestate()];

it('two workers, a run and the page from the command line; SIGTERM drains a worker', async () => {
  const cwd = await starterFolder();
  const schema = postgres.newSchema();
  const [port] = await freePorts(1);
  const url = postgres.url(schema);
  const where = ['--store', url, '--restate', restate.ingress, '--restate-admin', restate.admin, '--restate-name', `c${schema}`];
  const early = await runCli(['run', '--quiet', 'What is here?', ...where], { cwd });
  expect([early.code, early.err]).toEqual([1, expect.stringContaining('start one: cadre worker')]);
  const workers = [1, 2].map(() => startForTest(['worker', ...where, '--port', String(port), '--share-port'], { cwd }));
  for (const worker of workers) await worker.until('Working on the runs');
  const ran = await runCli(['run', '--quiet', 'What is here?', ...where], { cwd });
  expect(ran.code, ran.err).toBe(0);
  expect(ran.out.length).toBeGreaterThan(10);
  const journal = createPostgresJournal({ url });
  const [run] = await journal.runs();
  assertJournal(await journal.read(run?.runId ?? ('' as never)));
  await journal.close();
  const resumed = await runCli(['resume', 'last', 'And then?', '--store', url], { cwd });
  expect([resumed.code, resumed.err]).toEqual([
    1,
    expect.stringMatching(
      /is being advanced by runtime restate\/\w+.*its workers advance it: name their Restate with --restate URL, or take the run over/s,
    ),
  ]);
  const serving = startForTest(['serve', '--open', '--port', '0', ...where], { cwd });
  await serving.until('(Ctrl-C');
  const page = /http:\/\/127\.0\.0\.1:\d+/.exec(serving.said())?.[0] ?? '';
  const sent = await fetch(`${page}/api/runs/${run?.runId}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: page },
    body: JSON.stringify({ text: 'And what else?' }),
  });
  expect([sent.ok, await sent.text()]).toEqual([true, expect.any(String)]);
  serving.child.kill('SIGINT');
  expect((await serving.finished).code).toBe(0);
  for (const worker of workers) worker.child.kill('SIGTERM');
  for (const worker of workers) expect((await worker.finished).code).toBe(0);
  const password = decodeURIComponent(new URL(url).password);
  expect([early, ran].map(({ out, err }) => out + err).join('') + workers.map((worker) => worker.said()).join('')).not.toContain(
    password,
  );
});

it('Ctrl-C ends the command that watches a run; workers go on with it', async () => {
  const cwd = await starterFolder();
  const schema = postgres.newSchema();
  const url = postgres.url(schema);
  const where = ['--store', url, '--restate', restate.ingress, '--restate-admin', restate.admin, '--restate-name', `c${schema}`];
  const worker = startForTest(['worker', ...where, '--port', '0'], { cwd });
  await worker.until('Working on the runs');
  const watching = startForTest(['run', 'What is here?', ...where], { cwd });
  await watching.until('started');
  watching.child.kill('SIGINT');
  const { code } = await watching.finished;
  expect([code, watching.said()]).toEqual([
    130,
    expect.stringMatching(/The run goes on at its workers\. Follow it with: .* tail run_/),
  ]);
  const journal = createPostgresJournal({ url, readOnly: true });
  await expect.poll(async () => (await journal.runs())[0]?.status, { timeout: 20_000 }).toBe('idle');
  await journal.close();
  worker.child.kill('SIGTERM');
  expect((await worker.finished).code).toBe(0);
});

it('a worker without a Restate, and one with a journal that others cannot reach, say what is missing', async () => {
  const cwd = await starterFolder();
  const none = await runCli(['worker'], { cwd });
  expect([none.code, none.err]).toEqual([2, expect.stringMatching(/--restate URL.*--store postgres/s)]);
  const file = await runCli(['worker', '--restate', restate.ingress], { cwd });
  expect([file.code, file.err]).toEqual([2, expect.stringContaining('--store postgres://…')]);
});
