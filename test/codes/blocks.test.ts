import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLOCK_BYTES, BLOCKS_IN_FLIGHT_MAX, Blocks } from '../../src/services/codes/uploads/blocks.js';

/** A slow sink that stores the blocks when it is done with them, and counts calls. */
function slowSink() {
  const file = Buffer.alloc(8 * 1024 * 1024);
  const state = { file, inFlight: 0, inFlightMax: 0, calls: 0, end: 0 };
  return {
    state,
    async take(block: Uint8Array, position: number): Promise<void> {
      state.calls += 1;
      state.inFlight += 1;
      state.inFlightMax = Math.max(state.inFlightMax, state.inFlight);
      await pause(Math.random() * 2);
      file.set(block, position);
      state.end = Math.max(state.end, position + block.byteLength);
      state.inFlight -= 1;
    },
  };
}

function pattern(bytes: number): Buffer {
  const result = Buffer.alloc(bytes);
  for (let index = 0; index < bytes; index += 1) result[index] = (index * 31 + (index >> 8)) & 0xff;
  return result;
}

test('any chunking gives the same bytes, with limited blocks in flight', async () => {
  const input = pattern(3 * 1024 * 1024 + 17);
  const chunkBytes = fc.oneof(
    fc.integer({ min: 0, max: 70_000 }),
    fc.integer({ min: 200_000, max: 1_200_000 }),
    fc.constantFrom(1, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, BLOCK_BYTES / 2),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(chunkBytes, { minLength: 1, maxLength: 60 }), async (sizes) => {
      const { state, take } = slowSink();
      const blocks = new Blocks(take);
      let sent = 0;
      for (const size of sizes) {
        const chunk = input.subarray(sent, sent + size);
        const isTaken = size % 2 === 0 && blocks.take(chunk);
        if (!isTaken) await blocks.push(new Uint8Array(chunk));
        sent += chunk.byteLength;
      }
      await blocks.end();
      expect(blocks.bytes).toBe(sent);
      expect(state.end).toBe(sent);
      expect(state.file.subarray(0, sent).equals(input.subarray(0, sent))).toBe(true);
      expect(state.inFlightMax).toBeLessThanOrEqual(BLOCKS_IN_FLIGHT_MAX);
      expect(state.calls).toBe(Math.ceil(sent / BLOCK_BYTES));
    }),
    { numRuns: 40 },
  );
});

test('takes only what fits into the current block', async () => {
  const { state, take } = slowSink();
  const blocks = new Blocks(take);
  const half = pattern(BLOCK_BYTES / 2);
  expect([half, half, half.subarray(0, 1)].map((bytes) => blocks.take(bytes))).toEqual([true, true, false]);
  expect(blocks.bytes).toBe(BLOCK_BYTES);
  await blocks.push(half);
  expect(blocks.take(half)).toBe(true);
  await blocks.end();
  expect(state.calls).toBe(2);
  const joined = Buffer.concat([half, half, half, half]);
  expect(state.file.subarray(0, 2 * BLOCK_BYTES).equals(joined)).toBe(true);
});

test('joins small chunks into large blocks', async () => {
  const { state, take } = slowSink();
  const blocks = new Blocks(take);
  for (let count = 0; count < 1024; count += 1) await blocks.push(new Uint8Array(1000));
  await blocks.end();
  expect(state.calls).toBe(Math.ceil((1024 * 1000) / BLOCK_BYTES));
});

test('an error of the sink rejects the sender', async () => {
  let unsettled = 0;
  const blocks = new Blocks(async () => {
    unsettled += 1;
    await pause(5);
    unsettled -= 1;
    throw new Error('disk full');
  });
  const chunk = new Uint8Array(BLOCK_BYTES);
  await expect(
    (async () => {
      for (let count = 0; count < 10; count += 1) await blocks.push(chunk);
      await blocks.end();
    })(),
  ).rejects.toThrow('disk full');
  await blocks.settle();
  expect(unsettled).toBe(0);
});

test('an upload that has sent little takes little memory', () => {
  const before = process.memoryUsage().arrayBuffers;
  const uploads = Array.from({ length: 500 }, () => new Blocks(async () => undefined));
  const sent = pattern(40_000);
  for (const upload of uploads) expect(upload.take(sent)).toBe(true);
  const perUpload = (process.memoryUsage().arrayBuffers - before) / uploads.length;
  expect(perUpload).toBeLessThan(100_000);
  for (const upload of uploads) expect(upload.bytes).toBe(sent.length);
});
