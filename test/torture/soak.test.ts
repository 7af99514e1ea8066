/** Mixed load on all services: memory, descriptors and threads stay flat once warm. */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { SERVICE_NAMES } from '../../src/compose/service-names.js';
import { bodyOf, upload } from '../codes/support/client.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { fileBytes } from '../codes/support/reference.js';
import { isccId, randomAsset } from '../search/support/random-assets.js';
import { post } from '../search/support/search-server.js';
import { QUIET, servicePorts } from '../support/all-services.js';
import { serve } from '../support/serve.js';
import { Random, torture } from '../support/torture.js';
import { errorLines } from './support/probe.js';

const { size: SECONDS, seed, report } = torture('soak');
const SAMPLE_MS = 500;
/** Caches fill and workers start in the first part of the run. */
const WARM_SHARE = 1 / 3;
/** Short runs are dominated by the garbage collector's steps. */
const SLOPE_SECONDS_MIN = 600;
const SLOPE_MB_PER_MINUTE_MAX = 1;
/** Connections and files in use at the moment of a sample. */
const DESCRIPTORS_SPREAD = 40;
const ASSETS = 500;
const FILES = ['photo_a.png', 'report_a.docx', 'short_a.txt'];

interface Sample {
  readonly minutes: number;
  readonly mb: number;
  readonly descriptors: number;
  readonly threads: number;
}

async function sample(pid: number, start: number): Promise<Sample> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return {
    minutes: (performance.now() - start) / 60_000,
    mb: number('VmRSS') / 1024,
    threads: number('Threads'),
    descriptors: (await readdir(`/proc/${pid}/fd`)).length,
  };
}

/** Least-squares slope in MB per minute. */
function slope(samples: readonly Sample[]): number {
  const mean = (of: (one: Sample) => number) =>
    samples.reduce((sum, one) => sum + of(one), 0) / samples.length;
  const [x, y] = [mean(({ minutes }) => minutes), mean(({ mb }) => mb)];
  const covariance = mean((one) => (one.minutes - x) * (one.mb - y));
  return covariance / mean((one) => (one.minutes - x) ** 2);
}

/** One request after the other until the end. */
async function use(
  urls: Awaited<ReturnType<typeof serve>>['urls'],
  random: Random,
  end: number,
): Promise<number> {
  let requests = 0;
  for (; performance.now() < end; requests += 1) {
    const asset = randomAsset(random.below(ASSETS));
    switch (random.below(5)) {
      case 0: {
        const name = random.pick(FILES);
        const response = await upload(urls.codes, name, fileBytes(name));
        expect(response.status).toBe(201);
        const { media_id } = await bodyOf(response);
        await fetch(`${urls.codes}/api/v1/media/${media_id}`, { method: 'DELETE' });
        break;
      }
      case 1:
        expect((await post(`${urls.search}/indexes/soak/assets`, [asset])).status).toBe(201);
        break;
      case 2:
        await fetch(`${urls.search}/indexes/soak/assets/${isccId(random.below(ASSETS))}`, {
          method: 'DELETE',
        });
        break;
      case 3:
        expect((await post(`${urls.search}/indexes/soak/search`, { units: asset.units })).status).toBe(200);
        break;
      default:
        expect((await fetch(`${urls.store}/v1/manifests/urn:c2pa:${random.word()}`)).status).toBe(404);
    }
  }
  return requests;
}

test.skipIf(process.platform !== 'linux')(`${SECONDS} s`, { timeout: 180_000 + SECONDS * 1500 }, async () => {
  const folder = await temporaryFolder();
  const env = {
    ...(await servicePorts()),
    ISCCD_DATA_DIR: folder,
    ...QUIET,
    MSTORE_RATE_READ: '1000000/s',
  };
  const served = await serve(SERVICE_NAMES, { cwd: folder, env });
  onTestFinished(() => served.kill());
  expect((await post(`${served.urls.search}/indexes`, { name: 'soak' })).status).toBe(201);
  const start = performance.now();
  const end = start + SECONDS * 1000;
  const lanes = [0, 1, 2].map((lane) => use(served.urls, new Random(seed, lane), end));
  const samples: Sample[] = [];
  while (performance.now() < end) {
    samples.push(await sample(served.pid, start));
    await sleep(SAMPLE_MS);
  }
  const requests = (await Promise.all(lanes)).reduce((sum, count) => sum + count, 0);
  expect(requests).toBeGreaterThan(SECONDS);
  const warm = samples.filter(({ minutes }) => minutes * 60 > SECONDS * WARM_SHARE);
  const spread = (of: (one: Sample) => number) => Math.max(...warm.map(of)) - Math.min(...warm.map(of));
  expect(spread(({ descriptors }) => descriptors)).toBeLessThan(DESCRIPTORS_SPREAD);
  expect(spread(({ threads }) => threads)).toBeLessThan(10);
  expect(errorLines(served)).toEqual([]);
  const growth = slope(warm);
  if (SECONDS >= SLOPE_SECONDS_MIN) expect(growth).toBeLessThan(SLOPE_MB_PER_MINUTE_MAX);
  const last = warm.at(-1);
  const worst = `${requests} requests, ${growth.toFixed(2)} MB/min, ${last?.mb.toFixed(0)} MB, ${last?.descriptors} descriptors`;
  report({ tried: SECONDS, survived: SECONDS, worst });
});
