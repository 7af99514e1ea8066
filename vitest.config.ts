import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Starts nothing by itself.
    globalSetup: 'test/support/shared-engines.ts',
    // Processes, not threads: native addons and file locks belong to a process.
    pool: 'forks',
    // More than two cores can run: much of a test's time is waiting, for delays and for processes that start and end.
    poolOptions: { forks: { maxForks: Math.max(3, availableParallelism() - 1) } },
    // No test may use the role of the machine that it runs on.
    env: { AWS_EC2_METADATA_DISABLED: 'true' },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
