import { expect, it } from 'vitest';
import { BufferPool } from '../../src/http/reply/buffer-pool.js';

const KIB = 1024;

it('grants the size that is asked for, then one unit each once half is in use', async () => {
  const pool = new BufferPool(64 * KIB, 4 * KIB);
  expect((await pool.take(33 * KIB)).length).toBe(32 * KIB);
  expect((await pool.take(32 * KIB)).length).toBe(4 * KIB);
  expect((await pool.take(1)).length).toBe(4 * KIB);
});

it('reuses buffers and never allocates more than its limit', async () => {
  const pool = new BufferPool(64 * KIB, 4 * KIB);
  const seen = new Set<ArrayBufferLike>();
  for (let round = 0; round < 100; round += 1) {
    const buffers = [await pool.take((1 << (round % 6)) * KIB), await pool.take(16 * KIB)];
    for (const { buffer } of buffers) seen.add(buffer);
    for (const buffer of buffers) pool.giveBack(buffer);
  }
  expect([...seen].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThanOrEqual(64 * KIB);
});

it('serves waiting readers in order', async () => {
  const pool = new BufferPool(8 * KIB, 4 * KIB);
  const held = [await pool.take(4 * KIB), await pool.take(4 * KIB)];
  const order: string[] = [];
  const waiting = ['a', 'b', 'c'].map(async (name) => {
    const buffer = await pool.take(4 * KIB);
    order.push(name);
    pool.giveBack(buffer);
  });
  await new Promise(setImmediate);
  expect(order).toEqual([]);
  for (const buffer of held) pool.giveBack(buffer);
  await Promise.all(waiting);
  expect(order).toEqual(['a', 'b', 'c']);
});
