import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CadreEvent } from '../../../src/core/events/event.ts';
import { RunFeed } from '../../../src/server/http/run-feed.ts';
import { FairQueue } from '../../../src/server/http/fair-queue.ts';
import { createSqliteJournal } from '../../../src/journal/sqlite/sqlite-journal.ts';
import { breathe, gate, testEngine, waitsForUser } from '../../support/test-engine.ts';
import { allow, heldTool, tool } from '../../support/tools.ts';
import { openEvents, type ReadFrame } from './event-reader.ts';
import { closeAfter, servedTeam, serveTeam } from './served-team.ts';

const wire = (events: readonly CadreEvent[]): readonly unknown[] => JSON.parse(JSON.stringify(events)) as readonly unknown[];

/** Returns all messages until the server sends `end`. */
async function readAll(url: string): Promise<readonly ReadFrame[]> {
  const frames: ReadFrame[] = [];
  for await (const frame of await openEvents(url)) frames.push(frame);
  return frames;
}

function journalFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-events-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return path.join(folder, 'journal.db');
}

/** A team that calls a tool many times, with a text each time. */
function busyTeam(calls: number): Parameters<typeof testEngine>[0] {
  return {
    profile: allow('look'),
    tools: [tool('look', () => 'seen', { effect: 'pure' })],
    replies: (_request, index) =>
      index < calls ? { text: `Look ${index}. `.repeat(20), toolCalls: [{ name: 'look', args: { index } }] } : { text: 'Done.' },
  };
}

describe('E14: the events of a run as they happen', () => {
  it('nothing is missed or doubled, wherever and however often readers lose the stream', async () => {
    const team = await servedTeam(busyTeam(12));
    const { served, journal } = team;
    const run = await team.launch();
    // Readers as in practice: one continues with the header of browsers, one with the address alone.
    const follow = async (breaks: readonly number[], byHeader: boolean): Promise<readonly ReadFrame[]> => {
      const got: ReadFrame[] = [];
      for (let turn = 0; ; turn++) {
        const last = Number(got.at(-1)?.id ?? 0);
        const url = `${served.url}/api/runs/${run.id}/events`;
        const reader = await openEvents(byHeader ? url : `${url}?after=${last}`, byHeader && last > 0 ? { lastEventId: last } : {});
        let left = breaks[turn] ?? Infinity;
        for await (const frame of reader) {
          if (frame.event === 'end') return got;
          if (frame.event !== 'message') continue;
          got.push(frame);
          left -= 1;
          if (left <= 0) break;
        }
        reader.close();
      }
    };
    const check = async (breaks: readonly number[], byHeader: boolean): Promise<void> => {
      const got = await follow(breaks, byHeader);
      const events = wire(await journal.read(run.id));
      expect(got.map(({ data }) => data)).toEqual(events);
      expect(got.map(({ id }) => Number(id))).toEqual(events.map((_, index) => index + 1));
    };
    const live = [[3, 1, 1, 10], [1, 1, 1, 1, 1, 1], [40], []].map((breaks, index) => check(breaks, index % 2 === 0));
    await Promise.all([run.result, ...live]);
    await fc.assert(fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 8 }), fc.boolean(), check), {
      numRuns: 25,
    });
  });

  it('[A1.13.server-events] [B.97] what is live comes between the events it belongs to, and adds up to the reply', async () => {
    const held = gate();
    const busy = busyTeam(2);
    const { served, launch } = await servedTeam({
      ...busy,
      tools: [tool('look', (_args, { progress }) => (progress(0.5, 'half'), progress(1, 'whole'), 'seen'), { effect: 'pure' })],
      replies: async (request, index) => {
        await held.promise;
        return typeof busy?.replies === 'function' ? await busy.replies(request, index) : {};
      },
    });
    const run = await launch();
    const reader = await openEvents(`${served.url}/api/runs/${run.id}/events`);
    held.open();
    const frames: ReadFrame[] = [];
    for await (const frame of reader) frames.push(frame);
    const said = new Map<string, string>();
    let replies = 0;
    for (const { event, data } of frames) {
      const turnId = String(data['turnId']);
      if (event === 'delta') {
        const { kind, text } = data['delta'] as { kind: string; text: string };
        if (kind === 'text') said.set(turnId, (said.get(turnId) ?? '') + text);
      }
      if (event === 'message' && data['type'] === 'turn.start') expect(said.has(turnId)).toBe(false);
      if (event === 'message' && data['type'] === 'model.end') {
        replies += 1;
        expect(said.get(turnId)).toBe((data['reply'] as { text: string }).text);
      }
    }
    expect(replies).toBe(3);
    const place = (name: string): number => frames.findIndex(({ event, data }) => event === name || data['type'] === name);
    expect(place('progress')).toBeGreaterThan(place('tool.start'));
    expect(place('progress')).toBeLessThan(place('tool.end'));
    expect(frames.at(-1)).toMatchObject({ event: 'end' });
  });

  it('a run that another process advances is followed, to its end', async () => {
    const file = journalFile();
    const held = heldTool('look', { effect: 'pure' });
    const worker = await testEngine({ ...busyTeam(1), tools: [held.tool], store: createSqliteJournal(file) });
    closeAfter(worker.engine);
    const run = await worker.launch();
    await breathe();
    const watcher = await serveTeam(await testEngine({ ...busyTeam(1), store: createSqliteJournal(file) }));
    const reading = readAll(`${watcher.served.url}/api/runs/${run.id}/events`);
    expect(await watcher.get(`/api/runs/${run.id}`)).toMatchObject({ isLive: false, status: 'running' });
    held.gates.get('look')?.open('seen');
    const frames = await reading;
    expect(frames.flatMap(({ event, data }) => (event === 'message' ? [data] : []))).toEqual(
      wire(await worker.journal.read(run.id)),
    );
    expect(frames.at(-1)).toMatchObject({ event: 'end' });
  });

  it('a run that is over ends its stream at once; one that waits does not', async () => {
    const { served, launch, get } = await servedTeam({ profile: waitsForUser, replies: [{ text: 'Well.' }] });
    const run = await launch();
    await run.settled();
    const url = `${served.url}/api/runs/${run.id}/events`;
    const reader = await openEvents(`${url}?after=2`);
    const frames = reader[Symbol.asyncIterator]();
    expect((await frames.next()).value).toMatchObject({ id: '3' });
    await run.cancel();
    for (let frame = await frames.next(); frame.done !== true; frame = await frames.next()) if (frame.value.event === 'end') break;
    const { lastSeq } = (await get(`/api/runs/${run.id}`)) as { lastSeq: number };
    expect(await readAll(`${url}?after=${lastSeq}`)).toEqual([{ event: 'end', id: undefined, data: {} }]);
    expect(await readAll(`${url}?after=${lastSeq - 1}`)).toMatchObject([{ id: String(lastSeq) }, { event: 'end' }]);
    expect(await get('/api/runs/none/events', 404)).toMatchObject({ error: { code: 'RUN_UNKNOWN' } });
    expect(await get(`/api/runs/${run.id}/events?after=-1`, 400)).toMatchObject({ error: { code: 'REQUEST_INVALID' } });
  });

  it('a run that is no longer in the journal ends its stream: whoever asks again is told', async () => {
    const file = journalFile();
    const first = await testEngine({ profile: waitsForUser, replies: [{ text: 'One.' }], store: createSqliteJournal(file) });
    const run = await first.launch();
    await run.settled();
    await first.engine.close();
    const { served, get } = await servedTeam({ store: createSqliteJournal(file) });
    const path = `/api/runs/${run.id}/events`;
    const frames = (await openEvents(`${served.url}${path}?after=1`))[Symbol.asyncIterator]();
    expect((await frames.next()).value).toMatchObject({ id: '2' });
    const database = new DatabaseSync(file);
    database.exec('DELETE FROM runs');
    database.close();
    for (let frame = await frames.next(); frame.done !== true;) frame = await frames.next();
    expect(await get(path, 404)).toMatchObject({ error: { code: 'RUN_UNKNOWN' } });
  });

  it('a run that is closed here and taken up elsewhere goes on in the same stream', async () => {
    const file = journalFile();
    const first = await testEngine({ profile: waitsForUser, replies: [{ text: 'One.' }], store: createSqliteJournal(file) });
    const run = await first.launch();
    await run.settled();
    const watcher = await serveTeam(await testEngine({ profile: waitsForUser, store: createSqliteJournal(file) }));
    const reading = readAll(`${watcher.served.url}/api/runs/${run.id}/events`);
    await first.engine.close();
    const second = await testEngine({ profile: waitsForUser, replies: [{ text: 'Two.' }], store: createSqliteJournal(file) });
    closeAfter(second.engine);
    const again = await second.engine.resume(run.id);
    await again.send('And?');
    await again.settled();
    await again.cancel();
    const frames = await reading;
    expect(frames.flatMap(({ event, data }) => (event === 'message' ? [data] : []))).toEqual(
      wire(await second.journal.read(run.id)),
    );
  });

  it('N13: a reader that stops reading costs the run nothing; it is told that it missed something, and gets every event', async () => {
    const held = gate();
    const turns = 40;
    const usage = { inputTokens: 1, outputTokens: 1 };
    const team = await servedTeam({
      ...busyTeam(0),
      tools: [
        tool(
          'look',
          (_args, { progress }) => {
            for (let n = 0; n < 200; n++) progress(n / 200, `${n}`.padEnd(1_000, '.'));
            return 'seen';
          },
          { effect: 'pure' },
        ),
      ],
      // More than the socket buffers of a machine hold.
      replies: async (_request, index) => {
        await held.promise;
        return index < turns
          ? { usage, text: `${index} `.padEnd(400_000, 'x'), toolCalls: [{ name: 'look', args: { index } }] }
          : { usage, text: 'Done.' };
      },
    });
    const run = await team.launch('Go.', { limits: { tokens: 1e9 } });
    const url = `${team.served.url}/api/runs/${run.id}/events`;
    const readers = await Promise.all([openEvents(url), openEvents(url), openEvents(url)]);
    for (const { response } of readers) response.pause();
    held.open();
    // The run ends while the reader does not read.
    expect(await run.result).toMatchObject({ status: 'completed' });
    const events = wire(await team.journal.read(run.id));
    for (const reader of readers) {
      const got: unknown[] = [];
      let lags = 0;
      for await (const { event, data } of reader) {
        if (event === 'message') got.push(data);
        if (event === 'lag') lags += 1;
      }
      expect(got).toEqual(events);
      expect(lags).toBeGreaterThan(0);
    }
  });

  it('many readers who begin far back take turns: requests and runs are served in between', async () => {
    const { engine, launch } = await servedTeam(busyTeam(40));
    const run = await launch();
    await run.result;
    const queue = new FairQueue();
    let loops = 0;
    const count = (): void => {
      loops += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const read = async (): Promise<number> => {
      const feed = new RunFeed(engine, { runId: run.id, after: 0, queue });
      let portions = 0;
      while ((await feed.next()) !== 'end') portions += 1;
      feed.close();
      return portions;
    };
    const portions = await Promise.all(Array.from({ length: 20 }, read));
    clearImmediate(timer);
    expect(Math.min(...portions)).toBeGreaterThan(3);
    expect(loops).toBeGreaterThanOrEqual(20 * 3);
  });

  it('a server that closes ends all streams', async () => {
    const { served, launch } = await servedTeam({ profile: waitsForUser, replies: [{ text: 'Well.' }] });
    const run = await launch();
    await run.settled();
    const readers = [await openEvents(`${served.url}/api/runs/${run.id}/events`), await openEvents(`${served.url}/api/events`)];
    await served.close();
    for (const reader of readers) for await (const { event } of reader) expect(event).not.toBe('end');
  });
});

describe('the list of runs as it changes', () => {
  it('tells of runs of this process and of others, once each time they change', async () => {
    const file = journalFile();
    const other = await testEngine({ profile: waitsForUser, replies: () => ({ text: 'Well.' }), store: createSqliteJournal(file) });
    closeAfter(other.engine);
    const old = await other.launch('Old.');
    await old.settled();
    const { served, launch } = await serveTeam(
      await testEngine({
        profile: waitsForUser,
        replies: () => ({ text: 'Well.' }),
        store: createSqliteJournal(file),
        ids: { runId: () => 'run_here' as never, itemId: () => `i${Math.random()}` as never },
      }),
    );
    const reader = await openEvents(`${served.url}/api/events`);
    const frames = reader[Symbol.asyncIterator]();
    const changed = async (): Promise<readonly unknown[]> => {
      const frame = (await frames.next()).value as ReadFrame;
      expect(frame.event).toBe('runs');
      return (frame.data['runs'] as readonly { runId: string; status: string; isLive: boolean }[]).map(
        ({ runId, status, isLive }) => [runId, status, isLive],
      );
    };
    const here = await launch('Here.');
    await here.settled();
    expect(await changed()).toEqual([['run_here', 'idle', true]]);
    await old.cancel();
    expect(await changed()).toEqual([[old.id, 'cancelled', false]]);
    await here.cancel();
    expect(await changed()).toEqual([['run_here', 'cancelled', false]]);
    reader.close();
  });
});
