/** Clients take turns in the queue of the worker pool. */
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../src/platform/workers/fair-queue.js';

const item = (client: string | undefined, name: string) => ({ client, name });

describe('FairQueue', () => {
  it('keeps the order of one client', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(8);
    for (const name of ['a', 'b', 'c']) queue.add(item('x', name));
    const order: string[] = [];
    for (let next = queue.peek(); next !== undefined; next = queue.peek()) {
      order.push(next.name);
      queue.remove(next);
    }
    expect(order).toEqual(['a', 'b', 'c']);
  });

  it('prefers the oldest job of the clients with the fewest running jobs', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(8);
    const [busy, one, two] = [item('busy', 'first'), item('one', 'second'), item('two', 'third')];
    queue.count(busy, 1);
    for (const each of [busy, one, two]) queue.add(each);
    expect(queue.peek()).toBe(one);
    queue.count(one, 1);
    queue.remove(one);
    expect(queue.peek()).toBe(two);
    queue.remove(two);
    expect(queue.peek()).toBe(busy);
  });

  it('accepts jobs of a client up to its part, and of others up to the whole', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(8);
    const accepted = (client: string | undefined, count: number) =>
      Array.from({ length: count }, () => queue.add(item(client, ''))).filter(Boolean).length;
    expect(accepted('x', 8)).toBe(6);
    expect(accepted('y', 1)).toBe(1);
    expect(accepted(undefined, 8)).toBe(1);
    expect(queue.length).toBe(8);
  });

  it('knows whether a client occupies the pool', () => {
    const queue = new FairQueue<ReturnType<typeof item>>(8);
    const job = item('x', '');
    queue.count(job, 1);
    queue.count(job, 1);
    expect([queue.runningOf('x'), queue.hasClientAbove(1), queue.hasClientAbove(2)]).toEqual([
      2,
      true,
      false,
    ]);
    queue.count(job, -1);
    queue.count(job, -1);
    expect([queue.runningOf('x'), queue.hasClientAbove(0)]).toEqual([0, false]);
  });
});
