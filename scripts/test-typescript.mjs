/** Runs vitest, and the files that failed beside others once more alone. */
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { attempt, exists, root, run } from './lib.mjs';
import { recordRaces } from './races.mjs';
import { REPORT } from './run-report.mjs';
import { filesOf } from './test-lanes.mjs';
import { remember } from './test-seconds.mjs';

/** More failed files than this are not a matter of load. */
const AGAIN_MAX = 4;

/**
 * Runs the files of a lane, or with arguments of vitest what these select. Returns seconds by file.
 *
 * @param {import('./test-lanes.mjs').Lane} lane
 * @param {readonly string[]} args
 */
export function testLane(lane, args) {
  const selected = args.length > 0 ? args : filesOf(lane);
  // A file whose tests are all those of other engines has none in the slow lane.
  const options = lane === 'slow' ? ['--passWithNoTests'] : [];
  return testTypescript([...options, ...selected], { env: { ISCCD_TEST_LANE: lane } });
}

/**
 * Test files run beside each other, and on a busy machine one of thousands of tests can meet a time limit of its own. A
 * failed file runs a second time without neighbours; if it fails again, the run fails. Files that needed this are listed,
 * because each of them has a race to be mended. Returns seconds by file.
 *
 * `node` is the Node.js that runs the tests, and whatever they start by the name `node`.
 *
 * @returns {Record<string, number>}
 */
export function testTypescript(options, { node = process.execPath, env: added = {} } = {}) {
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const PATH = [path.dirname(node), process.env.PATH].join(path.delimiter);
  const env = { ...process.env, ...added, PATH };
  rmSync(REPORT, { force: true });
  const reporters = ['--reporter=default', '--reporter=./scripts/run-report.mjs'];
  const first = attempt(node, [vitest, 'run', ...reporters, ...options], { stdio: 'inherit', env });
  const { failed, seconds } = exists(REPORT)
    ? JSON.parse(readFileSync(REPORT, 'utf8'))
    : { failed: null, seconds: {} };
  remember(seconds);
  if (first.status === 0) return seconds;
  if (failed === null || failed.length === 0 || failed.length > AGAIN_MAX) process.exit(first.status || 1);
  console.log(`isccd: once more, alone: ${failed.join(', ')}`);
  run(node, [vitest, 'run', '--no-file-parallelism', ...failed], { env });
  recordRaces(root, failed);
  return seconds;
}
