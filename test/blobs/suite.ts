/** Test suite for every engine behind the blobs port. */
import { readFile, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import { alignedMemory } from '../../src/storage/blobs/direct.js';
import { BlobFolderTaken, type Blobs, copyBlob, type StoredBlob } from '../../src/storage/blobs/port.js';

export async function blobBytes(blob: StoredBlob): Promise<Buffer> {
  return 'path' in blob ? readFile(blob.path) : buffer(await blob.read());
}

export function blobsSuite(name: string, open: () => Promise<Blobs>): void {
  describe(name, () => {
    let blobs: Blobs;
    beforeEach(async () => {
      blobs = await open();
    });

    async function put(folder: string, blobName: string, content: string): Promise<void> {
      const draft = await blobs.begin();
      await draft.write(Buffer.from(content), 0);
      await draft.commit({ folder, name: blobName });
    }

    async function content(folder: string, blobName: string): Promise<string | undefined> {
      const found = await blobs.find({ folder, name: blobName });
      if (found === undefined) return undefined;
      const bytes = await blobBytes(found);
      expect(bytes.byteLength).toBe(found.bytes);
      return bytes.toString();
    }

    test('finds a committed draft with its bytes', async () => {
      const draft = await blobs.begin();
      await Promise.all([draft.write(Buffer.from('world'), 6), draft.write(Buffer.from('hello '), 0)]);
      await draft.sync();
      expect(await blobs.find({ folder: 'a', name: 'x.txt' })).toBeUndefined();
      const stored = await draft.commit({ folder: 'a', name: 'x.txt' });
      expect(stored.bytes).toBe(11);
      expect(await content('a', 'x.txt')).toBe('hello world');
    });

    test('a commit stores a whole blob in one step, unless its folder is taken', async () => {
      const sizes = [1, 4096, 512 * 1024, 1024 * 1024, 1024 * 1024 - 3];
      const memory = alignedMemory(1024 * 1024);
      for (let at = 0; at < memory.length; at += 1) memory[at] = (at * 31 + (at >> 8)) & 0xff;
      for (const size of sizes) {
        const key = { folder: `f${size}`, name: 'x' };
        const whole = memory.subarray(0, size);
        const draft = await blobs.begin(key);
        expect((await draft.commit(key, whole)).bytes).toBe(size);
        const found = await blobs.find(key);
        expect(found && (await blobBytes(found)).equals(whole)).toBe(true);
        const second = await blobs.begin(key);
        await expect(second.commit(key, whole)).rejects.toThrow(BlobFolderTaken);
        const elsewhere = { ...key, folder: `g${size}` };
        await second.commit(elsewhere, whole);
        expect((await blobs.find(elsewhere))?.bytes).toBe(size);
      }
    });

    test('a draft begun with a key is found under it, whatever the order of its blocks', async () => {
      // More than two parts, so that an engine that sends parts ahead does so.
      const bytes = Buffer.alloc(20 * 1024 * 1024);
      for (let at = 0; at < bytes.length; at += 4096) bytes.writeUInt32LE(at, at);
      const key = { folder: 'a', name: 'x' };
      const draft = await blobs.begin(key);
      const blockBytes = 512 * 1024;
      for (let at = 0; at < bytes.length; at += 2 * blockBytes) {
        const write = (from: number) => draft.write(bytes.subarray(from, from + blockBytes), from);
        await Promise.all([write(at + blockBytes), write(at)]);
      }
      await draft.sync();
      expect(await blobs.find(key)).toBeUndefined();
      expect((await draft.commit(key)).bytes).toBe(bytes.length);
      const found = await blobs.find(key);
      expect(found && (await blobBytes(found)).equals(bytes)).toBe(true);
      const other = await blobs.begin();
      if (found !== undefined) await copyBlob(found, other.path);
      expect((await readFile(other.path)).equals(bytes)).toBe(true);
      await other.discard();
    });

    test('a draft whose key is taken meanwhile can be committed to another', async () => {
      const bytes = Buffer.alloc(9 * 1024 * 1024, 7);
      const draft = await blobs.begin({ folder: 'a', name: 'y' });
      await draft.write(bytes, 0);
      await put('a', 'x', '1');
      await expect(draft.commit({ folder: 'a', name: 'y' })).rejects.toThrow(BlobFolderTaken);
      await draft.commit({ folder: 'b', name: 'y' });
      expect(await content('a', 'x')).toBe('1');
      expect((await blobs.find({ folder: 'b', name: 'y' }))?.bytes).toBe(bytes.length);
    });

    test('a draft is readable at its path, and another program may replace the file', async () => {
      const draft = await blobs.begin();
      await draft.write(Buffer.from('before'), 0);
      expect((await readFile(draft.path)).toString()).toBe('before');
      await writeFile(draft.path, 'after it');
      const stored = await draft.commit({ folder: 'a', name: 'x' });
      expect(stored.bytes).toBe(8);
      expect(await content('a', 'x')).toBe('after it');
    });

    test('a discarded draft leaves nothing; a discard after the commit does nothing', async () => {
      const draft = await blobs.begin();
      await draft.write(Buffer.from('x'), 0);
      await draft.discard();
      await expect(readFile(draft.path)).rejects.toThrow('ENOENT');
      const kept = await blobs.begin();
      await kept.commit({ folder: 'a', name: 'x' });
      await kept.discard();
      expect(await content('a', 'x')).toBe('');
    });

    test('a commit to an existing folder is refused; the draft can be committed to another', async () => {
      await put('a', 'x', '1');
      const draft = await blobs.begin();
      await draft.write(Buffer.from('2'), 0);
      await expect(draft.commit({ folder: 'a', name: 'y' })).rejects.toThrow(BlobFolderTaken);
      await draft.commit({ folder: 'b', name: 'y' });
      expect(await content('a', 'x')).toBe('1');
      expect(await content('a', 'y')).toBeUndefined();
      expect(await content('b', 'y')).toBe('2');
    });

    test('a folder can be removed twice', async () => {
      await put('a', 'x', '1');
      await put('b', 'x', '2');
      await blobs.remove('a');
      await blobs.remove('a');
      expect(await content('a', 'x')).toBeUndefined();
      expect(await content('b', 'x')).toBe('2');
    });

    test('accepts names with any script, length and spaces', async () => {
      const names = ['ü 中文 🎉.bin', '-rf', 'a b', `${'x'.repeat(250)}.bin`];
      for (const [index, blobName] of names.entries()) {
        await put(`f${index}`, blobName, blobName);
        expect(await content(`f${index}`, blobName)).toBe(blobName);
      }
    });

    test('removes strays unless they are known or young', async () => {
      await put('known', 'x', '1');
      await put('stray', 'x', '2');
      expect(await blobs.removeStrays((folder) => folder === 'known', Date.now() - 60_000)).toBe(0);
      expect(await content('stray', 'x')).toBe('2');
      expect(await blobs.removeStrays((folder) => folder === 'known', Date.now() + 60_000)).toBe(1);
      expect(await content('stray', 'x')).toBeUndefined();
      expect(await content('known', 'x')).toBe('1');
    });

    test('removes strays of a range of folders only', async () => {
      for (const folder of ['1', '2', '3', '4']) await put(folder, 'x', folder);
      const before = Date.now() + 60_000;
      expect(await blobs.removeStrays(() => false, before, { to: '2' })).toBe(1);
      expect(await blobs.removeStrays(() => false, before, { from: '4' })).toBe(1);
      const left = await Promise.all(['1', '2', '3', '4'].map((folder) => content(folder, 'x')));
      expect(left).toEqual([undefined, '2', '3', undefined]);
    });

    test('never removes drafts of this process', async () => {
      const draft = await blobs.begin();
      await draft.write(Buffer.from('x'), 0);
      expect(await blobs.removeDrafts(Number.POSITIVE_INFINITY)).toBe(0);
      await draft.commit({ folder: 'a', name: 'x' });
      expect(await content('a', 'x')).toBe('x');
    });
  });
}
