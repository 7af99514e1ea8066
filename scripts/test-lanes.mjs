/**
 * The lanes of the TypeScript tests. `npm test` runs the quick lane, `npm run test:slow` the slow one. This table is the
 * only place that says which tests are slow: another one is another line.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { exists, root } from './lib.mjs';
import { PARTS } from './torture-parts.mjs';

/** @typedef {'quick' | 'slow'} Lane */

/** Beginnings of the paths of slow tests, and why they are slow. */
export const SLOW = {
  'test/bench.test.ts': 'each benchmark in its short form',
  'test/browser/admin-accessible.test.ts': 'every page of the dashboard in every state, four times',
  'test/browser/docs.test.ts': 'the documentation pages of each service, in a browser',
  'test/browser/firefox.test.ts': 'Firefox, which is installed',
  'test/cli/examples.test.ts': 'each example of the help, in a process of its own',
  'test/cli/index-transfer.test.ts': 'indexes that move between engines',
  'test/cli/isccd-code.test.ts': 'the program without Node.js, built and run on all fixtures',
  'test/cli/node-version.test.ts': 'other versions of Node.js',
  'test/cli/reindex-opensearch.test.ts': 'OpenSearch',
  'test/cli/scan-workspace.test.ts': 'scans of folders that are scanned again and again',
  'test/cli/workers.test.ts': 'several processes of each service',
  'test/client/generated.test.ts': 'generators of clients in three languages',
  'test/clients/': 'packages for other languages, built, installed and used',
  'test/cluster/': 'two instances of each service, with faults',
  'test/codes/http/hostile.test.ts': 'clients that misbehave',
  'test/codes/http/semantic.test.ts': 'sentence models',
  'test/codes/semantic.test.ts': 'sentence models',
  'test/data/format.test.ts': 'data of other versions',
  'test/data/postgres.test.ts': 'databases that are backed up and restored',
  'test/database/versions.test.ts': 'data of other versions',
  'test/deploy/': 'packages, images and systems that run them',
  'test/docs/blocks.test.ts': 'each command of each page',
  'test/docs/runnable-examples.test.ts': 'programs of the documentation, in three languages',
  'test/docs/screenshots.test.ts': 'pictures of the documentation, made again',
  'test/docs/site.test.ts': 'the site, built and read in a browser',
  'test/faults/': 'kills, power losses, full and failing disks',
  'test/network/follow.test.ts': 'nodes that follow hubs',
  'test/network/forks.test.ts': 'nodes that follow hubs',
  'test/network/published.test.ts': 'nodes that follow hubs',
  'test/network/shared-index.test.ts': 'nodes that share a database, killed and started again',
  'test/network/shutdown.test.ts': 'nodes that end at each step',
  'test/network/splits.test.ts': 'nodes that follow hubs',
  'test/openapi-tools.test.ts': 'checkers of OpenAPI documents by others',
  'test/real-files/': 'real documents of public packages, which it fetches',
  'test/resolver/load.test.ts': 'many requests at once',
  'test/s3/faults.test.ts': 'failing storage',
  'test/search/damage.test.ts': 'damaged indexes',
  'test/search/instances.test.ts': 'two instances of one service',
  'test/search/opensearch': 'OpenSearch',
  'test/search/restored-database.test.ts': 'databases that are backed up and restored',
  'test/search/watches-crash.test.ts': 'kills',
  'test/store/bucket-faults.test.ts': 'failing storage',
  'test/store/declarations/crashes.test.ts': 'kills',
  'test/store/declarations/failing-requests.test.ts': 'hubs that fail at each step',
  'test/store/declarations/kill.test.ts': 'kills',
  'test/store/foreign-validators.test.ts': 'validators of others, which are installed',
  'test/store/restored-index.test.ts': 'databases that are backed up and restored',
  'test/store/undo.test.ts': 'deletes that are undone, on both databases',
  'test/store/webhooks.test.ts': 'receivers that fail, and pauses between attempts',
  'test/torture/': 'the torture programme in its short form',
};

/** Parts of the torture programme that take as long are slow, wherever their tests are. */
const TORTURE_SECONDS_MIN = 30;
const SLOW_PARTS = PARTS.filter(({ seconds }) => seconds >= TORTURE_SECONDS_MIN).flatMap(
  ({ files }) => files,
);

/** Runs its tests once per engine of the search service: in the slow lane those of OpenSearch, in the quick lane the others. */
const ENGINES = 'test/search/support/engines.ts';

/** All test files, as paths from the root with `/`. */
export function testFiles() {
  return readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll(path.sep, '/')}`)
    .filter((name) => name.endsWith('.test.ts'));
}

/**
 * The test files of a lane.
 *
 * @param {Lane} lane
 */
export function filesOf(lane) {
  return testFiles().filter((file) => {
    const isSlow = SLOW_PARTS.includes(file) || Object.keys(SLOW).some((start) => file.startsWith(start));
    return lane === 'quick' ? !isSlow : isSlow || imported(file).has(ENGINES);
  });
}

/**
 * `file`, and every TypeScript file of `test` that it imports, directly or indirectly.
 *
 * @param {string} file
 * @param {Set<string>} seen
 * @returns {Set<string>}
 */
export function imported(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(path.join(root, file), 'utf8');
  for (const [, target] of text.matchAll(/from\s+'(\.[^']+)'/g)) {
    const inner = path.posix.join(path.posix.dirname(file), target.replace(/\.js$/, '.ts'));
    if (inner.startsWith('test/') && exists(path.join(root, inner))) imported(inner, seen);
  }
  return seen;
}
