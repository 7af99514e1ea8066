/** Bodies that arrive in many small chunks, and their lines. */
import { expect, test } from 'vitest';
import { Gathered } from '../../src/http/request/gathered.js';
import { bodyLines } from '../../src/http/request/streamed.js';

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function linesOf(text: string, size: number, lineBytesMax = 100) {
  const lines: unknown[] = [];
  for await (const line of bodyLines(chunksOf(Buffer.from(text), size), lineBytesMax)) lines.push(line);
  return lines;
}

test.each([1, 2, 7, 4096, 5000, 70_000])('chunks of %d bytes are joined as they came', (size) => {
  const bytes = Buffer.from(Array.from({ length: 200_003 }, (_, at) => (at * 7919) % 251));
  const gathered = new Gathered();
  for (let round = 0; round < 2; round += 1) {
    for (let at = 0; at < bytes.length; at += size) gathered.add(bytes.subarray(at, at + size));
    expect(gathered.length).toBe(bytes.length);
    expect(gathered.take().equals(bytes)).toBe(true);
    expect(gathered.take()).toHaveLength(0);
  }
});

test('a body of single bytes takes about its own memory', () => {
  const BYTES = 2_000_000;
  const byte = Buffer.from('x');
  const gathered = new Gathered();
  const used = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const before = used();
  for (let at = 0; at < BYTES; at += 1) gathered.add(byte);
  // A Buffer for each byte takes 260 MB.
  expect(used() - before).toBeLessThan(20 * BYTES);
  expect(gathered.length).toBe(BYTES);
});

test.each([1, 3, 1000])(
  'lines are numbered, and empty ones left out, in chunks of %d bytes',
  async (size) => {
    const text = `a\n\n\n  \nb\r\n${'c'.repeat(101)}\n${'d'.repeat(100)}\n\ne`;
    expect(await linesOf(text, size)).toEqual([
      { line: 1, text: 'a' },
      { line: 5, text: 'b' },
      { line: 6, text: undefined },
      { line: 7, text: 'd'.repeat(100) },
      { line: 9, text: 'e' },
    ]);
    expect(await linesOf('', size)).toEqual([]);
    expect(await linesOf('\n'.repeat(10_000), size)).toEqual([]);
  },
);

test('many lines in one chunk let other requests have their turn', async () => {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  expect(await linesOf('a\n'.repeat(3200), 1e6)).toHaveLength(3200);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(100);
});
