/** How a hub's answers move a declaration, row by row of the tables. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { ISCC_ID_UNKNOWN } from '../../../src/store/declarations/transitions.js';
import { A, B, C } from './assets.js';
import { type Fate, gatewayOf, World } from './world.js';

async function create(dialect: '0.8.0' | '2025-08' = '0.8.0', ...fates: Fate[]): Promise<World> {
  const world = await World.create(dialect);
  onTestFinished(() => world.close());
  world.fates = fates;
  return world;
}

const noteOf = (body: string | undefined) => JSON.parse(body ?? '') as Record<string, string>;

describe('accepted', () => {
  it('is declared, with the ISCC-ID', async () => {
    const world = await create();
    await world.upload(A);
    const row = await world.declaration('a');
    expect(row).toMatchObject({ status: 'declared', open: 0, error: null, lease: null, attempts: 1 });
    expect(world.hub.inForce(gatewayOf('a')).map(({ isccId }) => isccId)).toEqual([row?.iscc_id]);
    expect(world.trace()).toEqual(['POST /declaration']);
  });

  it('by a hub of August 2025 without the member it refuses, at once from then on', async () => {
    const world = await create('2025-08');
    await world.upload(A);
    await world.upload(C);
    expect(await world.declaration('c')).toMatchObject({ status: 'declared' });
    const notes = world.requests.map(({ body }) => noteOf(body).$schema !== undefined);
    expect(notes).toEqual([true, false, false]);
  });
});

describe('a duplicate', () => {
  it('of another manifest of ours is declared past the check, with another nonce', async () => {
    const world = await create();
    await world.upload(A);
    await world.upload(B);
    const [, first, second] = world.requests.map(({ body }) => noteOf(body).nonce);
    expect(first).not.toBe(second);
    expect(world.trace()).toEqual(['POST /declaration', 'POST /declaration', 'POST /declaration forced']);
    expect(world.hub.inForce().map(({ gateway }) => gateway)).toEqual([gatewayOf('a'), gatewayOf('b')]);
  });

  it('of somebody else is declared past the check, without questions', async () => {
    const world = await create();
    await world.upload(A);
    world.trace();
    await world.forget();
    world.restart({ secretSeed: Buffer.alloc(32, 8) });
    await world.upload(B);
    expect(world.trace()).toEqual(['POST /declaration', 'POST /declaration forced']);
    expect(world.hub.inForce().length).toBe(2);
  });

  it('of this very manifest is adopted', async () => {
    const world = await create();
    await world.upload(A);
    const before = await world.declaration('a');
    world.trace();
    await world.forget();
    await world.upload(A);
    expect(world.trace()).toEqual(['POST /declaration', 'GET /ID']);
    expect((await world.declaration('a'))?.iscc_id).toBe(before?.iscc_id);
    expect(world.hub.log.length).toBe(1);
  });

  it('that is withdrawn does not count', async () => {
    const world = await create();
    await world.upload(A);
    await world.delete('a');
    await world.release('a');
    world.trace();
    await world.upload(A);
    expect(world.trace()).toEqual([
      'POST /declaration',
      'GET /ID',
      'GET /lookup',
      'POST /declaration forced',
    ]);
    expect(await world.declaration('a')).toMatchObject({ status: 'declared' });
    expect(world.hub.inForce().length).toBe(1);
  });
});

describe('an answer that was lost', () => {
  it('is made up for: the note is sent again, and its declaration adopted', async () => {
    const world = await create('0.8.0', 'answer-lost');
    await world.upload(A);
    expect(await world.declaration('a')).toMatchObject({ status: 'pending', open: 1, iscc_id: null });
    await world.round();
    const [first, second] = world.requests.map(({ body }) => body);
    expect(second).toBe(first);
    expect(world.trace()).toEqual(['POST /declaration', 'POST /declaration', 'GET /lookup']);
    expect((await world.declaration('a'))?.iscc_id).toBe(world.hub.log[0]?.isccId);
    expect(world.hub.log.length).toBe(1);
  });

  it('is made up for after the note has become too old', async () => {
    const world = await create('0.8.0', 'answer-lost');
    await world.upload(A);
    world.now += 9 * 60_000;
    await world.round();
    expect(world.trace()).toEqual(['POST /declaration', 'POST /declaration', 'GET /ID']);
    expect(await world.declaration('a')).toMatchObject({ status: 'declared' });
    expect(world.hub.log.length).toBe(1);
  });

  it('of a hub without lookup is made up for by the nonce', async () => {
    const world = await create('2025-08', 'answered', 'answer-lost');
    await world.upload(A);
    await world.round();
    expect(world.trace().slice(2)).toEqual(['POST /declaration', 'GET /ID', 'POST /declaration forced']);
    expect((await world.declaration('a'))?.iscc_id).toBe(world.hub.log[0]?.isccId);
    expect(world.hub.log.length).toBe(1);
  });

  it('of a forced note at a hub without lookup is left open, and said', async () => {
    const world = await create('2025-08');
    await world.upload(A);
    world.fates = ['answered', 'answer-lost'];
    await world.upload(B);
    await world.round();
    expect(await world.declaration('b')).toMatchObject({ status: 'failed', error: ISCC_ID_UNKNOWN, open: 1 });
    world.now += 20 * 60_000;
    await world.round();
    expect(world.hub.inForce(gatewayOf('b')).length).toBe(1);
  });
});

describe('no definite answer', () => {
  it.each<Fate>(['unsent', 'lost', 'error-500', 'unavailable', 'garbage', 'crash-before', 'crash-after'])(
    '%s: pending, then declared by the same note',
    async (fate) => {
      const world = await create('0.8.0', fate);
      await world.upload(A);
      expect(await world.declaration('a')).toMatchObject({ status: 'pending', open: 1 });
      const { note } = (await world.declaration('a')) ?? {};
      await world.round();
      expect(await world.declaration('a')).toMatchObject({ status: 'declared', note, doubt: null });
      expect(world.hub.log.length).toBe(1);
    },
  );

  it('and a note of eight minutes: a new one', async () => {
    const world = await create('0.8.0', 'unsent', 'unsent');
    await world.upload(A);
    world.now += 7 * 60_000;
    await world.round();
    world.now += 2 * 60_000;
    await world.round();
    const [first, second, third] = world.requests.map(({ body }) => noteOf(body).nonce);
    expect([second === first, third === first]).toEqual([true, false]);
    expect(await world.declaration('a')).toMatchObject({ status: 'declared' });
  });
});

describe('refused', () => {
  it('is failed, and tried again with a new note in every round', async () => {
    const world = await create();
    world.restart({ hubId: 2 });
    await world.upload(A);
    expect(await world.declaration('a')).toMatchObject({
      status: 'failed',
      open: 1,
      error: expect.stringContaining('nonce_mismatch'),
    });
    world.now += 1000;
    await world.round();
    expect(world.requests.length).toBe(2);
    // The operator has set the right number.
    world.restart({ hubId: 1 });
    world.now += 1000;
    await world.round();
    expect(await world.declaration('a')).toMatchObject({ status: 'declared', hub_id: 1, error: null });
  });
});

describe('nothing to declare', () => {
  it('is skipped, without a hub', async () => {
    const world = await create();
    await world.upload({ name: 'x', binding: Buffer.from('xyz') });
    const row = await world.declaration('x');
    expect(row).toMatchObject({ status: 'skipped', open: 0, hub: null });
    await world.round();
    expect(world.requests).toEqual([]);
  });
});
