/** Concurrency that groups share. */
import { expect, test } from 'vitest';
import { FairSlots } from '../src/fair-slots.js';

/** Slots whose tasks run until they are finished by name. */
function started(count: number, waitingMax = 100) {
  const slots = new FairSlots(count, waitingMax);
  const running = new Map<string, () => void>();
  const begun: string[] = [];
  const start = (group: string, name: string) =>
    slots.tryRun(group, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => running.set(name, resolve));
      return name;
    });
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
  const slots = new FairSlots(2, 100);
  const failing = Array.from({ length: 5 }, () =>
    slots.tryRun('a', async () => {
      throw new Error('unreachable');
    }),
  );
  const outcomes = await Promise.allSettled(failing);
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
  const { start, finish } = started(1);
  const served = start('a', 'a1');
  await finish('a1');
  expect(await served).toBe('a1');
  expect(await slots.tryRun('a', async () => 'served')).toBe('served');
});

test('a full queue refuses further tasks', async () => {
  const { start, finish } = started(1, 1);
  const first = start('a', 'a1');
  const second = start('a', 'a2');
  expect(await start('b', 'b1')).toBeUndefined();
  for (const name of ['a1', 'a2']) await finish(name);
  expect(await Promise.all([first, second])).toEqual(['a1', 'a2']);
});
