import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/index.ts';
import { createPostgresJournal } from '../../../src/journal/postgres/postgres-journal.ts';
import { assertJournal, scriptedModel } from '../../../src/testing/index.ts';
import { PostgresServer } from '../../support/postgres/postgres-server.ts';
import { makeSmallDisk, type SmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { profileFiles } from '../../support/test-engine.ts';
import { allow, tool } from '../../support/tools.ts';

const steps = 8;

describe.skipIf(whyNoSmallDisk !== undefined)(`the server's disk is really full (${whyNoSmallDisk ?? 'in memory'})`, () => {
  let server: PostgresServer;
  let disk: SmallDisk;
  beforeAll(async () => {
    server = await PostgresServer.start();
    disk = makeSmallDisk(8_192);
    const folder = path.join(disk.folder, 'tables');
    mkdirSync(folder);
    server.giveAway(folder);
    await server.query(`CREATE TABLESPACE small LOCATION '${folder}'`);
    await server.query(`CREATE ROLE small LOGIN PASSWORD 'small pw'`);
    await server.query(
      `ALTER ROLE small SET default_tablespace = small; GRANT CREATE ON TABLESPACE small TO small; GRANT CREATE ON DATABASE postgres TO small`,
    );
  });
  afterAll(async () => {
    await server.remove();
    disk.remove();
  });

  it('a run halts, says why, and goes on when there is room: nothing lost, nothing paid twice', async () => {
    const journal = createPostgresJournal({ url: server.url('small', { user: 'small', password: 'small pw' }) });
    const paid: string[] = [];
    const pay = tool('pay', ({ id }) => {
      paid.push(String(id));
      if (paid.length === 3) disk.fill();
      // Too long for the space that is left in pages, and not to be compressed.
      return randomBytes(12_000).toString('base64');
    });
    const model = scriptedModel(({ prompt }) => {
      const done = JSON.stringify(prompt).split('"role":"tool"').length - 1;
      return done < steps ? { toolCalls: [{ name: 'pay', args: { id: done } }] } : { text: 'done' };
    });
    const engine = await createEngine({
      profiles: { files: profileFiles(allow('pay')) },
      team: false,
      store: journal,
      tools: [pay],
      models: { m: model },
    });
    const run = await engine.launch({ profile: 'Root', input: 'Pay.' });
    const halted = await run.result.catch((thrown: unknown) => thrown);
    expect(halted).toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringMatching(/the server's disk is full \(.*nothing was written. Free some space there/) as string,
      details: { sqlState: '53100', mayPass: true },
    });
    const before = await journal.read(run.id);
    assertJournal(before, { settled: false });
    disk.free();
    const resumed = await engine.resume(run.id);
    expect((await resumed.result).output).toBe('done');
    const events = await journal.read(run.id);
    assertJournal(events);
    expect(events.slice(0, before.length)).toEqual(before);
    // What was paid and could not be recorded is told to the model as unknown, and paid no second time.
    expect(events.flatMap((event) => (event.type === 'tool.end' && event.status === 'unknown' ? [event.callId] : []))).toHaveLength(
      1,
    );
    expect(paid).toEqual(Array.from({ length: steps }, (_, id) => String(id)));
    await engine.close();
    await journal.close();
  });
});
