import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.js';

// More than two cores can run: much of a test's time is waiting, for delays and for processes that start and end. Four and five
// take as long on two cores as three, and meet limits of time more often.
const forks = Math.max(3, availableParallelism() - 1);

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Starts nothing by itself.
    globalSetup: 'test/support/shared-engines.ts',
    // Processes, not threads: native addons and file locks belong to a process.
    pool: 'forks',
    poolOptions: {
      forks: {
        maxForks: forks,
        // The pool may end a worker that it takes for idle while it runs a file, so none is ever too many.
        minForks: forks,
        // Files share the modules of their process, which would otherwise be loaded 300 times.
        isolate: false,
      },
    },
    sequence: { sequencer: LongestFirst },
    // No test may use the role of the machine that it runs on.
    env: { AWS_EC2_METADATA_DISABLED: 'true' },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
