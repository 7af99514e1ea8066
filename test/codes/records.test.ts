import { expect, onTestFinished, test } from 'vitest';
import { firstMediaIdAt, type MediaId } from '../../src/codes/media-id.js';
import { Records, type UploadRecord } from '../../src/codes/records.js';
import type { IsccResult } from '../../src/codes/result.js';
import { temporaryFolder } from './support/folder.js';

const record: UploadRecord = {
  filename: 'ü.txt',
  contentType: 'text/plain',
  uploader: 'ab',
  createdAt: 5,
  bytes: 3,
};
const result = { iscc: 'ISCC:KACT', units: ['a', 'b'], name: 'ü🎉' } as unknown as IsccResult;
const [a, b, c] = [1000, 2000, 3000].map(firstMediaIdAt) as [MediaId, MediaId, MediaId];

async function openRecords(folder?: string): Promise<Records> {
  const records = await Records.open(folder ?? (await temporaryFolder()));
  onTestFinished(() => records.close());
  return records;
}

test('what was added is found, also after opening again', async () => {
  const folder = await temporaryFolder();
  const records = await Records.open(folder);
  await records.add(a, record, result);
  await records.add(b, { ...record, filename: 'b' });
  await records.close();
  const again = await openRecords(folder);
  expect(again.find(a)).toEqual(record);
  expect(again.findResult(a)).toEqual(result);
  expect(again.find(b)?.filename).toBe('b');
  expect(again.findResult(b)).toBeUndefined();
  expect(again.find(c)).toBeUndefined();
  expect([a, b, c].map((id) => again.has(id))).toEqual([true, true, false]);
});

test('of removals at the same time one is told that there was something', async () => {
  const records = await openRecords();
  await records.add(a, record, result);
  const told = await Promise.all([records.remove(a), records.remove(a), records.remove(a)]);
  expect(told.filter(Boolean)).toHaveLength(1);
  expect(await records.remove(a)).toBe(false);
  expect(records.find(a)).toBeUndefined();
  expect(records.findResult(a)).toBeUndefined();
});

test('uploads made before a moment come oldest first, and no more than asked for', async () => {
  const records = await openRecords();
  for (const id of [c, a, b]) await records.add(id, record);
  expect(records.madeBefore(3000, 10)).toEqual([a, b]);
  expect(records.madeBefore(2999, 1)).toEqual([a]);
  expect(records.madeBefore(1000, 10)).toEqual([]);
  expect(records.madeBefore(9000, 10)).toEqual([a, b, c]);
});
