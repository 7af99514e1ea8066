/** Test suite for every engine behind the blobs port. */
import { readFile, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { BlobFolderTaken, type Blobs } from '../../src/blobs/port.js';

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
      const bytes = await readFile(found.path);
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

    test('never removes drafts of this process', async () => {
      const draft = await blobs.begin();
      await draft.write(Buffer.from('x'), 0);
      expect(await blobs.removeDrafts(Number.POSITIVE_INFINITY)).toBe(0);
      await draft.commit({ folder: 'a', name: 'x' });
      expect(await content('a', 'x')).toBe('x');
    });
  });
}
