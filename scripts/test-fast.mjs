/**
 * `npm run test:fast`: the checks of the TypeScript and the tests that need no Rust build, no browser, no foreign engine
 * and no long series of kills. Uses the addon of the last `npm run build`.
 *
 * A test file is slow if it, or a file that it imports, uses one of {@link SLOW_HELPERS}, or if it is in {@link SLOW}.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { bin, exists, root, run } from './lib.mjs';
import { setupTypescript } from './setup.mjs';

/** Helpers that start foreign programs: a browser, PostgreSQL, programs from Debian or PyPI. */
const SLOW_HELPERS = [
  'test/search/support/locations.ts',
  'test/support/chromium.ts',
  'test/support/postgres.ts',
  'test/support/set-up.ts',
];
/** Folders and files that take long by their nature. */
const SLOW = [
  'test/bench.test.ts',
  'test/browser/',
  'test/cli/examples.test.ts',
  'test/codes/audio.test.ts',
  'test/codes/http/embedded.test.ts',
  'test/codes/http/hostile.test.ts',
  'test/codes/http/lifetime.test.ts',
  'test/codes/http/memory.test.ts',
  'test/codes/http/metadata.test.ts',
  'test/codes/http/openapi.test.ts',
  'test/codes/pool.test.ts',
  'test/codes/video.test.ts',
  'test/data/backup.test.ts',
  'test/deploy/',
  'test/docs/blocks.test.ts',
  'test/docs/reference.test.ts',
  'test/faults/',
  'test/http/server.test.ts',
  'test/http/slow-readers.test.ts',
  'test/http/timeouts.test.ts',
  'test/network/follow.test.ts',
  'test/resolver/load.test.ts',
  'test/torture/',
];

const tests = readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name.replaceAll(path.sep, '/')}`)
  .filter((name) => name.endsWith('.test.ts'));

/** Every TypeScript file of `test` that `file` imports, directly or indirectly. */
function closure(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(path.join(root, file), 'utf8');
  for (const [, target] of text.matchAll(/from\s+'(\.[^']+)'/g)) {
    const imported = path.posix.join(path.posix.dirname(file), target.replace(/\.js$/, '.ts'));
    if (imported.startsWith('test/') && exists(path.join(root, imported))) closure(imported, seen);
  }
  return seen;
}

function isFast(file) {
  if (SLOW.some((slow) => file.startsWith(slow))) return false;
  const used = closure(file);
  return !SLOW_HELPERS.some((helper) => used.has(helper));
}

const fast = tests.filter(isFast);
if (process.argv.includes('--list')) {
  console.log(fast.sort().join('\n'));
} else {
  const start = performance.now();
  setupTypescript();
  run(bin('biome'), ['check', '--error-on-warnings', '.']);
  run(bin('tsc'), ['-p', 'tsconfig.check.json']);
  run(bin('vitest'), ['run', ...fast]);
  console.log(
    `isccd: ${fast.length} of ${tests.length} test files, ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
}
