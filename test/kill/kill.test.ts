import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { killSweep } from './kill-sweep.ts';

it('K1 to K3: runs whose process is killed are taken up, and come to the same report; nothing is lost or done twice', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'cadre-kill-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const report = await killSweep(path.join(folder, 'sweep'), { everyWrite: 16, random: 2, recovery: 1, seed: 1 });
  expect(report.problems).toEqual([]);
  expect(report.resumed).toBe(report.kills);
  expect(report.kills).toBeGreaterThanOrEqual(20);
}, 240_000);
