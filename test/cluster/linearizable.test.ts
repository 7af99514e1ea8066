/**
 * Two instances of a service on one database under concurrent writes, removals and reads of the same keys, while one of them is
 * killed, cut off the database, or the database is. The checker porcupine, which is not ours, judges what clients saw: the
 * results of each key must be those of one copy that does one operation after the other.
 *
 * `npm run torture -- linearizable` goes on for an hour.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ServiceName } from '../../src/compose/service-names.js';
import { STALE_HEADER } from '../../src/services/search/freshness.js';
import { randomAsset } from '../search/support/random-assets.js';
import { freshManifest } from '../store/support/fresh-manifest.js';
import { OPERATOR_TOKEN, storeEnvironment } from '../store/support/server.js';
import { freePorts } from '../support/free-ports.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { type SeaweedServer, startSeaweed } from '../support/seaweed.js';
import { type ServedProcess, serve } from '../support/serve.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { Random, torture } from '../support/torture.js';
import { History, judged, NOT_SENT, type Request, UNKNOWN } from './support/history.js';
import { Link } from './support/link.js';

const { size: SECONDS, seed, report } = torture('linearizable');
const CLIENTS = 6;
/** Few, so that clients meet. */
const KEYS = 5;
/** Operations of a key without a result, from which on clients use new keys: each may come at any later time. */
const UNKNOWN_MAX = 3;
const REQUEST_MS_MAX = 5000;
/** A service that can't write fails at once, and each failure is an operation without a result. */
const PAUSE_MS = 150;
const CUT_MS = 1500;

let postgres: PostgresServer;
let s3: SeaweedServer;
beforeAll(async () => {
  [postgres, s3] = await Promise.all([startPostgres({ sync: true }), startSeaweed()]);
  return () => Promise.all([postgres.stop(), s3.stop()]);
}, INSTALL_MAX_MS);

/** How operations of a history are requests to a service. They resolve to a result as in {@link History}. */
interface Subject {
  readonly service: ServiceName;
  readonly environment: (location: string, folder: string) => Promise<Readonly<Record<string, string>>>;
  readonly prepare: (url: string) => Promise<void>;
  readonly perform: (url: string, request: Request) => Promise<string | typeof UNKNOWN | typeof NOT_SENT>;
}

const send = (url: string, init: RequestInit = {}) =>
  fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_MS_MAX) });
const json = (value: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(value),
});

function search(): Subject {
  const numbers = new Map<string, number>();
  const assetOf = (key: string) => {
    if (!numbers.has(key)) numbers.set(key, numbers.size);
    return randomAsset(numbers.get(key) ?? 0);
  };
  return {
    service: 'search',
    environment: async (location) => ({ INDEXSVC_INDEX_URI: location, INDEXSVC_LOG_LEVEL: 'fatal' }),
    prepare: async (url) => expect((await send(`${url}/indexes`, json({ name: 'main' }))).status).toBe(201),
    async perform(url, { key, kind, value }) {
      const asset = assetOf(key);
      const target = `${url}/indexes/main/assets`;
      if (kind === 'write') {
        const response = await send(target, json([{ ...asset, metadata: { value } }]));
        if (response.status !== 201) return UNKNOWN;
        const [{ status }] = (await response.json()) as [{ status: string }];
        return status === 'updated' ? 'replaced' : status;
      }
      const response = await send(
        `${target}/${asset.iscc_id}`,
        kind === 'remove' ? { method: 'DELETE' } : {},
      );
      if (kind === 'remove') return { 204: 'present', 404: 'absent' }[response.status];
      // Without its database, an instance says how old its state may be.
      if (response.headers.has(STALE_HEADER)) return UNKNOWN;
      if (response.status === 404) return '';
      if (response.status !== 200) return UNKNOWN;
      return ((await response.json()) as { metadata: { value: string } }).metadata.value;
    },
  };
}

function store(): Subject {
  const manifests = new Map<string, Promise<Buffer>>();
  const ids = new Map<string, string>();
  const bytesOf = (key: string) => {
    const bytes = manifests.get(key) ?? freshManifest();
    manifests.set(key, bytes);
    return bytes;
  };
  const authorization = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
  return {
    service: 'store',
    environment: async (url, dataDir) => ({
      ...storeEnvironment({ dataDir, url }),
      ...s3.variables,
      MSTORE_BLOBS: `s3://${await bucket()}/manifests`,
    }),
    prepare: async () => undefined,
    async perform(url, { key, kind }) {
      const bytes = await bytesOf(key);
      if (kind === 'write') {
        const headers = { 'Content-Type': 'application/c2pa' };
        const response = await send(`${url}/v1/manifests`, { method: 'POST', headers, body: bytes });
        if (response.status !== 200) return UNKNOWN;
        ids.set(key, ((await response.json()) as { manifestId: string }).manifestId);
        return 'written';
      }
      const id = ids.get(key);
      // No answer has named its id.
      if (id === undefined) return NOT_SENT;
      const target = `${url}/v1/manifests/${encodeURIComponent(id)}`;
      const response = await send(
        target,
        kind === 'remove' ? { method: 'DELETE', headers: authorization } : {},
      );
      if (kind === 'remove') return { 204: 'present', 404: 'absent' }[response.status];
      if (response.status === 404) return '';
      return response.status === 200 && Buffer.from(await response.arrayBuffer()).equals(bytes)
        ? 'stored'
        : UNKNOWN;
    },
  };
}

let sharedBucket: Promise<string> | undefined;
function bucket(): Promise<string> {
  sharedBucket ??= s3.createBucket();
  return sharedBucket;
}

/** Two instances; the second one reaches the database through a link. */
async function startBoth(subject: Subject) {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-linearizable-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const location = new URL(await postgres.createDatabase());
  const socketIn = (place: string) => path.join(place, `.s.PGSQL.${location.port || 5432}`);
  const link = await Link.open(socketIn(folder), socketIn(location.searchParams.get('host') ?? ''));
  onTestFinished(() => link.close());
  const linked = new URL(location);
  linked.searchParams.set('host', folder);
  const ports = await freePorts(2);
  const start = async (at: number): Promise<ServedProcess> => {
    const own = path.join(folder, String(at));
    const env = {
      ...(await subject.environment(String(at === 0 ? location : linked), own)),
      ISCCD_DATA_DIR: own,
      INDEXSVC_PORT: String(ports[at]),
      MSTORE_PORT: String(ports[at]),
    };
    return serve([subject.service], { env, cwd: folder });
  };
  const first = await start(0);
  const instances = [first, await start(1)];
  onTestFinished(() => Promise.all(instances.map((one) => one.kill())).then(() => undefined));
  const urls = instances.map((one) => one.urls[subject.service]);
  const restart = async () => {
    await instances[1]?.kill();
    instances[1] = await start(1);
  };
  return { urls, link, restart };
}

test.each([
  ['search on PostgreSQL', search],
  ['the store on PostgreSQL and S3', store],
] as const)(
  '%s does one operation after the other on each key',
  {
    timeout: INSTALL_MAX_MS + SECONDS * 4000,
  },
  async (_, make) => {
    const subject = make();
    const { urls, link, restart } = await startBoth(subject);
    await subject.prepare(urls[0] ?? '');
    const history = new History();
    const faults: (() => Promise<void>)[] = [
      restart,
      async () => {
        link.cut();
        await pause(CUT_MS);
        link.heal();
      },
      async () => {
        await postgres.kill();
        await postgres.start();
      },
    ];
    let [round, generation, isOver, writes] = [0, 0, false, 0];
    const client = async (number: number) => {
      const random = new Random(seed, number);
      while (!isOver) {
        const key = `${generation}-${random.below(KEYS)}`;
        const kind = random.pick(['write', 'write', 'remove', 'read', 'read', 'read'] as const);
        writes += 1;
        const value = subject.service === 'store' ? 'stored' : `${number}-${writes}`;
        const request = { client: number, key, kind, ...(kind === 'write' && { value }) };
        const url = random.pick(urls);
        const before = history.known;
        await history.record(request, () => subject.perform(url, request));
        if (history.unknownOf(key) >= UNKNOWN_MAX && key.startsWith(`${generation}-`)) generation += 1;
        if (history.known === before) await pause(PAUSE_MS);
      }
    };
    const clients = Array.from({ length: CLIENTS }, (__, number) => client(number));
    const end = performance.now() + SECONDS * 1000;
    for (; round < faults.length || performance.now() < end; round += 1) {
      await pause(500);
      await faults[round % faults.length]?.();
      await pause(500);
    }
    isOver = true;
    await Promise.all(clients);
    expect(await judged(history)).toBe('ok');
    // Faults leave time to work.
    expect(history.known).toBeGreaterThan(CLIENTS * round);
    const worst = `${history.known} results of ${history.operations.length} operations`;
    report({ tried: round, survived: round, worst });
  },
);

test('the checker finds what is not linearizable', async () => {
  const history = new History();
  const one = { client: 1, key: 'a' } as const;
  const two = { client: 2, key: 'a' } as const;
  await history.record({ ...one, kind: 'write', value: 'x' }, async () => 'created');
  await history.record({ ...two, kind: 'write', value: 'y' }, async () => UNKNOWN);
  await history.record({ ...one, kind: 'read' }, async () => 'x');
  await history.record({ ...one, kind: 'read' }, async () => 'y');
  expect(await judged(history)).toBe('ok');
  await history.record({ ...two, kind: 'read' }, async () => 'x');
  expect(await judged(history)).toMatch(/^a: Illegal\n {2}client 1, 0.0 to/);
});
