import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEngine, type Engine } from '../../src/index.ts';
import { scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import { makeSmallDisk, type SmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';
import { profileFiles, waitsForUser } from '../support/test-engine.ts';

describe.skipIf(whyNoSmallDisk !== undefined)(`F44: a disk that is really full (${whyNoSmallDisk ?? 'in memory'})`, () => {
  let disk: SmallDisk;
  const engines: Engine[] = [];
  const warnings: string[] = [];
  const listen = (warning: Error): void => void warnings.push(warning.message);
  beforeEach(() => {
    disk = makeSmallDisk(2_048);
    warnings.length = 0;
    process.on('warning', listen);
  });
  afterEach(async () => {
    process.off('warning', listen);
    disk.free();
    for (const engine of engines.splice(0)) await engine.close();
    disk.remove();
  });

  async function open(replies: () => ScriptedReply): Promise<Engine> {
    const engine = await createEngine({
      profiles: { files: profileFiles(waitsForUser) },
      models: { m: scriptedModel(replies) },
      store: path.join(disk.folder, 'journal.db'),
      team: false,
      graceMs: 50,
    });
    engines.push(engine);
    return engine;
  }

  const long = { text: 'word '.repeat(2_000) };

  it('a run halts, and its own engine resumes it once there is space', async () => {
    const engine = await open(() => long);
    const run = await engine.launch({ profile: 'Root', input: 'Go.' });
    await run.settled();
    disk.fill();
    await expect(run.send('again '.repeat(5_000))).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await expect(run.result).rejects.toMatchObject({ code: 'STORE_FAILED' });
    disk.free();
    const again = await engine.resume(run.id);
    await again.send('and on');
    await again.settled();
    expect(again.turns()).toHaveLength(2);
  });

  it('a run that halted goes on here once there is space, however often that was tried before', async () => {
    const engine = await open(() => long);
    const run = await engine.launch({ profile: 'Root', input: 'Go.' });
    await run.settled();
    disk.fill();
    await expect(run.send('again '.repeat(5_000))).rejects.toMatchObject({ code: 'STORE_FAILED' });
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const tried = engine.resume(run.id).then((again) => again.send('again '.repeat(5_000)));
      await expect(tried, `attempt ${attempt}`).rejects.toMatchObject({ code: 'STORE_FAILED' });
    }
    disk.free();
    const again = await engine.resume(run.id);
    await again.send('and on');
    await again.settled();
    expect(again.turns()).toHaveLength(2);
  });

  it('close does not fail; another engine of the process resumes the runs once there is space', async () => {
    const engine = await open(() => long);
    const runs = [await engine.launch({ profile: 'Root', input: 'Go.' }), await engine.launch({ profile: 'Root', input: 'Go.' })];
    for (const run of runs) await run.settled();
    disk.fill();
    await expect(runs[0]?.send('again '.repeat(5_000))).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await engine.close();
    disk.free();
    const next = await open(() => ({ text: 'I go on.' }));
    const recovered = await next.recover();
    expect(recovered.map(({ error }) => error)).toEqual([undefined, undefined]);
    for (const { run } of recovered) {
      await run?.send('and on');
      await run?.settled();
      expect(run?.turns().at(-1)?.reply.text).toBe('I go on.');
    }
    await new Promise((resolve) => setImmediate(resolve));
    for (const warning of warnings) expect(warning).toMatch(/still lists run_\w+(?:, run_\w+)* as held.*--take-over/);
  });
});
