/** Runs vitest, and the files that failed beside others once more alone. */
import { readFileSync, rmSync } from 'node:fs';
import { FAILED_FILES } from './failed-files.mjs';
import { attempt, exists, run } from './lib.mjs';
import { bin } from './setup.mjs';

/** More failed files than this are not a matter of load. */
const AGAIN_MAX = 4;

/**
 * Test files run beside each other, and on a busy machine one of thousands of tests can meet a time limit of its own. A
 * failed file runs a second time without neighbours; if it fails again, the run fails. Files that needed this are named,
 * because each of them has a race to be mended.
 */
export function testTypescript(options) {
  rmSync(FAILED_FILES, { force: true });
  const reporters = ['--reporter=default', '--reporter=./scripts/failed-files.mjs'];
  const first = attempt(bin('vitest'), ['run', ...reporters, ...options], { stdio: 'inherit' });
  if (first.status === 0) return;
  const failed = exists(FAILED_FILES) ? JSON.parse(readFileSync(FAILED_FILES, 'utf8')) : null;
  if (failed === null || failed.length === 0 || failed.length > AGAIN_MAX) process.exit(first.status || 1);
  console.log(`isccd: once more, alone: ${failed.join(', ')}`);
  run(bin('vitest'), ['run', '--no-file-parallelism', ...failed]);
  console.log(`isccd: passed alone, but failed beside others; repair the race in: ${failed.join(', ')}`);
}
