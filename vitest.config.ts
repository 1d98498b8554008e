import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Two cores: more workers only wait for each other.
    maxWorkers: 2,
    testTimeout: 30_000,
    reporters: ['default'],
    coverage: { include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
  },
});
