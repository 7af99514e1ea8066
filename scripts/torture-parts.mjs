/**
 * The parts of the torture programme. Each is a test file whose short form runs in `npm run test:slow`, or in `npm test` if it
 * is in the quick lane; `npm run torture` runs it with another size and seed and prints what was tried.
 *
 * @typedef {object} Part
 * @property {string} name
 * @property {string} about what happens to the services
 * @property {string} unit what a size counts
 * @property {string} [tried] what the result counts, if not that
 * @property {number} short size in the lanes of tests
 * @property {number} long size of `npm run torture`
 * @property {number} seconds about how long the short form takes on two idle cores; long parts start first
 * @property {readonly string[]} files
 * @property {string} [alone] why no other part may run beside this one
 * @property {Readonly<Record<string, string>>} [env] set in the long form of tests that have no size
 */

/** @type {readonly Part[]} */
export const PARTS = [
  {
    name: 'kill-codes',
    about: 'kill -9 during uploads, embeds and deletes of the codes service',
    unit: 'kills',
    short: 10,
    long: 1000,
    seconds: 17,
    files: ['test/faults/codes-kill.test.ts'],
  },
  {
    name: 'kill-search',
    about: 'kill -9 of the search service while batches arrive',
    unit: 'kills',
    short: 20,
    long: 1000,
    seconds: 18,
    files: ['test/faults/search-kill.test.ts'],
  },
  {
    name: 'kill-store',
    about: 'kill -9 of the store during uploads and deletes, with and without undo',
    unit: 'kills',
    short: 20,
    long: 1000,
    seconds: 19,
    files: ['test/faults/store-kill.test.ts'],
  },
  {
    name: 'kill-all',
    about: 'kill -9 of all four services in one process under mixed load, with a hub that fails',
    unit: 'kills',
    short: 10,
    long: 1000,
    seconds: 37,
    files: ['test/torture/kill-all.test.ts'],
  },
  {
    name: 'power-loss',
    about: 'the folders that a power loss at any moment leaves of codes, store, search and its watches',
    unit: 'losses',
    short: 10,
    long: 300,
    seconds: 21,
    files: ['test/faults/power-loss.test.ts'],
  },
  {
    name: 'bombs',
    about: 'small files that ask for much work or memory: code, extract and embed',
    unit: 'files',
    short: 16,
    long: 1000,
    seconds: 65,
    files: ['test/torture/bombs.test.ts'],
  },
  {
    name: 'hostile',
    about: 'requests and files that once ended, blocked or filled a service, to all services in one process',
    unit: 'requests',
    short: 24,
    long: 1000,
    seconds: 25,
    files: ['test/torture/hostile.test.ts'],
  },
  {
    name: 'memory',
    about:
      'many large bodies at once to each route that takes them, and slow uploads, in a container of 512 MB',
    unit: 'rounds',
    short: 1,
    long: 50,
    seconds: 50,
    files: ['test/torture/memory.test.ts'],
    alone: 'fills gigabytes with bodies',
  },
  {
    name: 'rot',
    about: 'stored manifests and uploads that change on the disk',
    unit: 'cases',
    tried: 'rotten manifests',
    short: 20,
    long: 2000,
    seconds: 12,
    files: ['test/torture/rot.test.ts'],
  },
  {
    name: 'mutants',
    about: 'mutated and amplified copies of real files',
    unit: 'files',
    short: 300,
    long: 100_000,
    seconds: 7,
    files: ['test/torture/mutants.test.ts'],
  },
  {
    name: 'index-files',
    about: 'index files that are cut, zeroed, torn or flipped beside a healthy index',
    unit: 'files',
    short: 50,
    long: 2000,
    seconds: 5,
    files: ['test/torture/index-files.test.ts'],
  },
  {
    name: 'churn',
    about: 'every key of an index added, replaced and deleted, compared with brute force',
    unit: 'rounds',
    short: 20,
    long: 1000,
    seconds: 3,
    files: ['test/torture/churn.test.ts'],
  },
  {
    name: 'overload',
    about: 'far more clients than workers, then quiet',
    unit: 'seconds',
    short: 20,
    long: 1800,
    seconds: 22,
    files: ['test/torture/overload.test.ts'],
    alone: 'loads every core on purpose, and its table row is how the service keeps up',
  },
  {
    name: 'soak',
    about: 'mixed load on all services: memory, descriptors and threads',
    unit: 'seconds',
    short: 30,
    long: 7200,
    seconds: 33,
    files: ['test/torture/soak.test.ts'],
  },
  {
    name: 'cluster',
    about:
      'rolling restarts, and kill -9 of instances, engines and the primary of two instances of each service behind nginx',
    unit: 'seconds',
    tried: 'faults',
    short: 1,
    long: 3600,
    seconds: 64,
    files: ['test/cluster/cluster.test.ts'],
  },
  {
    name: 'linearizable',
    about:
      'two instances of search and of the store while one is killed or cut off, and while the database is killed; an existing checker judges what clients saw',
    unit: 'seconds',
    tried: 'faults',
    short: 6,
    long: 3600,
    seconds: 60,
    files: ['test/cluster/linearizable.test.ts'],
  },
  {
    name: 'schema',
    about:
      'requests made from the OpenAPI documents of all services, valid and invalid, over both transports',
    unit: 'examples',
    short: 20,
    long: 2000,
    seconds: 161,
    files: ['test/codes/http/openapi.test.ts', 'test/torture/schema.test.ts'],
  },
  {
    name: 'simulation',
    about: 'random histories of uploads, deletes, restores, crashes and lost messages between store and hub',
    unit: 'histories',
    short: 1000,
    long: 100_000,
    seconds: 14,
    files: ['test/store/declarations/crashes.test.ts'],
  },
  suite('io-errors', 32, 'failing and hanging writes of records and indexes', [
    'test/faults/codes-io-error.test.ts',
    'test/faults/search-io-error.test.ts',
    'test/faults/store-io-error.test.ts',
    'test/faults/network-disk.test.ts',
  ]),
  suite('clock', 36, 'a wall clock that jumps while uploads are alive and hubs are followed', [
    'test/faults/codes-clock.test.ts',
    'test/faults/network-clock.test.ts',
  ]),
  suite(
    'upgrade',
    35,
    'data of released versions, and backups made while services run and restored elsewhere',
    ['test/data/released-data.test.ts', 'test/data/backup.test.ts'],
  ),
  suite('full-disk', 13, 'a disk that fills up under each service', [
    'test/faults/codes-full-disk.test.ts',
    'test/faults/search-full-disk.test.ts',
    'test/faults/store-full-disk.test.ts',
  ]),
  suite(
    'raw-http',
    10,
    'malformed and unusual requests, byte by byte, over both transports, also behind nginx',
    ['test/http/framing.test.ts', 'test/http/behind-nginx.test.ts', 'test/store/raw-requests.test.ts'],
  ),
  {
    name: 'ssrf',
    about:
      'addresses of places inside, from strangers and their redirects, judged by the list of connections',
    unit: 'addresses',
    short: 100,
    long: 5000,
    seconds: 3,
    files: ['test/torture/ssrf.test.ts'],
  },
  suite('open-files', 3, 'more connections than the process may have open files', [
    'test/faults/open-files.test.ts',
  ]),
  suite(
    'slow-clients',
    63,
    'slow headers and bodies, and clients that read nothing',
    ['test/http/slow-readers.test.ts', 'test/http/timeouts.test.ts'],
    { ISCCD_TEST_READERS: '1000' },
  ),
  suite(
    'network',
    66,
    'kill -9 while hubs are followed, hubs that fork, vanish or lie',
    ['test/network/kills.test.ts', 'test/network/hostile-hubs.test.ts'],
    { ISCCD_TEST_LONG: '1' },
  ),
];

/**
 * A part whose tests have no size.
 *
 * @param {string} name
 * @param {number} seconds
 * @param {string} about
 * @param {readonly string[]} files
 * @param {Readonly<Record<string, string>>} [env]
 * @returns {Part}
 */
function suite(name, seconds, about, files, env = {}) {
  return { name, about, unit: 'tests', short: 1, long: 1, seconds, files, env };
}
