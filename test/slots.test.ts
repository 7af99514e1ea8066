/** Work with bounded concurrency. */
import { expect, test } from 'vitest';
import { inOrder, Slots } from '../src/platform/slots.js';

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

/** Slots whose tasks run until they are finished by name. */
function started(count: number, waitingMax = 100) {
  const slots = new Slots(count, waitingMax);
  const running = new Map<string, () => void>();
  const begun: string[] = [];
  const start = (group: string, name: string) =>
    slots.tryRun(async () => {
      begun.push(name);
      await new Promise<void>((resolve) => running.set(name, resolve));
      return name;
    }, group);
  const finish = async (name: string) => {
    running.get(name)?.();
    running.delete(name);
    await new Promise(setImmediate);
  };
  return { start, finish, begun, running };
}

test('groups that wait take turns, each in the order of its tasks', async () => {
  const { start, finish, begun, running } = started(2);
  const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'];
  const all = names.map((name) => start(name[0] as string, name));
  for (const name of begun) {
    expect(running.size).toBeLessThanOrEqual(2);
    await finish(name);
  }
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
  expect(await Promise.all(all)).toEqual(names);
});

test('failures free their slots', async () => {
  const slots = new Slots(2, 100);
  const failing = Array.from({ length: 5 }, () =>
    slots.tryRun(async () => {
      throw new Error('unreachable');
    }, 'a'),
  );
  const outcomes = await Promise.allSettled(failing);
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  const { start, finish } = started(1);
  const served = start('a', 'a1');
  await finish('a1');
  expect(await served).toBe('a1');
  expect(await slots.tryRun(async () => 'served', 'a')).toBe('served');
});

test('a full queue refuses further tasks', async () => {
  const { start, finish } = started(1, 1);
  const first = start('a', 'a1');
  const second = start('a', 'a2');
  expect(await start('b', 'b1')).toBeUndefined();
  for (const name of ['a1', 'a2']) await finish(name);
  expect(await Promise.all([first, second])).toEqual(['a1', 'a2']);
});
