import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { firstMediaIdAt, type MediaId } from '../../src/codes/media-id.js';
import { Records } from '../../src/codes/records.js';
import type { UploadRecord } from '../../src/codes/records-port.js';
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

test('finds added records and results, also after reopening', async () => {
  const folder = await temporaryFolder();
  const records = await Records.open(folder);
  await records.add(a, record, result);
  await records.add(b, { ...record, filename: 'b' });
  await records.close();
  const reopened = await openRecords(folder);
  expect(reopened.find(a)).toEqual(record);
  expect(reopened.findResult(a)).toEqual(result);
  expect(reopened.find(b)?.filename).toBe('b');
  expect(reopened.findResult(b)).toBeUndefined();
  expect(reopened.find(c)).toBeUndefined();
  expect([a, b, c].map((id) => reopened.has(id))).toEqual([true, true, false]);
});

test.each([0, 100, 4096, 65_536])(
  'creates records in a file of %d zeros, left by a power loss',
  async (bytes) => {
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, 'data.mdb'), Buffer.alloc(bytes));
    expect(await Records.areBlank(folder)).toBe(true);
    const records = await openRecords(folder);
    await records.add(a, record);
    expect(records.find(a)).toEqual(record);
    expect(await Records.areBlank(folder)).toBe(false);
  },
);

test('of concurrent removals only one resolves to true', async () => {
  const records = await openRecords();
  await records.add(a, record, result);
  const removed = await Promise.all([records.remove(a), records.remove(a), records.remove(a)]);
  expect(removed.filter(Boolean)).toHaveLength(1);
  expect(await records.remove(a)).toBe(false);
  expect(records.find(a)).toBeUndefined();
  expect(records.findResult(a)).toBeUndefined();
});

test('createdBefore returns the oldest uploads first, up to the limit', async () => {
  const records = await openRecords();
  for (const id of [c, a, b]) await records.add(id, record);
  expect(records.createdBefore(3000, 10)).toEqual([a, b]);
  expect(records.createdBefore(2999, 1)).toEqual([a]);
  expect(records.createdBefore(1000, 10)).toEqual([]);
  expect(records.createdBefore(9000, 10)).toEqual([a, b, c]);
});
