/** Files of segments: the metrics of writing them, and the rate at which they are written. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { native } from '../../src/native.js';
import { searchVariables } from '../../src/platform/config/search.js';
import { readVariables } from '../../src/platform/config/variable.js';
import { searchMetrics } from '../../src/services/search/metrics.js';
import { SearchService } from '../../src/services/search/service.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { indexUri } from './support/locations.js';
import { isccId, randomAsset } from './support/random-assets.js';

/** Assets of a full segment. */
const FULL = 32;
const JSON_TYPE = 'application/json';
const MIB = 1_048_576;

async function metric(service: SearchService, name: string) {
  const all = await Promise.all(searchMetrics(service).map((one) => one.get()));
  const values = all.find((one) => one.name === name)?.values ?? [];
  return Object.fromEntries(values.map(({ labels, value }) => [labels.work ?? labels.memory ?? '', value]));
}

async function opened(options: { sealBytesPerSecond?: number }) {
  const folder = await temporaryFolder();
  const all = { sealEarly: FULL, sync: false, ...options };
  const engine = await native.openSearchEngine(indexUri('usearch', folder), all);
  const service = new SearchService(engine);
  onTestFinished(() => service.close());
  await service.create(Buffer.from('{"name":"main"}'), JSON_TYPE);
  const add = (first: number, count: number) => {
    const entries = Array.from({ length: count }, (_, number) => randomAsset(first + number));
    return service.add('main', Buffer.from(JSON.stringify(entries)), JSON_TYPE);
  };
  const files = () => metric(service, 'isccd_search_segment_files_total');
  return { folder, service, add, files };
}

it('counts seals, merges, the journal, and what is in files', async () => {
  const { folder, service, add, files } = await opened({});
  await add(0, FULL + 4);
  await expect.poll(files, { timeout: 60_000 }).toEqual({ seal: 1, merge: 0 });
  const bytes = await metric(service, 'isccd_search_segment_file_bytes_total');
  expect(bytes.merge).toBe(0);
  expect(await metric(service, 'isccd_search_index_memory_bytes')).toEqual({
    heap: expect.any(Number),
    mapped: bytes.seal,
  });
  expect((await metric(service, 'isccd_search_segment_file_seconds_total')).seal).toBeGreaterThan(0);
  expect(await metric(service, 'isccd_search_index_memory_rows')).toEqual({ heap: 4 * 3, mapped: FULL * 3 });
  // The assets of the last segment, then one in the file, too.
  expect(await metric(service, 'isccd_search_index_journal_length')).toEqual({ '': 4 });
  await service.add(
    'main',
    Buffer.from(JSON.stringify([{ ...randomAsset(99), iscc_id: isccId(1) }])),
    JSON_TYPE,
  );
  expect(await metric(service, 'isccd_search_index_journal_length')).toEqual({ '': 5 });
  expect((await stat(path.join(folder, 'main', 'segments'))).isDirectory()).toBe(true);

  // One after the other, so that each is counted.
  for (let seals = 2; (await files()).merge === 0; seals += 1) {
    expect(seals).toBeLessThan(20);
    await add(seals * 100, FULL);
    const isWritten = async () => {
      const { seal = 0, merge = 0 } = await files();
      return seal >= seals || merge > 0;
    };
    await expect.poll(isWritten, { timeout: 30_000 }).toBe(true);
  }
  expect((await metric(service, 'isccd_search_segment_file_bytes_total')).merge).toBeGreaterThan(0);
  expect((await metric(service, 'isccd_search_segment_file_seconds_total')).merge).toBeGreaterThan(0);
}, 160_000);

it('writes files at the given rate', async () => {
  const rate = 4 * MIB;
  const { service, add, files } = await opened({ sealBytesPerSecond: rate });
  await add(0, FULL + 4);
  await expect.poll(files, { timeout: 40_000 }).toEqual({ seal: 1, merge: 0 });
  const { seal: bytes = 0 } = await metric(service, 'isccd_search_segment_file_bytes_total');
  const { seal: seconds = 0 } = await metric(service, 'isccd_search_segment_file_seconds_total');
  // The writer pauses after each full step of 4 MiB.
  expect(bytes).toBeGreaterThan(4 * MIB);
  expect(seconds).toBeGreaterThanOrEqual((Math.floor(bytes / (4 * MIB)) * 4 * MIB) / rate);
}, 60_000);

it('reads the rate and the longest search from the environment', () => {
  const read = (environment: Record<string, string>) => {
    const { sealRate, searchSecondsMax } = readVariables(searchVariables, environment);
    return [sealRate, searchSecondsMax];
  };
  expect(read({})).toEqual([64, 30]);
  expect(read({ INDEXSVC_SEAL_RATE: '8', INDEXSVC_SEARCH_SECONDS_MAX: '2.5' })).toEqual([8, 2.5]);
  for (const bad of ['0', '-1', 'fast']) expect(() => read({ INDEXSVC_SEAL_RATE: bad })).toThrow();
});
