import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Starts nothing by itself.
    globalSetup: 'test/support/shared-opensearch.ts',
    // Processes, not threads: native addons and file locks belong to a process.
    pool: 'forks',
    // Much of a test's time is waiting: for timeouts, for processes to start and to be killed.
    poolOptions: { forks: { maxForks: Math.max(2, availableParallelism() - 1) } },
    // No test may use the role of the machine that it runs on.
    env: { AWS_EC2_METADATA_DISABLED: 'true' },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
