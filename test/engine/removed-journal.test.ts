import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createEngine } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { gate, profileFiles } from '../support/test-engine.ts';

it('F50: a run whose journal is removed under it does not complete: it halts, and says why', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-removed-'));
  const store = path.join(folder, 'journal.db');
  const answer = gate();
  const engine = await createEngine({
    profiles: { files: profileFiles('') },
    models: {
      m: scriptedModel(async () => {
        await answer.promise;
        return { text: 'Done.' };
      }),
    },
    store,
    team: false,
    graceMs: 50,
  });
  const run = await engine.launch({ profile: 'Root', input: 'Go.' });
  for (const side of ['', '-wal', '-shm']) rmSync(`${store}${side}`, { force: true });
  answer.open();
  await expect(run.result).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('the file was removed while it was in use') as string,
  });
  expect(run.state.outcome).toBeUndefined();
  await expect(engine.launch({ profile: 'Root', input: 'Go.' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
  await engine.close();
  expect(existsSync(store)).toBe(false);
  rmSync(folder, { recursive: true });
});
