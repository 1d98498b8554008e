import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
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
