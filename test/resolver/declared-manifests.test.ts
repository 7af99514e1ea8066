/** Look-ups of declarations by the id of their manifest. */
import { describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { type AssetPages, DeclaredManifests } from '../../src/services/resolver/declared-manifests.js';

const isccId = (number: number) => native.isccId(0, 1_700_000_000_000_000 + number, 1);
const SECOND = 1000;
const HOUR = 3_600_000;

/** An index of assets by number; `requests` has the first number of each page. */
function index() {
  const assets = new Map<number, string>();
  const requests: number[] = [];
  let now = 0;
  const pages: AssetPages = async (after, limit, condition) => {
    // The index has no declared path.
    if (condition !== undefined) return undefined;
    const sorted = [...assets].sort(([a], [b]) => a - b).map(([number, gateway]) => ({ number, gateway }));
    const start = sorted.findIndex(({ number }) => isccId(number) === after) + 1;
    const page = sorted.slice(start, start + limit);
    requests.push(page[0]?.number ?? -1);
    const lines = page.map(({ number, gateway }) =>
      JSON.stringify({ iscc_id: isccId(number), metadata: { gateway } }),
    );
    return Buffer.from(`${lines.join('\n')}\n`);
  };
  const declare = (number: number, manifestId: string) =>
    assets.set(number, `https://gateway.example/${number}/v1/manifests/${manifestId}`);
  const pass = (ms: number) => {
    now += ms;
  };
  return { assets, requests, pages, declare, pass, now: () => now };
}

describe('an id', () => {
  it('is found on any page, with all declarations in order of time', async () => {
    const { pages, declare, now } = index();
    for (let number = 1; number <= 250; number += 1) declare(number, `id-${number % 125}`);
    const declared = new DeclaredManifests(pages, now);
    expect(await declared.isccIdsOf('id-7')).toEqual([isccId(7), isccId(132)]);
    expect(await declared.isccIdsOf('id-124')).toEqual([isccId(124), isccId(249)]);
    expect(await declared.isccIdsOf('id-125')).toEqual([]);
  });

  it('is found after it was added, without reading all again', async () => {
    const { pages, declare, pass, now, requests } = index();
    declare(1, 'a');
    const declared = new DeclaredManifests(pages, now);
    expect(await declared.isccIdsOf('b')).toEqual([]);
    declare(2, 'b');
    requests.length = 0;
    pass(SECOND);
    expect(await declared.isccIdsOf('b')).toEqual([isccId(2)]);
    expect(requests).toEqual([2, -1]);
  });

  it('that is older than others is found within an hour', async () => {
    const { pages, declare, pass, now } = index();
    declare(2, 'b');
    const declared = new DeclaredManifests(pages, now);
    expect(await declared.isccIdsOf('a')).toEqual([]);
    declare(1, 'a');
    pass(SECOND);
    expect(await declared.isccIdsOf('a')).toEqual([]);
    pass(HOUR);
    expect(await declared.isccIdsOf('a')).toEqual([isccId(1)]);
  });

  it('has at most 25 declarations', async () => {
    const { pages, declare, now } = index();
    for (let number = 1; number <= 27; number += 1) declare(number, 'a');
    const found = await new DeclaredManifests(pages, now).isccIdsOf('a');
    expect(found).toEqual(Array.from({ length: 25 }, (_, at) => isccId(at + 1)));
  });
});

describe('unknown ids', () => {
  it('make one request per second', async () => {
    const { pages, pass, now, requests } = index();
    const declared = new DeclaredManifests(pages, now);
    await Promise.all([1, 2, 3].map((id) => declared.isccIdsOf(`unknown-${id}`)));
    await declared.isccIdsOf('unknown-4');
    expect(requests).toHaveLength(1);
    pass(SECOND);
    await declared.isccIdsOf('unknown-5');
    expect(requests).toHaveLength(2);
  });

  it('are not found in an index that does not exist, and wait for one that is too large', async () => {
    expect(await new DeclaredManifests(async () => undefined).isccIdsOf('a')).toEqual([]);
    const { pages, declare, pass, now, requests } = index();
    for (let number = 1; number <= 1000; number += 1) declare(number, `id-${number}`);
    const slow: AssetPages = async (after, limit, condition) => {
      if (condition === undefined) pass(SECOND);
      return pages(after, limit, condition);
    };
    const declared = new DeclaredManifests(slow, now);
    expect(await declared.isccIdsOf('id-999')).toEqual([]);
    expect(requests).toEqual([1, 101, 201]);
    pass(SECOND);
    await declared.isccIdsOf('id-999');
    pass(SECOND);
    await declared.isccIdsOf('id-999');
    pass(SECOND);
    expect(await declared.isccIdsOf('id-999')).toEqual([isccId(999)]);
  });
});

it('memory is bounded: the oldest ids are dropped', async () => {
  const { pages, declare, now } = index();
  for (let number = 1; number <= 10; number += 1) declare(number, `id-${number}`);
  const declared = new DeclaredManifests(pages, now, 3);
  expect(await declared.isccIdsOf('id-10')).toEqual([isccId(10)]);
  expect(await declared.isccIdsOf('id-8')).toEqual([isccId(8)]);
  expect(await declared.isccIdsOf('id-7')).toEqual([]);
});

it('lines that are not assets are ignored', async () => {
  const line = JSON.stringify({ iscc_id: isccId(1), metadata: { gateway: 'https://a.example/manifests/a' } });
  let isFirst = true;
  const pages: AssetPages = async () => {
    const lines = isFirst ? `{"broken\n[]\n{"iscc_id":"ISCC:X"}\n${line}\n{"iscc_id":1}\n` : '';
    isFirst = false;
    return Buffer.from(lines);
  };
  expect(await new DeclaredManifests(pages).isccIdsOf('a')).toEqual([isccId(1)]);
});
