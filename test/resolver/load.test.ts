/** Many clients: every response is correct, and memory stays flat. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const QUERIES = 10_000;
const CLIENTS = 100;

it(`answers ${QUERIES} queries of ${CLIENTS} clients with memory growth below 10 %`, async () => {
  // In its own process, to exclude the memory of the test runner.
  const script = path.join(import.meta.dirname, 'support/load-run.ts');
  const root = path.resolve(import.meta.dirname, '../..');
  const { stdout } = await run(
    process.execPath,
    ['--expose-gc', path.join(root, 'node_modules/vite-node/vite-node.mjs'), script],
    { cwd: root, timeout: 240_000 },
  );
  const { wrong, beforeBytes, afterBytes } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as {
    wrong: number;
    beforeBytes: number;
    afterBytes: number;
  };
  expect(wrong).toBe(0);
  expect(afterBytes / beforeBytes).toBeLessThan(1.1);
}, 300_000);
