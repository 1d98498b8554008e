import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunId } from '../../../src/core/ids.ts';
import type { ModelDelta } from '../../../src/core/model/model.ts';
import { createEngine } from '../../../src/index.ts';
import { createPostgresJournal } from '../../../src/journal/postgres/postgres-journal.ts';
import { liveChannelOf } from '../../../src/journal/postgres/postgres-live.ts';
import { serve } from '../../../src/server/index.ts';
import { sharedServer } from '../../support/postgres/postgres-server.ts';
import { until } from '../../support/runtime/until.ts';

const server = await sharedServer();
const schema = server.newSchema();
const url = server.url(schema);
const secret = 'sk-live-4f9a8b7c6d5e';
const whole = 'The key is [secret]; keep [secret] to yourself.';

/** The process that advances the run, what it prints, and every notification of the run's live data. */
let child: ChildProcess;
const said: string[] = [];
const notices: string[] = [];
let runId = '';
const spy = new Client({ connectionString: server.url() });

beforeAll(async () => {
  const script = path.join(import.meta.dirname, 'streaming-child.ts');
  child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, url, secret], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('the child has no output');
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line));
  await until(() => said.length > 0);
  runId = said[0] ?? '';
  await spy.connect();
  spy.on('notification', ({ payload }) => notices.push(payload ?? ''));
  await spy.query(`LISTEN "${liveChannelOf(`cadre_${schema}`, runId)}"`);
});

afterAll(async () => {
  await spy.end();
  child.stdin?.end();
  if (child.exitCode === null) await once(child, 'exit');
});

/** Sends a message to the run in its own process. */
const say = (text: string): void => void child.stdin?.write(`${text}\n`);
const settled = (count: number): Promise<void> => until(() => said.filter((line) => line === 'settled').length >= count);

/** Frames of a run's event stream. */
async function* framesOf(response: Response): AsyncGenerator<{ readonly event: string; readonly data: string }> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const frame = text.slice(0, end);
      text = text.slice(end + 2);
      yield { event: /^event: (.*)$/m.exec(frame)?.[1] ?? '', data: /^data: (.*)$/m.exec(frame)?.[1] ?? '' };
    }
  }
}

it('a run that nobody reads elsewhere sends nothing', async () => {
  await settled(1);
  await pause(300);
  expect(notices).toEqual([]);
});

it("the page of another process streams a run's replies: pieces between the events, from the middle of a reply on, without secrets", async () => {
  const store = createPostgresJournal({ url, readOnly: true });
  const engine = await createEngine({ profiles: { files: [] }, store });
  const page = await serve(engine, { port: 0 });
  const stop = new AbortController();
  say('Again.');
  // The reply is under way when the reader comes.
  await pause(500);
  const response = await fetch(`${page.url}/api/runs/${runId}/events?after=0`, { signal: stop.signal });
  const order: string[] = [];
  const texts = new Map<string, string>();
  void (async () => {
    for await (const { event, data } of framesOf(response)) {
      const read = JSON.parse(data === '' ? '{}' : data) as { type?: string; turnId?: string; delta?: ModelDelta };
      if (event === 'delta') texts.set(read.turnId ?? '', (texts.get(read.turnId ?? '') ?? '') + (read.delta?.text ?? ''));
      order.push(event === '' ? `${read.type} ${read.turnId}` : `${event} ${read.turnId}`);
    }
  })().catch(() => undefined);
  await settled(2);
  say('And again.');
  await settled(3);
  await until(() => order.filter((line) => line.startsWith('model.end')).length === 3);
  const turns = order.filter((line) => line.startsWith('model.end')).map((line) => line.split(' ')[1] ?? '');
  // The pieces that the newest reply ends with may be overtaken by the event that has all of it.
  for (const turn of turns.slice(1)) {
    expect(texts.get(turn)?.length, turn).toBeGreaterThan(15);
    expect(whole.startsWith(texts.get(turn) ?? '?'), texts.get(turn)).toBe(true);
    const places = order.flatMap((line, index) => (line === `delta ${turn}` ? [index] : []));
    expect(Math.min(...places)).toBeGreaterThan(order.indexOf(`turn.start ${turn}`));
    expect(Math.max(...places)).toBeLessThan(order.indexOf(`model.end ${turn}`));
  }
  expect(order.filter((line) => line === `delta ${turns[2]}`).length).toBeGreaterThan(1);
  expect(texts.has(turns[0] ?? '')).toBe(false);
  expect(notices.join('').length).toBeGreaterThan(50);
  expect(notices.join('')).not.toContain('4f9a');
  stop.abort();
  await page.close();
  await engine.close();
  await store.close();
});

it('bytes from others on the channels of a run disturb neither its process nor its readers', async () => {
  const store = createPostgresJournal({ url });
  const got: string[] = [];
  const reading = store.live?.read(runId as RunId, (text) => got.push(text));
  const channels = [`cadre_${schema}_live`, liveChannelOf(`cadre_${schema}`, runId)];
  await until(
    async () => (await server.query(`SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN "${channels[0]}"%'`)).length > 1,
  );
  for (const channel of channels)
    for (const text of ['', 'x', '[]', '[[1]]', 'null', `[["${runId}",5]]`, '{"kind":"piece"}'])
      await server.query(`SELECT pg_notify('${channel}', '${text}')`);
  say('And once more.');
  await settled(4);
  await until(() => got.some((text) => text.includes('piece') && text.includes('delta')));
  reading?.close();
  await store.close();
});

it('readers find each other again after their connections were cut', async () => {
  const store = createPostgresJournal({ url });
  const pieces: string[] = [];
  const reading = store.live?.read(runId as RunId, (text) => pieces.push(text));
  await pause(300);
  const cut = await server.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cadre' AND query LIKE 'LISTEN "cadre_${schema}%'`,
  );
  expect(cut.length).toBeGreaterThan(1);
  await until(() => said.filter((line) => line === 'settled').length >= 4);
  for (let turn = 5; turn < 12 && pieces.length < 3; turn += 1) {
    say(`Message ${turn}.`);
    await settled(turn);
  }
  expect(pieces.length).toBeGreaterThan(2);
  reading?.close();
  await store.close();
});
