/** Hub lists, did:web documents and logs on disk, against recorded vectors. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkLog } from '../../src/network/check-log.js';
import { assertionKeys, didDocumentUrl, didOfOrigin } from '../../src/network/did-document.js';
import { HubListInvalid, parseHubList } from '../../src/network/hub-list.js';
import { firstRecords } from '../../src/network/log-files.js';
import type { NetworkName } from '../../src/network/networks.js';

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures/network');
const read = (name: string) => JSON.parse(readFileSync(path.join(FIXTURES, name), 'utf8'));
const folder = mkdtempSync(path.join(tmpdir(), 'isccd-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('hub lists', () => {
  const cases: { name: string; text: string; network: NetworkName; hubs?: unknown; refused?: boolean }[] =
    read('hublists.json');

  it.each(cases)('$name', ({ text, network, hubs, refused }) => {
    if (refused === true) expect(() => parseHubList(text, network)).toThrow(HubListInvalid);
    else expect(parseHubList(text, network)).toEqual(hubs);
  });

  it('with a path behind a backslash are refused', () => {
    const hub = { hub_id: 1, url: 'https://hub.example\\path', active: true };
    const text = JSON.stringify({ network: 'testnet', hubs: [hub] });
    expect(() => parseHubList(text, 'testnet')).toThrow('url');
  });

  it('larger than 1 MiB are refused', () => {
    const text = `network: testnet\n# ${'x'.repeat(1024 * 1024)}\n`;
    expect(() => parseHubList(text, 'testnet')).toThrow('1 MiB');
  });
});

describe('did:web documents', () => {
  const { did, url, cases, dids } = read('diddocuments.json');

  it.each(cases as { name: string; document: unknown; keys?: string[]; refused?: boolean }[])(
    '$name',
    ({ document, keys, refused }) => {
      expect(assertionKeys(document, did)).toEqual(refused === true ? undefined : keys);
    },
  );

  it('have the id of their host', () => {
    for (const each of dids) expect(didOfOrigin(each.origin)).toBe(each.did);
    expect(didDocumentUrl('https://hub.example')).toBe(url);
  });
});

describe('a log on disk', () => {
  const logs = read('logs.json');
  const check = (at: string, assets = true) =>
    checkLog({
      folder: at,
      origin: logs.origin,
      keys: [logs.key],
      hubId: logs.hubId,
      network: logs.network,
      assets,
    });
  const copy = (letter: string, size: string) => {
    const target = path.join(folder, `${letter}-${size}-${Math.random()}`);
    cpSync(path.join(FIXTURES, 'log-a'), target, { recursive: true });
    if (letter === 'b') cpSync(path.join(FIXTURES, 'log-b'), target, { recursive: true });
    cpSync(path.join(FIXTURES, `log-${letter}/checkpoint-${size}`), path.join(target, 'checkpoint'));
    return target;
  };

  it.each([
    ...Object.keys(logs.a).map((size) => ['a', size]),
    ...Object.keys(logs.b).map((size) => ['b', size]),
  ])('log %s at %s is judged as recorded', async (letter = '', size = '') => {
    const checked = await check(copy(letter, size));
    const counts = Object.entries(checked.counts ?? {}).filter(([, count]) => count > 0);
    expect(checked.tree).toBe('ok');
    expect(Object.fromEntries(counts)).toEqual(logs[letter][size].counts);
    expect(checked.assets?.map((asset) => (asset as { iscc_id: string }).iscc_id)).toEqual(
      logs[letter][size].assets,
    );
  });

  it('does not match after a flipped bit, and misses a removed bundle', async () => {
    const at = copy('a', '262');
    const file = path.join(at, 'tile/entries/001.p/6');
    const bytes = readFileSync(file);
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    expect((await check(at, false)).tree).toBe('mismatch');
    rmSync(file);
    expect((await check(at, false)).tree).toBe('missing');
  });
});

it('cuts a bundle after its first records', () => {
  const bundle = Buffer.from('0001610002626200036363 63'.replace(' ', ''), 'hex');
  expect(firstRecords(bundle, 2).toString('hex')).toBe('00016100026262');
  expect(firstRecords(bundle, 9)).toEqual(bundle);
});
