/** Files made to fill the memory with tags: the writers of tags refuse them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ContainerUnfit } from '../../src/services/codes/metadata/container.js';
import { copyWithFlacComments } from '../../src/services/codes/metadata/flac.js';
import { copyWithFlvTags } from '../../src/services/codes/metadata/flv.js';
import { changedComments } from '../../src/services/codes/metadata/vorbis-comments.js';

const written = new Map([['TITLE', 'new']]);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-tags-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A file with these bytes, and the name of a copy. */
async function places(bytes: Buffer): Promise<[string, string]> {
  const file = path.join(folder, 'file');
  await writeFile(file, bytes);
  return [file, path.join(folder, 'copy')];
}

/** A list of empty comments. */
function comments(count: number): Buffer {
  const list = Buffer.alloc(8 + 4 * count);
  list.writeUInt32LE(count, 4);
  return list;
}

describe('Vorbis comments', () => {
  it('are kept up to a number', () => {
    expect(changedComments(comments(1000), { written })).toHaveLength(
      comments(1001).length + 'TITLE=new'.length,
    );
    expect(() => changedComments(comments(200_000), { written })).toThrow(ContainerUnfit);
  });

  it('of FLAC are kept up to a size', async () => {
    const block = (bytes: number, isLast: boolean) => {
      const head = Buffer.alloc(4);
      head[0] = 4 + (isLast ? 0x80 : 0);
      head.writeUIntBE(bytes, 1, 3);
      return Buffer.concat([head, comments(0), Buffer.alloc(bytes - 8)]);
    };
    const file = (count: number) =>
      Buffer.concat([
        Buffer.from('fLaC'),
        ...Array.from({ length: count }, (_, at) => block(12 * 1024 ** 2, at === count - 1)),
      ]);
    await copyWithFlacComments(...(await places(file(2))), { written });
    await expect(copyWithFlacComments(...(await places(file(3))), { written })).rejects.toThrow(
      ContainerUnfit,
    );
  });
});

describe('tags of FLV', () => {
  /** `count` values without a name. */
  function file(count: number): Buffer {
    const values = Buffer.alloc(3 * count);
    for (let at = 2; at < values.length; at += 3) values[at] = 5;
    const content = Buffer.concat([Buffer.from('\x02\0\x0aonMetaData\x08\0\0\0\0', 'latin1'), values]);
    const tag = Buffer.alloc(11);
    tag[0] = 18;
    tag.writeUIntBE(content.length, 1, 3);
    const head = Buffer.from('464c5601010000000900000000', 'hex');
    return Buffer.concat([head, tag, content, Buffer.alloc(4)]);
  }

  it.each([
    ['number', 10_001],
    ['size', 2_000_000],
  ])('are kept up to a %s', async (_, count) => {
    const change = { written, removed: new Set<string>() };
    await copyWithFlvTags(...(await places(file(9000))), change);
    await expect(copyWithFlvTags(...(await places(file(count))), change)).rejects.toThrow(ContainerUnfit);
  });
});
