import { expect, it } from 'vitest';
import { clusterKillSweep } from './kill-sweep.ts';

/** Kills in this test; more, and the figures: `npm run test:kill -- --cluster --kills 300`. */
const kills = Number(process.env['CLUSTER_KILLS'] ?? 8);

it(
  `${kills} kills of workers, Restate and PostgreSQL: each run ends or waits for a person, nothing is lost, no unsafe tool runs twice`,
  async () => {
    const report = await clusterKillSweep({ kills, seed: Number(process.env['CLUSTER_SEED'] ?? 1) });
    expect(report.problems).toEqual([]);
    expect(report.finished + report.awaiting).toBe(report.runs);
    expect(Object.values(report.kills).reduce((sum, count) => sum + count, 0)).toBe(kills);
    // A machine that is busy with other tests is slow: this is no measurement.
    expect(Math.max(0, ...report.plainFailOverMs)).toBeLessThan(30_000);
  },
  600_000 + kills * 10_000,
);
