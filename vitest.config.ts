import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Processes, not threads: native addons and file locks belong to a process.
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
