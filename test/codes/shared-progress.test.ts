/** Progress of uploads and jobs in a real Redis, polled through another instance than the one that processes. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../src/platform/observe/log.js';
import { RedisLink } from '../../src/platform/redis/link.js';
import { CodesRefusal, Unavailable } from '../../src/services/codes/errors.js';
import { JobBoard } from '../../src/services/codes/jobs/job-board.js';
import { JOBS, SharedProgress, UPLOADS } from '../../src/services/codes/jobs/shared-progress.js';
import type { MediaId } from '../../src/services/codes/uploads/media-id.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { type SeaweedServer, startSeaweed } from '../support/seaweed.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { bodyOf, upload } from './support/client.js';
import { temporaryFolder } from './support/folder.js';
import { serveCodes } from './support/process.js';
import { fileBytes } from './support/reference.js';

const WAIT = { timeout: 30_000, interval: 20 };

let redis: RedisServer;
let s3: SeaweedServer | undefined;
beforeAll(async () => {
  redis = await startRedis();
}, INSTALL_MAX_MS);
afterAll(async () => {
  await redis?.stop();
  await s3?.stop();
});

let keys = 0;
let key: string;
beforeEach(() => {
  keys += 1;
  key = `key-of-the-test-${keys}`;
});
const signals: AbortController[] = [];
afterEach(() => {
  for (const controller of signals.splice(0)) controller.abort();
});

async function instance(
  channel = UPLOADS,
  times?: Parameters<typeof SharedProgress.open>[2],
): Promise<SharedProgress> {
  const options = { url: redis.url, log: createLogger('silent'), metric: 'isccd_test', fallback: '' };
  const link = await RedisLink.open(options);
  const shared = await SharedProgress.open(link, channel, times);
  closing.set(shared, () => {
    shared.close();
    link.close();
  });
  onTestFinished(() => killed(shared));
  return shared;
}

const closing = new WeakMap<SharedProgress, () => void>();

/** Redis hears nothing more of an instance. */
function killed(shared: SharedProgress): void {
  closing.get(shared)?.();
}

function poll(board: SharedProgress, seen: number, uploader = 'uploader') {
  const controller = new AbortController();
  signals.push(controller);
  return board.next(uploader, key, seen, controller.signal);
}

test('a poll through another instance sees each step, also one that waits for the begin', async () => {
  const [one, two] = [await instance(), await instance()];
  const early = poll(two, 0);
  const job = one.begin('uploader', key);
  job.change({ name: 'receive' });
  expect((await early).done).toBe(false);
  await expect.poll(async () => (await poll(two, 0)).steps, WAIT).toEqual([{ name: 'receive' }]);
  const next = poll(two, 1);
  job.change({ name: 'receive', ms: 3 });
  expect(await next).toEqual({ changes: 2, done: false, steps: [{ name: 'receive', ms: 3 }] });
  const last = poll(two, 2);
  job.end();
  expect(await last).toMatchObject({ changes: 3, done: true });
  // A late poll, through both.
  for (const board of [one, two]) expect(await poll(board, 0)).toMatchObject({ changes: 3, done: true });
});

test('other clients see no progress, and a key can be used again through another instance', async () => {
  const [one, two] = [await instance(), await instance()];
  one.begin('uploader', key).end();
  await expect.poll(async () => (await poll(two, 0)).done, WAIT).toBe(true);
  expect(await poll(two, 0, 'another')).toMatchObject({ changes: 0, done: false });
  const again = two.begin('uploader', key);
  await expect.poll(async () => (await poll(one, -1)).done, WAIT).toBe(false);
  again.end();
});

test('while Redis is away, the processing instance knows the progress; afterwards all do', async () => {
  const [one, two] = [await instance(), await instance()];
  const job = one.begin('uploader', key);
  job.change({ name: 'receive' });
  await redis.kill();
  job.change({ name: 'receive', ms: 1 });
  expect(await poll(one, 1)).toMatchObject({ changes: 2 });
  expect(await poll(two, 0)).toMatchObject({ changes: 0, done: false });
  await redis.start();
  let ms = 1;
  const seen = async () => {
    ms += 1;
    job.change({ name: 'receive', ms });
    return (await poll(two, 0)).changes > 0;
  };
  await expect.poll(seen, WAIT).toBe(true);
  job.end();
  await expect.poll(async () => (await poll(two, 100_000)).done, WAIT).toBe(true);
});

const ID = '06h0rib7r8uoo' as MediaId;

async function boards(): Promise<readonly [JobBoard, JobBoard]> {
  return [new JobBoard(await instance(JOBS)), new JobBoard(await instance(JOBS))];
}

test('a job is known to all instances at once, with its steps and what became of it', async () => {
  const [one, two] = await boards();
  const done = await one.start(one.reserve('client'), 'uploader', async (change) => {
    change({ name: 'receive' });
    return ID;
  });
  const failed = await one.start(one.reserve('client'), 'uploader', () =>
    Promise.reject(new CodesRefusal('SOURCES_OFF')),
  );
  await expect(two.now('another', done)).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
  for (const board of [two, one]) {
    await expect
      .poll(() => board.now('uploader', done), WAIT)
      .toMatchObject({
        id: done,
        steps: [{ name: 'receive' }],
        end: { state: 'done', mediaId: ID },
      });
    await expect
      .poll(() => board.now('uploader', failed), WAIT)
      .toMatchObject({
        end: { state: 'failed', error: { code: 'SOURCES_OFF', status: expect.any(Number) } },
      });
  }
  // An ended job is forgotten by all.
  await two.cancel('uploader', done);
  for (const board of [two, one])
    await expect
      .poll(() => board.now('uploader', done).catch((error: unknown) => error), WAIT)
      .toMatchObject({ code: 'JOB_NOT_FOUND' });
});

test('a job is cancelled through another instance, which answers once its worker is free', async () => {
  const [one, two] = await boards();
  let isFree = false;
  const id = await one.start(one.reserve('client'), 'uploader', async (_, signal) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    isFree = true;
    throw signal.reason;
  });
  expect(await two.now('uploader', id)).toMatchObject({ id, done: false });
  const last = two.next('uploader', id, 0, new AbortController().signal);
  await two.cancel('uploader', id);
  expect(isFree).toBe(true);
  expect((await last).end).toEqual({ state: 'cancelled' });
  for (const board of [two, one])
    await expect
      .poll(() => board.now('uploader', id).catch((error: unknown) => error), WAIT)
      .toMatchObject({ code: 'JOB_NOT_FOUND' });
});

test('the job of a killed instance is forgotten, that of a living one is not', async () => {
  const times = { confirm: 200, runningKept: 1000, endedKept: 60_000 };
  const [dead, living, other] = [
    await instance(JOBS, times),
    await instance(JOBS, times),
    await instance(JOBS, times),
  ];
  const [lost, kept] = [`${key}-lost`, `${key}-kept`];
  await Promise.all([dead.begin('uploader', lost).shared, living.begin('uploader', kept).shared]);
  for (const name of [lost, kept]) expect(await other.find('uploader', name)).toBeDefined();
  killed(dead);
  await expect.poll(() => other.find('uploader', lost), WAIT).toBeUndefined();
  expect(await other.find('uploader', kept)).toMatchObject({ done: false });
  // No instance ends it.
  await other.cancel('uploader', lost);
});

test('while Redis is away, jobs of other instances are unavailable, and own ones go on', async () => {
  const [one, two] = await boards();
  let finish = () => {};
  const id = await one.start(one.reserve('client'), 'uploader', async () => {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return ID;
  });
  await redis.kill();
  await expect(two.now('uploader', id)).rejects.toBeInstanceOf(Unavailable);
  await expect(two.cancel('uploader', id)).rejects.toBeInstanceOf(Unavailable);
  finish();
  await expect.poll(() => one.now('uploader', id), WAIT).toMatchObject({ end: { state: 'done' } });
  await redis.start();
});

test('instances with one bucket share progress and jobs over HTTP', { timeout: INSTALL_MAX_MS }, async () => {
  s3 = await startSeaweed();
  const bucket = await s3.createBucket();
  const start = async () => {
    const folder = await temporaryFolder();
    const place = { ISCCD_DATA_DIR: folder, CODEWEB_MEDIA_PATH: `s3://${bucket}` };
    return serveCodes(folder, { ...s3?.variables, ...place, ISCCD_REDIS_URL: redis.url });
  };
  const [one, two] = [await start(), await start()];
  const response = await upload(one.url, 'gray_a.jpg', fileBytes('gray_a.jpg'), {
    query: `?progress=${key}`,
  });
  expect(response.status).toBe(201);
  await bodyOf(response);
  // The answer does not wait for Redis.
  const polled = async () => (await fetch(`${two.url}/api/v1/progress/${key}`)).json();
  const done = { done: true, steps: [{ name: 'receive' }, {}, {}, {}, {}, {}] };
  await expect.poll(polled, WAIT).toMatchObject(done);
  const started = await upload(one.url, 'gray_a.jpg', fileBytes('gray_a.jpg'), {
    headers: { Prefer: 'respond-async' },
  });
  expect(started.status).toBe(202);
  const location = started.headers.get('location');
  const job = async () => (await fetch(two.url + location)).json() as Promise<Record<string, string>>;
  await expect.poll(job, WAIT).toMatchObject({ state: 'done' });
  expect((await fetch(two.url + (await job()).location)).status).toBe(200);
  expect((await fetch(two.url + location, { method: 'DELETE' })).status).toBe(204);
  expect((await fetch(two.url + location)).status).toBe(404);
  // Uploads need no Redis.
  await redis.kill();
  const without = await upload(two.url, 'gray_a.jpg', fileBytes('gray_a.jpg'), { query: `?progress=${key}` });
  expect(without.status).toBe(201);
  await expect.poll(() => two.output(), WAIT).toContain('Redis is unavailable');
  await redis.start();
  await expect.poll(() => two.output(), WAIT).toContain('Redis is available again');
});
