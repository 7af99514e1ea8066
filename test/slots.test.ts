/** Work with bounded concurrency. */
import { expect, test } from 'vitest';
import { inOrder } from '../src/slots.js';

test('a source that fails while only results are awaited fails the reader, and nothing else', async () => {
  async function* source() {
    yield 1;
    yield 2;
    throw new Error('the client is gone');
  }
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  // Both tasks run, so the next item is read, but not awaited. A rejection without a handler would end the process.
  const results = inOrder(source(), (item) => finished.then(() => item), 2);
  const first = results.next();
  for (let turns = 0; turns < 5; turns += 1) await new Promise(setImmediate);
  finish();
  expect(await first).toEqual({ done: false, value: 1 });
  const rest = async () => {
    for await (const _ of results);
  };
  await expect(rest()).rejects.toThrow('the client is gone');
});

test('results are in the order of the items, and at most so many tasks run', async () => {
  let running = 0;
  let most = 0;
  async function* source() {
    for (let item = 0; item < 20; item += 1) yield item;
  }
  const task = async (item: number) => {
    running += 1;
    most = Math.max(most, running);
    for (let turns = 0; turns < 20 - item; turns += 1) await new Promise(setImmediate);
    running -= 1;
    return item;
  };
  const found: number[] = [];
  for await (const item of inOrder(source(), task, 4)) found.push(item);
  expect(found).toEqual(Array.from({ length: 20 }, (_, at) => at));
  expect(most).toBe(4);
});
