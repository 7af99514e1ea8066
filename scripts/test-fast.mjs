/**
 * `npm run test:fast`: the checks of the TypeScript, and the tests of the quick lane that need no Rust build, no browser and
 * no foreign engine, and take seconds. Uses the addon of the last `npm run build`.
 */
import { bin, run, tsc } from './lib.mjs';
import { setupTypescript } from './setup.mjs';
import { filesOf, imported, testFiles } from './test-lanes.mjs';
import { knownSeconds, secondsOf } from './test-seconds.mjs';

/** Helpers that start foreign programs: a browser, PostgreSQL, programs from Debian or PyPI. */
const SLOW_HELPERS = [
  'test/search/support/locations.ts',
  'test/support/chromium.ts',
  'test/support/postgres.ts',
  'test/support/set-up.ts',
];
const SECONDS_MAX = 10;

const known = knownSeconds();
const fast = filesOf('quick').filter(
  (file) =>
    secondsOf(file, known) <= SECONDS_MAX && !SLOW_HELPERS.some((helper) => imported(file).has(helper)),
);
if (process.argv.includes('--list')) {
  console.log(fast.sort().join('\n'));
} else {
  const start = performance.now();
  setupTypescript();
  run(bin('biome'), ['check', '--error-on-warnings', '.']);
  tsc('-p', 'tsconfig.check.json');
  run(bin('vitest'), ['run', ...fast]);
  console.log(
    `isccd: ${fast.length} of ${testFiles().length} test files, ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
}
