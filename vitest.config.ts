import { defineConfig } from 'vitest/config';

/**
 * Tests of whole systems: the page in a browser, the command line and killed engines as processes, attacks in a sandbox, the package as it
 * is packed, simulated storms. `npm test` leaves them to `npm run test:system`; CI runs both.
 */
const system = [
  'test/page/*.test.ts',
  'test/cli/*.test.ts',
  'test/kill/*.test.ts',
  'test/cuts/*.test.ts',
  'test/load/*.test.ts',
  'test/trust/*.test.ts',
  'test/bundle/*.test.ts',
  'test/docs/{examples,packed,programs}.test.ts',
  'test/simulation/{storm,cluster,memory}.test.ts',
  'test/scenarios/{openmanus,shipped-scripts,shipped-chaos,first-turn,bundled-team}.test.ts',
  'test/profiles/{schemas-of-project,editor}.test.ts',
  'test/toolsets/documents/{pdf,kept-index-processes}.test.ts',
  'test/journal/leases/namespaces.test.ts',
  'test/journal/postgres/*.test.ts',
  'test/restate/*.test.ts',
  'test/server/{tool-server,http/profile-tests}.test.ts',
  'test/engine/{rivals,recover-containers,waiting-at-exit}.test.ts',
  'test/toolsets/browser/*.test.ts',
  'test/toolsets/shell/*.test.ts',
  'test/toolsets/worker/*.test.ts',
  'test/toolsets/programs/{planted,inside}.test.ts',
  'test/files/auto-run-jail.test.ts',
  'test/files/auto-run/readers.test.ts',
  'test/toolsets/mcp/{stdio,orphans}.test.ts',
  'test/toolsets/module/import-code.test.ts',
  'test/runtime/contract.test.ts',
  'test/journal/turn-events.test.ts',
  'test/faults/cut-sweep.test.ts',
];

/** The longest of them, about what others touch as well: `npm run test:sweeps` runs them, before a release and after a change near them. */
const sweeps = [
  'test/page/{accuracy,compare,coverage,formatted-text,readable}.test.ts',
  'test/cli/{trust-outside,own-tools,reading-documents}.test.ts',
  'test/bundle/bundle.test.ts',
  'test/load/*.test.ts',
  'test/restate/errors.test.ts',
];
const browserMayStartSlowly = { poll: { timeout: 30_000 } };

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'quick', include: ['test/**/*.test.ts'], exclude: system } },
      { extends: true, test: { name: 'system', include: system, exclude: sweeps, expect: browserMayStartSlowly } },
      { extends: true, test: { name: 'sweeps', include: sweeps, expect: browserMayStartSlowly } },
    ],
    setupFiles: ['test/support/fixed-seed.ts'],
    // Two cores: more workers only wait for each other.
    maxWorkers: 2,
    // Starting a worker per file took a third of the time; no test changes what another one sees.
    isolate: false,
    // Nothing is held against a clock: a test that takes this long hangs.
    testTimeout: 90_000,
    // A machine that is busy with other work answers late, not wrongly.
    expect: { poll: { timeout: 15_000 } },
    reporters: ['default'],
    coverage: { include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
});
