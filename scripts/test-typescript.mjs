/** Runs vitest, and the files that failed beside others once more alone. */
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { FAILED_FILES } from './failed-files.mjs';
import { attempt, exists, root, run } from './lib.mjs';

/** More failed files than this are not a matter of load. */
const AGAIN_MAX = 4;

/**
 * Test files run beside each other, and on a busy machine one of thousands of tests can meet a time limit of its own. A
 * failed file runs a second time without neighbours; if it fails again, the run fails. Files that needed this are named,
 * because each of them has a race to be mended.
 *
 * `node` is the Node.js that runs the tests, and whatever they start by the name `node`.
 */
export function testTypescript(options, node = process.execPath) {
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const PATH = [path.dirname(node), process.env.PATH].join(path.delimiter);
  const env = { ...process.env, PATH };
  rmSync(FAILED_FILES, { force: true });
  const reporters = ['--reporter=default', '--reporter=./scripts/failed-files.mjs'];
  const first = attempt(node, [vitest, 'run', ...reporters, ...options], { stdio: 'inherit', env });
  if (first.status === 0) return;
  const failed = exists(FAILED_FILES) ? JSON.parse(readFileSync(FAILED_FILES, 'utf8')) : null;
  if (failed === null || failed.length === 0 || failed.length > AGAIN_MAX) process.exit(first.status || 1);
  console.log(`isccd: once more, alone: ${failed.join(', ')}`);
  run(node, [vitest, 'run', '--no-file-parallelism', ...failed], { env });
  console.log(`isccd: passed alone, but failed beside others; repair the race in: ${failed.join(', ')}`);
}
