/** Declarations of deleted manifests and released ids, and retries by several processes. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { A, B, C } from './assets.js';
import { type Fate, gatewayOf, Simulation } from './simulation.js';

async function create(dialect: '0.8.0' | '2025-08' = '0.8.0', ...fates: Fate[]): Promise<Simulation> {
  const simulation = await Simulation.create(dialect);
  onTestFinished(() => simulation.close());
  simulation.fates = fates;
  return simulation;
}

describe('a delete', () => {
  it('withdraws the declaration', async () => {
    const simulation = await create();
    await simulation.upload(A);
    await simulation.delete('a');
    expect(await simulation.declaration('a')).toMatchObject({ status: 'withdrawn', open: 0 });
    expect(simulation.hub.inForce()).toEqual([]);
    expect(simulation.trace()).toEqual(['POST /declaration', 'DELETE /declaration/ID']);
  });

  it.each<Fate>(['unsent', 'lost', 'answer-lost', 'error-500', 'crash-before', 'crash-after', 'late'])(
    'withdraws in the next round when the first withdrawal is %s',
    async (fate) => {
      const simulation = await create();
      await simulation.upload(A);
      simulation.fates = [fate];
      await simulation.delete('a');
      expect(await simulation.declaration('a')).toMatchObject({ status: 'declared', open: 1, live: 0 });
      await simulation.round();
      expect(await simulation.declaration('a')).toMatchObject({ status: 'withdrawn', open: 0 });
      expect(simulation.hub.inForce()).toEqual([]);
    },
  );

  it('stays open at a hub without the route', async () => {
    const simulation = await create('2025-08');
    await simulation.upload(A);
    await simulation.delete('a');
    await simulation.round();
    expect(await simulation.declaration('a')).toMatchObject({ status: 'declared', open: 1 });
  });

  it('waits for the key that signed the declaration', async () => {
    const simulation = await create();
    await simulation.upload(A);
    const { pubkey } = (await simulation.declaration('a')) ?? {};
    simulation.restart({ secretSeed: Buffer.alloc(32, 9) });
    simulation.trace();
    await simulation.delete('a');
    await simulation.round();
    expect(simulation.trace()).toEqual([]);
    expect(await simulation.declaration('a')).toMatchObject({
      status: 'declared',
      open: 1,
      error: expect.stringContaining(String(pubkey)),
    });
    simulation.restart({ secretSeed: Buffer.alloc(32, 7) });
    simulation.now += 1000;
    await simulation.round();
    expect(await simulation.declaration('a')).toMatchObject({ status: 'withdrawn' });
  });

  it('sends nothing if the declaration was never sent', async () => {
    const simulation = await create('0.8.0', 'unsent');
    await simulation.upload(A);
    simulation.trace();
    await simulation.delete('a');
    expect(await simulation.declaration('a')).toMatchObject({ status: 'skipped', open: 0 });
    expect(simulation.trace()).toEqual([]);
  });

  it('looks up a declaration that may have been accepted, and withdraws it', async () => {
    const simulation = await create('0.8.0', 'answer-lost');
    await simulation.upload(A);
    simulation.trace();
    await simulation.delete('a');
    expect(simulation.trace()).toEqual(['GET /lookup', 'DELETE /declaration/ID']);
    expect(await simulation.declaration('a')).toMatchObject({ status: 'withdrawn', open: 0 });
  });

  it('keeps looking up a note that may still arrive', async () => {
    const simulation = await create('0.8.0', 'late');
    await simulation.upload(A);
    await simulation.delete('a');
    expect(await simulation.declaration('a')).toMatchObject({ status: 'skipped', open: 1 });
    await simulation.deliverLate();
    expect(simulation.hub.inForce().length).toBe(1);
    await simulation.round();
    expect(await simulation.declaration('a')).toMatchObject({ status: 'withdrawn', open: 0 });
    expect(simulation.hub.inForce()).toEqual([]);
  });

  it('stops looking when the hub refuses the note as too old', async () => {
    const simulation = await create('0.8.0', 'lost');
    await simulation.upload(A);
    await simulation.delete('a');
    simulation.now += 12 * 60_000;
    await simulation.round();
    expect(await simulation.declaration('a')).toMatchObject({
      status: 'skipped',
      open: 0,
      uncertainty: null,
    });
  });
});

describe('a released id', () => {
  it('deletes the row of a settled declaration', async () => {
    const simulation = await create();
    await simulation.upload(A);
    await simulation.delete('a');
    expect(await simulation.all()).toHaveLength(1);
    await simulation.release('a');
    expect(await simulation.all()).toEqual([]);
  });

  it('keeps the row of an unsettled declaration until it is settled', async () => {
    const simulation = await create('0.8.0', 'late');
    await simulation.upload(A);
    await simulation.delete('a');
    await simulation.release('a');
    expect((await simulation.all()).length).toBe(1);
    await simulation.deliverLate();
    await simulation.round();
    expect(await simulation.all()).toEqual([]);
    expect(simulation.hub.inForce()).toEqual([]);
  });

  it('that is uploaded again adopts the declaration of the earlier upload', async () => {
    const simulation = await create('0.8.0', 'late');
    await simulation.upload(A);
    await simulation.delete('a');
    await simulation.release('a');
    await simulation.deliverLate();
    await simulation.upload(A);
    const row = await simulation.declaration('a');
    expect(row).toMatchObject({ status: 'declared' });
    expect(simulation.hub.log.map(({ isccId, deleted }) => [isccId, deleted])).toEqual([
      [row?.iscc_id, false],
    ]);
    expect((await simulation.all()).length).toBe(1);
  });
});

describe('rounds', () => {
  it('stop when the hub is unreachable, and start with the longest waiting', async () => {
    const simulation = await create('0.8.0', 'unsent', 'unsent', 'unsent');
    await simulation.upload(A);
    await simulation.upload(C);
    simulation.trace();
    await simulation.round();
    expect(simulation.trace().length).toBe(1);
    simulation.fates = ['unsent'];
    await simulation.round();
    const tried = simulation.requests.map(({ body }) => (JSON.parse(body) as { gateway: string }).gateway);
    expect(tried).toEqual([gatewayOf('c')]);
  });

  it('of two concurrent processes send each note once', async () => {
    const simulation = await create('0.8.0', 'unsent', 'unsent');
    await simulation.upload(A);
    await simulation.upload(C);
    simulation.trace();
    await simulation.rounds();
    expect(simulation.trace()).toEqual(['POST /declaration', 'POST /declaration']);
    expect(simulation.hub.log.length).toBe(2);
  });

  it('skip declarations to another hub', async () => {
    const simulation = await create('0.8.0', 'unsent');
    await simulation.upload(A);
    simulation.trace();
    simulation.restart({ hubUrl: 'https://other.example' });
    await simulation.round();
    expect(simulation.trace()).toEqual([]);
    expect(await simulation.declaration('a')).toMatchObject({
      status: 'pending',
      hub: 'https://hub.example',
    });
  });
});

it('an operator’s retry attempts the unfinished declarations of the selected manifests', async () => {
  const simulation = await create('0.8.0', 'unsent', 'unsent');
  await simulation.upload(A);
  await simulation.upload(C);
  await simulation.upload({ name: 'x', binding: Buffer.from('xyz') });
  expect(await simulation.retry('a', 'x', 'nobody')).toEqual({ retried: 1, waiting: 0, skipped: 2 });
  expect(await simulation.declaration('a')).toMatchObject({ status: 'declared' });
  expect(await simulation.declaration('c')).toMatchObject({ status: 'pending' });
  await simulation.upload(B);
  simulation.fates = ['lost'];
  await simulation.delete('b');
  expect(await simulation.retry('b')).toEqual({ retried: 1, waiting: 0, skipped: 0 });
  expect(await simulation.declaration('b')).toMatchObject({ status: 'withdrawn' });
});
