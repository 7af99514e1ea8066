/** Bounds on the work with a hub: contradictions, shutdown, unreachable hubs. */
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Attempts } from '../../../src/services/store/declarations/attempts.js';
import type { Hub } from '../../../src/services/store/declarations/hub-client.js';
import { RetryLoop } from '../../../src/services/store/declarations/retry-loop.js';
import type { DeclarationRows } from '../../../src/services/store/declarations/rows.js';
import { A, C } from './assets.js';
import { Simulation } from './simulation.js';

/** Above the steps that any attempt needs, and far below a loop. */
const REQUESTS_MAX = 20;

async function create(hub?: Hub): Promise<Simulation> {
  const simulation = await Simulation.create('0.8.0', hub);
  onTestFinished(() => simulation.close());
  return simulation;
}

it('an attempt at a hub that contradicts itself ends with an error', async () => {
  let requests = 0;
  const count =
    <T>(answer: T) =>
    async () => {
      requests += 1;
      if (requests > REQUESTS_MAX) throw new Error('endless');
      return answer;
    };
  const simulation = await create({
    declare: count({ type: 'nonce-used' } as const),
    withdraw: count({ type: 'withdrawn' } as const),
    resolve: count({ type: 'no-route' } as const),
    // The nonce is used, but nothing is declared.
    lookup: count({ type: 'records', records: [] } as const),
    close: async () => {},
  });
  await simulation.upload(A);
  expect(await simulation.declaration('a')).toMatchObject({
    open: 1,
    lease: null,
    error: 'the hub contradicts itself',
  });
  expect(requests).toBeLessThan(REQUESTS_MAX);
});

describe('after a delete found the hub unreachable', () => {
  it('other deletes do not wait for it, for 10 s', async () => {
    const simulation = await create();
    for (const asset of [A, C]) await simulation.upload(asset);
    simulation.trace();
    simulation.fates = ['lost'];
    await simulation.delete('a');
    expect(simulation.trace()).toEqual(['DELETE /declaration/ID']);
    await simulation.delete('c');
    expect(simulation.trace()).toEqual([]);
    await simulation.release('a');
    simulation.now += 10_000;
    await simulation.upload({ name: 'd', binding: A.binding });
    simulation.trace();
    await simulation.delete('d');
    expect(simulation.trace()).toEqual(['DELETE /declaration/ID']);
  });
});

it('a retry loop that is stopped ends after the attempt in progress', async () => {
  const attempted: number[] = [];
  const batches = [[1, 2, 3], []];
  const rows = { due: async () => batches.shift() ?? [] } as unknown as DeclarationRows;
  let loop: RetryLoop | undefined;
  let stopped: Promise<void> | undefined;
  const run = async (key: number) => {
    attempted.push(key);
    stopped = loop?.stop();
    return { unreachable: false };
  };
  const attempts = { run } as unknown as Attempts;
  loop = new RetryLoop({ rows, attempts, log: pino({ level: 'silent' }), now: Date.now, pauseMs: 1 });
  loop.start();
  await expect.poll(() => attempted.length).toBe(1);
  await stopped;
  expect(attempted).toEqual([1]);
});
