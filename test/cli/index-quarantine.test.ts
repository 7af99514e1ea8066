/** `isccd index quarantine`: lists the units that the flood guard of a service has set aside, and decides on them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Entry } from '../../src/client/search-api.js';
import { type SearchProcess, startProcess } from '../search/support/search-process.js';
import { post, rows } from '../search/support/search-server.js';
import { isccd } from '../support/command.js';

const TIMEOUT_MS = 120_000;
/** In one window more than the guard allows of a unit without a past. */
const BURST = 900;

let folder: string;
let service: SearchProcess;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-quarantine-'));
  const guard = { INDEXSVC_FLOOD_GUARD: '20', INDEXSVC_FLOOD_WINDOW_S: '1' };
  service = await startProcess(`usearch://${folder}/search`, guard);
  await post(`${service.url}/indexes`, { name: 'photos' });
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function quarantine(...args: string[]) {
  const { code, stdout, stderr } = await isccd([
    'index',
    'quarantine',
    'photos',
    ...args,
    '--at',
    service.url,
  ]);
  return {
    code,
    stderr: stderr.trim(),
    units: stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  };
}

test('units are listed, confirmed and released', { timeout: TIMEOUT_MS }, async () => {
  expect(await quarantine()).toEqual({ code: 0, stderr: '', units: [] });
  const assets = (await rows<Entry>('assets.jsonl')).filter(({ units }) => units?.length === 4);
  const units = assets.slice(0, 40).map((asset) => asset.units?.[1] as string);
  await post(`${service.url}/indexes/photos/assets`, assets.slice(0, 40));
  // While the guard learns, a burst is the past of its unit: the next one is of another unit.
  let unit = '';
  await expect
    .poll(
      async () => {
        const before = (await quarantine()).units;
        if (before.length > 0) return before.map((one) => one.state);
        unit = units.pop() as string;
        const queries = Array.from({ length: BURST }, () => ({ units: [unit] }));
        await (await post(`${service.url}/indexes/photos/searches?limit=1&threshold=1`, queries)).text();
        return [];
      },
      { timeout: TIMEOUT_MS, interval: 300 },
    )
    .toEqual(['set_aside']);
  const [listed] = (await quarantine()).units;
  const confirmed = await quarantine('--confirm', listed.unit);
  expect(confirmed).toMatchObject({ code: 0, units: [{ unit: listed.unit, state: 'confirmed' }] });
  const released = await quarantine('--release', listed.unit);
  expect(released).toMatchObject({ code: 0, units: [{ unit: listed.unit, state: 'released' }] });
  const other = await quarantine('--release', 'ISCC:OTHER');
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("no unit 'ISCC:OTHER'")]);
  expect((await quarantine('--release', listed.unit, '--confirm', listed.unit)).code).toBe(2);
});
