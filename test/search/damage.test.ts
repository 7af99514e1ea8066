/** A damaged index does not affect the others, and its rows are salvaged. */
import {
  cp,
  mkdir,
  mkdtemp,
  open,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/client/search-api.js';
import { Metrics } from '../../src/platform/observe/metrics.js';
import { isccd } from '../support/command.js';
import { post, rows, startSearch } from './support/search-server.js';

const PAGE = 4096;
const NAMES = ['good', 'hurt', 'well'];

let folder: string;
let sound: string;
let entries: readonly Entry[];
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-damage-'));
  sound = path.join(folder, 'sound');
  entries = await rows<Entry>('assets.jsonl');
  const server = await startSearch(folder, { INDEXSVC_INDEX_URI: `usearch://${sound}` });
  for (const name of NAMES) {
    await post(`${server.url}/indexes`, { name });
    expect((await post(`${server.url}/indexes/${name}/assets`, entries)).status).toBe(201);
  }
  await server.stop();
  return () => rm(folder, { recursive: true, force: true });
});

/** Zeroes every page that holds an asset with a text. */
async function zeroPagesWith(file: string, text: string, count: number): Promise<number> {
  const data = await readFile(file);
  const handle = await open(file, 'r+');
  let zeroed = 0;
  for (let at = data.indexOf(text); at >= 0 && zeroed < count; zeroed += 1) {
    const page = Math.floor(at / PAGE);
    await handle.write(Buffer.alloc(PAGE), 0, PAGE, page * PAGE);
    at = data.indexOf(text, (page + 1) * PAGE);
  }
  await handle.close();
  return zeroed;
}

const DAMAGES: [string, (file: string) => Promise<unknown>][] = [
  ['zeroed pages', (file) => zeroPagesWith(file, '{"', 3)],
  ['a truncated file', async (file) => truncate(file, Math.floor((await stat(file)).size / 2 / PAGE) * PAGE)],
  ['a file of a few bytes', (file) => truncate(file, 100)],
  [
    'a file that the system does not open',
    async (file) => {
      await rm(file);
      await symlink(file, file);
    },
  ],
  [
    'segments without their data file',
    async (file) => {
      await mkdir(path.join(path.dirname(file), 'segments'), { recursive: true });
      await rename(file, path.join(path.dirname(file), 'segments', 'data.mdb'));
    },
  ],
  ['a foreign file', (file) => writeFile(file, Buffer.alloc(100_000, 'no index'))],
];

describe.each(DAMAGES)('%s', (what, damage) => {
  let copy: string;
  beforeAll(async () => {
    copy = path.join(folder, what.replaceAll(' ', '-'));
    await cp(sound, copy, { recursive: true });
    await damage(path.join(copy, 'hurt', 'data.mdb'));
  });

  test('does not keep a backup from copying the other indexes', async () => {
    const target = path.join(copy, '..', `backup-of-${path.basename(copy)}`);
    const env = { ISCCD_DATA_DIR: path.join(folder, 'none'), INDEXSVC_INDEX_URI: `usearch://${copy}` };
    const { code, stdout, stderr } = await isccd(['backup', target, '--json'], { env });
    expect([code, stderr]).toEqual([1, '']);
    const { counts, notes } = JSON.parse(stdout).stores.search;
    expect(counts).toMatchObject({ good: entries.length, well: entries.length });
    expect(notes).toContainEqual(
      expect.stringMatching(/^index hurt (?:was not copied: .+ isccd index repair|has \d+ problems)/),
    );
    const verified = await isccd(['verify', target, '--json'], { env });
    expect(JSON.parse(verified.stdout).counts.search).toMatchObject({ good: entries.length });
  });

  test('leaves the other indexes serving and is reported', async () => {
    const location = { INDEXSVC_INDEX_URI: `usearch://${copy}` };
    const server = await startSearch(folder, location, 'auto', new Metrics());
    try {
      await expect
        .poll(async () => (await fetch(`${server.url}/readyz`)).status, { timeout: 20_000 })
        .toBe(200);
      const ready = await (await fetch(`${server.url}/readyz`)).json();
      expect(ready).toMatchObject({ status: 'ready', damaged: { hurt: expect.any(String) } });
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      expect(metrics).toContain('isccd_search_indexes{state="damaged"} 1');
      for (const name of ['good', 'well']) {
        const found = await fetch(`${server.url}/indexes/${name}/search?iscc_code=${entries[0]?.iscc_code}`);
        expect(found.status).toBe(200);
        expect(await found.text()).toContain(entries[0]?.iscc_id);
      }
      for (const path of ['', '/assets', '/search?iscc_code=ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2']) {
        const refused = await fetch(`${server.url}/indexes/hurt${path}`);
        expect([path, refused.status]).toEqual([path, 503]);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(await refused.text()).toMatch(/Index 'hurt' is damaged: .+ isccd index repair/);
      }
      expect((await post(`${server.url}/indexes/hurt/assets`, [])).status).toBe(503);
      expect((await post(`${server.url}/indexes`, { name: 'hurt' })).status).toBe(409);
      const list = (await (await fetch(`${server.url}/indexes`)).json()) as {
        name: string;
        state?: string;
      }[];
      expect(list.map(({ name, state }) => [name, state])).toEqual([
        ['good', undefined],
        ['hurt', 'damaged'],
        ['well', undefined],
      ]);
      expect((await fetch(`${server.url}/indexes/hurt`, { method: 'DELETE' })).status).toBe(204);
      expect((await post(`${server.url}/indexes`, { name: 'hurt' })).status).toBe(201);
    } finally {
      await server.stop();
    }
  });
});

test('repair salvages the other rows, names what is lost, and does not change the damaged file', async () => {
  const copy = path.join(folder, 'repaired');
  await cp(sound, copy, { recursive: true });
  const file = path.join(copy, 'hurt', 'data.mdb');
  expect(await zeroPagesWith(file, '{"', 2)).toBe(2);
  const before = await readFile(file);
  const report = path.join(folder, 'refused.ndjson');
  const options = ['--at', copy, '--as', 'healed', '--report', report];
  const { code, stdout, stderr } = await isccd(['index', 'repair', 'hurt', ...options]);
  expect([code, stderr.replace(/^refused: .*\n/gm, '')]).toEqual([0, '']);
  const result = JSON.parse(stdout) as { created: number; problems: number };
  expect(result).toMatchObject({ index: 'healed', refused: 0, problems: 2, report });
  // A leaf page has at most a few dozen assets.
  expect(result.created).toBeGreaterThan(entries.length - 150);
  expect(result.created).toBeLessThan(entries.length);
  expect(await readFile(report, 'utf8')).toMatch(/page \d+ is damaged/);
  expect(await readFile(file)).toEqual(before);
  const exported = async (name: string) => (await isccd(['index', 'export', name, '--at', copy])).stdout;
  const kept = new Set((await exported('good')).split('\n'));
  const healed = (await exported('healed')).split('\n').filter(Boolean);
  expect(healed).toHaveLength(result.created);
  expect(healed.filter((line) => !kept.has(line))).toEqual([]);
});

test('repair finds the rows below a damaged branch', async () => {
  const copy = path.join(folder, 'branch');
  await cp(sound, copy, { recursive: true });
  const file = path.join(copy, 'hurt', 'data.mdb');
  const data = await readFile(file);
  const BRANCH = 1;
  const branches = Array.from({ length: data.length / PAGE }, (_, page) => page).filter(
    (page) => data.readUInt16LE(page * PAGE + 10) === BRANCH && data.readUInt32LE(page * PAGE) === page,
  );
  expect(branches.length).toBeGreaterThan(0);
  const handle = await open(file, 'r+');
  for (const page of branches) await handle.write(Buffer.alloc(PAGE), 0, PAGE, page * PAGE);
  await handle.close();
  const report = path.join(folder, 'refused-branch.ndjson');
  const { stdout } = await isccd(['index', 'repair', 'hurt', '--at', copy, '--report', report]);
  expect(JSON.parse(stdout)).toMatchObject({ index: 'hurtrepaired', created: entries.length, refused: 0 });
  const exported = async (name: string) => (await isccd(['index', 'export', name, '--at', copy])).stdout;
  expect(await exported('hurtrepaired')).toBe(await exported('good'));
});

test('a repaired index has the declared paths', async () => {
  const copy = path.join(folder, 'declared');
  await cp(sound, copy, { recursive: true });
  await isccd(['index', 'paths', 'hurt', 'metadata.name', '--at', copy]);
  expect(await zeroPagesWith(path.join(copy, 'hurt', 'data.mdb'), '{"name"', 1)).toBe(1);
  const report = path.join(folder, 'refused-declared.ndjson');
  await isccd(['index', 'repair', 'hurt', '--at', copy, '--as', 'healed', '--report', report]);
  const { stdout } = await isccd(['index', 'paths', 'healed', '--at', copy]);
  expect(JSON.parse(stdout)).toMatchObject({ path: 'metadata.name', state: 'ready' });
});

test('a record whose metadata are damaged is refused with the reason, and salvage names it', async () => {
  const copy = path.join(folder, 'record');
  await cp(sound, copy, { recursive: true });
  const file = path.join(copy, 'hurt', 'data.mdb');
  const data = await readFile(file);
  const at = data.indexOf('{"name"');
  const wanted = entries.find((entry) => data.includes(JSON.stringify(entry.metadata), at));
  const found = data.indexOf(JSON.stringify(wanted?.metadata));
  expect(found).toBeGreaterThan(0);
  const handle = await open(file, 'r+');
  // One bit: the quote that ends no name any more.
  await handle.write(Uint8Array.of(0x22 ^ 1), 0, 1, found + 1);
  await handle.close();
  const server = await startSearch(folder, { INDEXSVC_INDEX_URI: `usearch://${copy}` });
  try {
    for (const route of [
      `assets/${wanted?.iscc_id}`,
      `search?iscc_code=${wanted?.iscc_code}`,
      'assets?limit=1000',
    ]) {
      const refused = await fetch(`${server.url}/indexes/hurt/${route}`);
      expect([route, refused.status]).toEqual([route, 503]);
      expect(await refused.text()).toMatch(
        /the record of asset [0-9a-f]{16} is damaged.+ isccd index repair/,
      );
    }
  } finally {
    await server.stop();
  }
});
