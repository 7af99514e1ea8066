/** Data- and Instance-Codes from the addon: of pieces and of files, and their errors. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';

interface Case {
  readonly label: string;
  readonly size: number;
  readonly lcg_seed?: number;
  readonly data_256: string;
  readonly instance_256: string;
  readonly datahash: string;
}

const fixture = new URL('../fixtures/codes/data.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(fixture, 'utf8')) as { cases: Case[] };
const generated = cases.filter((one) => one.lcg_seed !== undefined);

/** The bytes that a case describes by seed and size. */
function bytesOf({ lcg_seed = 0, size }: Pick<Case, 'lcg_seed' | 'size'>): Uint8Array {
  let x = lcg_seed;
  return Uint8Array.from({ length: size }, () => {
    x = (Math.imul(1_664_525, x) + 1_013_904_223) >>> 0;
    return x >>> 24;
  });
}

const expected = (one: Case) => ({
  units: [one.data_256, one.instance_256],
  datahash: one.datahash,
  filesize: one.size,
});

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'isccd-hashing-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('SumHasher', () => {
  it.each(generated)('$label in pieces', async (one) => {
    const bytes = bytesOf(one);
    const hasher = new native.SumHasher();
    for (let at = 0; at < bytes.length; at += 700_001) await hasher.update(bytes.subarray(at, at + 700_001));
    expect(await hasher.finish()).toEqual(expected(one));
  });

  it('throws INVALID_STATE during an update and after finish', async () => {
    const hasher = new native.SumHasher();
    // A large piece is still being hashed at the second call, even if this thread is suspended between the two.
    const [large, small] = [new Uint8Array(128 * 1024 ** 2), new Uint8Array(1)];
    const pending = hasher.update(large);
    expect(() => hasher.update(small)).toThrow(/still being hashed/);
    await pending;
    await hasher.finish();
    expect(() => hasher.finish()).toThrow(/finished/);
  });
});

describe('sumFile', () => {
  it.each(generated)('$label from a file', async (one) => {
    const file = path.join(folder, 'bytes');
    writeFileSync(file, bytesOf(one));
    expect(await native.sumFile(file)).toEqual(expected(one));
  });

  it('equals SumHasher on a file that several threads read', async () => {
    const bytes = bytesOf({ lcg_seed: 5, size: 9_500_000 });
    const file = path.join(folder, 'large');
    writeFileSync(file, bytes);
    const hasher = new native.SumHasher();
    await hasher.update(bytes);
    expect(await native.sumFile(file)).toEqual(await hasher.finish());
  });

  it('headAndSumOfFile returns null for a file that is too large', async () => {
    const bytes = bytesOf({ lcg_seed: 6, size: 10_000 });
    const file = path.join(folder, 'head');
    writeFileSync(file, bytes);
    const sum = await native.sumFile(file);
    const of = (headBytes: number, bytesMax: number) => native.headAndSumOfFile(file, headBytes, bytesMax);
    expect(await of(4096, 10_000)).toEqual({ head: Buffer.from(bytes.subarray(0, 4096)), sum });
    expect(await of(20_000, 10_000)).toEqual({ head: Buffer.from(bytes), sum });
    expect(await of(4096, 9999)).toBeNull();
    await expect(native.headAndSumOfFile(folder, 1, 1)).rejects.toThrow(/not a regular file/);
  });

  it('names a file that it cannot read', async () => {
    await expect(native.sumFile(path.join(folder, 'absent'))).rejects.toThrow(/absent: /);
    await expect(native.sumFile(folder)).rejects.toThrow(/not a regular file/);
  });
});
