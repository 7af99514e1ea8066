import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Processes, not threads: native addons and file locks belong to a process.
    pool: 'forks',
    // Much of a test's time is waiting: for timeouts, for processes to start and to be killed.
    poolOptions: { forks: { maxForks: Math.max(2, availableParallelism() - 1) } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
