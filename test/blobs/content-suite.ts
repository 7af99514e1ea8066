/** What every storage of blobs named by their digest does. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ContentBlobs } from '../../src/storage/blobs/content-port.js';
import { blobBytes } from '../../src/storage/blobs/port.js';

const bytes = Buffer.from('manifest');
const digestOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
const digest = digestOf(bytes);

/** @param open opens the same storage at each call with the same number */
export function contentBlobsSuite(name: string, open: (storage: number) => Promise<ContentBlobs>): void {
  let storages = 0;
  const opened = async () => {
    storages += 1;
    return open(storages);
  };
  const listed = async (blobs: ContentBlobs) => {
    const digests: string[] = [];
    for await (const blob of blobs.list()) digests.push(blob.digest);
    return digests.sort();
  };

  describe(`${name}: blobs named by their digest`, () => {
    test('are found with their bytes, and removed', async () => {
      const blobs = await opened();
      expect(await blobs.find(digest)).toBeUndefined();
      await blobs.put(digest, bytes);
      const found = await blobs.find(digest);
      expect(found?.bytes).toBe(bytes.length);
      expect(found && (await blobBytes(found)).equals(bytes)).toBe(true);
      await blobs.remove(digest);
      await blobs.remove(digest);
      expect(await blobs.find(digest)).toBeUndefined();
    });

    test('are listed with the time of their last write', async () => {
      const blobs = await opened();
      const others = ['a', 'b', 'c'].map((text) => Buffer.from(text));
      for (const other of others) await blobs.put(digestOf(other), other);
      expect(await listed(blobs)).toEqual(others.map(digestOf).sort());
      for await (const { writtenAt } of blobs.list()) {
        // Clocks of stores count seconds.
        expect(Math.abs(writtenAt - Date.now())).toBeLessThan(60_000);
      }
    });

    test('are visible to other processes at once', async () => {
      const one = await opened();
      const two = await open(storages);
      await one.put(digest, bytes);
      expect((await two.find(digest))?.bytes).toBe(bytes.length);
      expect(two.placeOf(digest)).toBe(one.placeOf(digest));
    });

    test('get the name of one of several processes, and keep it', async () => {
      const one = await opened();
      const two = await open(storages);
      expect(await one.name()).toBeUndefined();
      const names = await Promise.all([one.named(), two.named(), one.named()]);
      expect(new Set(names).size).toBe(1);
      expect(await two.name()).toBe(names[0]);
      expect(await two.named('another')).toBe(names[0]);
      expect(await listed(one)).toEqual([]);
    });

    test('get the wanted name', async () => {
      const blobs = await opened();
      expect(await blobs.named('wanted')).toBe('wanted');
      expect(await blobs.name()).toBe('wanted');
    });
  });
}
