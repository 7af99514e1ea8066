/** What becomes of declarations when manifests are deleted, ids released, and several processes retry. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { A, B, C } from './assets.js';
import { type Fate, gatewayOf, World } from './world.js';

async function create(dialect: '0.8.0' | '2025-08' = '0.8.0', ...fates: Fate[]): Promise<World> {
  const world = await World.create(dialect);
  onTestFinished(() => world.close());
  world.fates = fates;
  return world;
}

describe('a delete', () => {
  it('withdraws what is declared', async () => {
    const world = await create();
    await world.upload(A);
    await world.delete('a');
    expect(await world.declaration('a')).toMatchObject({ status: 'withdrawn', open: 0 });
    expect(world.hub.inForce()).toEqual([]);
    expect(world.trace()).toEqual(['POST /declaration', 'DELETE /declaration/ID']);
  });

  it.each<Fate>(['unsent', 'lost', 'answer-lost', 'error-500', 'crash-before', 'crash-after', 'late'])(
    'is withdrawn in the end when the withdrawal is %s',
    async (fate) => {
      const world = await create();
      await world.upload(A);
      world.fates = [fate];
      await world.delete('a');
      expect(await world.declaration('a')).toMatchObject({ status: 'declared', open: 1, live: 0 });
      await world.round();
      expect(await world.declaration('a')).toMatchObject({ status: 'withdrawn', open: 0 });
      expect(world.hub.inForce()).toEqual([]);
    },
  );

  it('is not taken for withdrawn where a hub has no such route', async () => {
    const world = await create('2025-08');
    await world.upload(A);
    await world.delete('a');
    await world.round();
    expect(await world.declaration('a')).toMatchObject({ status: 'declared', open: 1 });
  });

  it('waits for the key that declared', async () => {
    const world = await create();
    await world.upload(A);
    const { pubkey } = (await world.declaration('a')) ?? {};
    world.restart({ secretSeed: Buffer.alloc(32, 9) });
    world.trace();
    await world.delete('a');
    await world.round();
    expect(world.trace()).toEqual([]);
    expect(await world.declaration('a')).toMatchObject({
      status: 'declared',
      open: 1,
      error: expect.stringContaining(String(pubkey)),
    });
    world.restart({ secretSeed: Buffer.alloc(32, 7) });
    world.now += 1000;
    await world.round();
    expect(await world.declaration('a')).toMatchObject({ status: 'withdrawn' });
  });

  it('of what was never sent asks nobody', async () => {
    const world = await create('0.8.0', 'unsent');
    await world.upload(A);
    world.trace();
    await world.delete('a');
    expect(await world.declaration('a')).toMatchObject({ status: 'skipped', open: 0 });
    expect(world.trace()).toEqual([]);
  });

  it('of what may have got through looks it up, and withdraws it', async () => {
    const world = await create('0.8.0', 'answer-lost');
    await world.upload(A);
    world.trace();
    await world.delete('a');
    expect(world.trace()).toEqual(['GET /lookup', 'DELETE /declaration/ID']);
    expect(await world.declaration('a')).toMatchObject({ status: 'withdrawn', open: 0 });
  });

  it('keeps looking for what may still arrive', async () => {
    const world = await create('0.8.0', 'late');
    await world.upload(A);
    await world.delete('a');
    expect(await world.declaration('a')).toMatchObject({ status: 'skipped', open: 1 });
    await world.deliverLate();
    expect(world.hub.inForce().length).toBe(1);
    await world.round();
    expect(await world.declaration('a')).toMatchObject({ status: 'withdrawn', open: 0 });
    expect(world.hub.inForce()).toEqual([]);
  });

  it('stops to look when the hub takes the note no more', async () => {
    const world = await create('0.8.0', 'lost');
    await world.upload(A);
    await world.delete('a');
    world.now += 12 * 60_000;
    await world.round();
    expect(await world.declaration('a')).toMatchObject({ status: 'skipped', open: 0, doubt: null });
  });
});

describe('a released id', () => {
  it('leaves behind what is not settled, until it is', async () => {
    const world = await create('0.8.0', 'late');
    await world.upload(A);
    await world.delete('a');
    await world.release('a');
    expect((await world.all()).length).toBe(1);
    await world.deliverLate();
    await world.round();
    expect(await world.all()).toEqual([]);
    expect(world.hub.inForce()).toEqual([]);
  });

  it('that is uploaded again adopts what the earlier upload declared', async () => {
    const world = await create('0.8.0', 'late');
    await world.upload(A);
    await world.delete('a');
    await world.release('a');
    await world.deliverLate();
    await world.upload(A);
    const row = await world.declaration('a');
    expect(row).toMatchObject({ status: 'declared' });
    expect(world.hub.log.map(({ isccId, deleted }) => [isccId, deleted])).toEqual([[row?.iscc_id, false]]);
    expect((await world.all()).length).toBe(1);
  });
});

describe('rounds', () => {
  it('go no further where the hub is out of reach, and begin with who has waited longest', async () => {
    const world = await create('0.8.0', 'unsent', 'unsent', 'unsent');
    await world.upload(A);
    await world.upload(C);
    world.trace();
    await world.round();
    expect(world.trace().length).toBe(1);
    world.fates = ['unsent'];
    await world.round();
    const tried = world.requests.map(({ body }) => (JSON.parse(body) as { gateway: string }).gateway);
    expect(tried).toEqual([gatewayOf('c')]);
  });

  it('of two processes at once send each note once', async () => {
    const world = await create('0.8.0', 'unsent', 'unsent');
    await world.upload(A);
    await world.upload(C);
    world.trace();
    await world.rounds();
    expect(world.trace()).toEqual(['POST /declaration', 'POST /declaration']);
    expect(world.hub.log.length).toBe(2);
  });

  it('leave declarations to another hub alone', async () => {
    const world = await create('0.8.0', 'unsent');
    await world.upload(A);
    world.trace();
    world.restart({ hubUrl: 'https://other.example' });
    await world.round();
    expect(world.trace()).toEqual([]);
    expect(await world.declaration('a')).toMatchObject({ status: 'pending', hub: 'https://hub.example' });
  });
});

it('an operator’s retry tries what is unfinished of the chosen manifests', async () => {
  const world = await create('0.8.0', 'unsent', 'unsent');
  await world.upload(A);
  await world.upload(C);
  await world.upload({ name: 'x', binding: Buffer.from('xyz') });
  expect(await world.retry('a', 'x', 'nobody')).toEqual({ retried: 1, waiting: 0, skipped: 2 });
  expect(await world.declaration('a')).toMatchObject({ status: 'declared' });
  expect(await world.declaration('c')).toMatchObject({ status: 'pending' });
  await world.upload(B);
  world.fates = ['lost'];
  await world.delete('b');
  expect(await world.retry('b')).toEqual({ retried: 1, waiting: 0, skipped: 0 });
  expect(await world.declaration('b')).toMatchObject({ status: 'withdrawn' });
});
