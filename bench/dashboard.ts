/**
 * The pages of the store's dashboard over HTTP, on SQLite and on PostgreSQL: median and slowest time of each page with
 * 100,000 manifests. PostgreSQL comes from Debian's binaries (`ISCCD_TEST_POSTGRES_BIN`).
 *
 * Usage: dashboard.ts [ROUNDS per page] [MANIFESTS]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { Accounts } from '../src/services/dashboard/accounts/accounts.js';
import { type Database, openDatabase } from '../src/storage/database/open.js';
import { ADMIN, PASSWORD, SET_UP } from '../test/admin/support/dashboard.js';
import { seed } from '../test/admin/support/seed.js';
import { Visitor } from '../test/admin/support/visitor.js';
import { startPostgres } from '../test/support/postgres.js';
import { MAIN } from '../test/support/serve.js';
import { ARGUMENTS, quickOr } from './support/options.js';

const ROUNDS = Number(ARGUMENTS[0] ?? quickOr(2, 30));
const MANIFESTS = Number(ARGUMENTS[1] ?? quickOr(2000, 100_000));
const PER_PAGE = 100;

const ENGINES = ['sqlite', 'postgres'] as const;
type EngineName = (typeof ENGINES)[number];

interface Store {
  readonly dataDir: string;
  readonly url: string | undefined;
}

console.log(`${MANIFESTS.toLocaleString('en')} manifests, ${ROUNDS} rounds`);
console.log('page                                             engine       median    slowest');
for (const engine of ENGINES) await measure(engine);

async function measure(engine: EngineName): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'isccd-bench-'));
  const server = engine === 'postgres' ? await startPostgres() : undefined;
  try {
    const store = { dataDir, url: await server?.createDatabase() };
    const key = await fill(engine, store);
    const child = start(store);
    try {
      const visitor = new Visitor(await addressOf(child));
      const { status } = await visitor.login(ADMIN);
      if (status !== 302) throw new Error(`login: ${status}`);
      for (const page of pages(key)) await measurePage(engine, visitor, page);
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  } finally {
    await server?.stop();
    await rm(dataDir, { recursive: true });
  }
}

/** Fills a store's database. Returns the key of a manifest in the middle. */
async function fill(engine: EngineName, { url, dataDir }: Store): Promise<number> {
  // The first start marks the folder as belonging to the database.
  const child = start({ url, dataDir });
  await addressOf(child);
  child.kill();
  await once(child, 'exit');
  const database: Database = await openDatabase(url, dataDir);
  try {
    await new Accounts(database.db).add(ADMIN, PASSWORD, 'admin', SET_UP);
    const keys = await seed(database.db, Array.from({ length: MANIFESTS }, manifest));
    // The database does this by itself some seconds after so many changes.
    await sql.raw(engine === 'sqlite' ? 'analyze' : 'vacuum analyze').execute(database.db);
    return keys[MANIFESTS / 2] ?? 0;
  } finally {
    await database.close();
  }
}

function manifest(_: unknown, at: number) {
  return {
    isTrusted: at % 10 === 0,
    isDeleted: at % 50 === 0,
    // None is due, so that the service declares nothing meanwhile.
    status: 'disabled' as const,
    ...(at % 4 === 0 && { alg: 'com.example.mark', value: Buffer.from(`mark ${at}`) }),
    summary: { title: `Picture ${at % 1000}.jpg`, signer: `Signer ${at % 100}`, issuer: 'Example Press' },
  };
}

/** Paths below `/admin/`. */
function pages(key: number): readonly string[] {
  const last = MANIFESTS / PER_PAGE;
  return [
    ...['', 'manifests/', `manifests/?page=${last}`, `manifests/${key}/`],
    ...['manifests/?q=Picture+77.jpg', 'manifests/?q=0-4000', 'manifests/?q=absent'],
    ...['manifests/?trusted=yes', 'manifests/?signer=Signer+7', 'manifests/?alg=com.example.mark'],
    ...['manifests/?from=2026-06-02&to=2026-06-02', `manifests/?sort=title&page=${last / 2}`],
    ...['tokens/', 'accounts/', 'audit/'],
  ];
}

async function measurePage(engine: EngineName, visitor: Visitor, page: string): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const begin = performance.now();
    const response = await visitor.get(`/admin/${page}`);
    const text = await response.text();
    times.push(performance.now() - begin);
    if (response.status !== 200 || !text.includes('</html>'))
      throw new Error(`/admin/${page}: ${response.status}`);
  }
  times.sort((a, b) => a - b);
  const [median = 0, slowest = 0] = [times[times.length >> 1], times.at(-1)];
  const columns = [median, slowest].map((ms) => `${ms.toFixed(1)} ms`.padStart(11)).join('');
  console.log(`${`/admin/${page}`.padEnd(49)}${engine.padEnd(8)}${columns}`);
}

function start({ url, dataDir }: Store): ChildProcess {
  return spawn(process.execPath, [MAIN, 'serve', 'store'], {
    env: {
      ...process.env,
      APP_SECRET_KEY: 'bench',
      MSTORE_URL: 'http://localhost',
      MSTORE_PORT: '0',
      MSTORE_DATA_DIR: dataDir,
      MSTORE_UNTHROTTLED: '127.0.0.1',
      MSTORE_LOG_LEVEL: 'error',
      ...(url !== undefined && { DATABASE_URL: url }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Waits until the service listens. */
async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the output of the service is not connected');
  let output = '';
  for await (const text of stdout.iterator({ destroyOnReturn: false })) {
    output += String(text);
    const found = /http:\/\/[\d.:]+/.exec(output);
    if (found !== null) return found[0];
  }
  throw new Error(`the service ended: ${output}`);
}
