/** Transitions of a declaration for each answer of a hub. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { ISCC_ID_UNKNOWN } from '../../../src/services/store/declarations/transitions.js';
import { A, B, C } from './assets.js';
import { type Fate, gatewayOf, Simulation } from './simulation.js';

async function create(dialect: '0.8.0' | '2025-08' = '0.8.0', ...fates: Fate[]): Promise<Simulation> {
  const simulation = await Simulation.create(dialect);
  onTestFinished(() => simulation.close());
  simulation.fates = fates;
  return simulation;
}

const noteOf = (body: string | undefined) => JSON.parse(body ?? '') as Record<string, string>;

describe('an accepted note', () => {
  it('becomes declared, with the ISCC-ID', async () => {
    const simulation = await create();
    await simulation.upload(A);
    const row = await simulation.declaration('a');
    expect(row).toMatchObject({ status: 'declared', open: 0, error: null, lease: null, attempts: 1 });
    expect(simulation.hub.inForce(gatewayOf('a')).map(({ isccId }) => isccId)).toEqual([row?.iscc_id]);
    expect(simulation.trace()).toEqual(['POST /declaration']);
  });

  it('omits $schema at a hub of August 2025, from the second upload on without a refusal', async () => {
    const simulation = await create('2025-08');
    await simulation.upload(A);
    await simulation.upload(C);
    expect(await simulation.declaration('c')).toMatchObject({ status: 'declared' });
    const notes = simulation.requests.map(({ body }) => noteOf(body).$schema !== undefined);
    expect(notes).toEqual([true, false, false]);
  });
});

describe('a duplicate', () => {
  it('of our own other manifest is forced, with another nonce', async () => {
    const simulation = await create();
    await simulation.upload(A);
    await simulation.upload(B);
    const notes = simulation.requests.filter(({ method }) => method === 'POST');
    const [, first, second] = notes.map(({ body }) => noteOf(body).nonce);
    expect(first).not.toBe(second);
    expect(simulation.trace()).toEqual([
      'POST /declaration',
      'POST /declaration',
      'GET /lookup',
      'POST /declaration forced',
    ]);
    expect(simulation.hub.inForce().map(({ gateway }) => gateway)).toEqual([gatewayOf('a'), gatewayOf('b')]);
  });

  it('of another signer is forced after a lookup', async () => {
    const simulation = await create();
    await simulation.upload(A);
    simulation.trace();
    await simulation.forget();
    simulation.restart({ secretSeed: Buffer.alloc(32, 8) });
    await simulation.upload(B);
    expect(simulation.trace()).toEqual(['POST /declaration', 'GET /lookup', 'POST /declaration forced']);
    expect(simulation.hub.inForce().length).toBe(2);
  });

  it('of the same manifest is adopted', async () => {
    const simulation = await create();
    await simulation.upload(A);
    const before = await simulation.declaration('a');
    simulation.trace();
    await simulation.forget();
    await simulation.upload(A);
    expect(simulation.trace()).toEqual(['POST /declaration', 'GET /ID']);
    expect((await simulation.declaration('a'))?.iscc_id).toBe(before?.iscc_id);
    expect(simulation.hub.log.length).toBe(1);
  });

  it('that is withdrawn is ignored', async () => {
    const simulation = await create();
    await simulation.upload(A);
    await simulation.delete('a');
    await simulation.release('a');
    simulation.trace();
    await simulation.upload(A);
    expect(simulation.trace()).toEqual([
      'POST /declaration',
      'GET /ID',
      'GET /lookup',
      'POST /declaration forced',
    ]);
    expect(await simulation.declaration('a')).toMatchObject({ status: 'declared' });
    expect(simulation.hub.inForce().length).toBe(1);
  });
});

describe('a lost answer', () => {
  it('is recovered: the note is sent again, and its declaration adopted', async () => {
    const simulation = await create('0.8.0', 'answer-lost');
    await simulation.upload(A);
    expect(await simulation.declaration('a')).toMatchObject({ status: 'pending', open: 1, iscc_id: null });
    await simulation.round();
    const [first, second] = simulation.requests.map(({ body }) => body);
    expect(second).toBe(first);
    expect(simulation.trace()).toEqual(['POST /declaration', 'POST /declaration', 'GET /lookup']);
    expect((await simulation.declaration('a'))?.iscc_id).toBe(simulation.hub.log[0]?.isccId);
    expect(simulation.hub.log.length).toBe(1);
  });

  it('is recovered after the note has become too old', async () => {
    const simulation = await create('0.8.0', 'answer-lost');
    await simulation.upload(A);
    simulation.now += 9 * 60_000;
    await simulation.round();
    expect(simulation.trace()).toEqual(['POST /declaration', 'POST /declaration', 'GET /ID']);
    expect(await simulation.declaration('a')).toMatchObject({ status: 'declared' });
    expect(simulation.hub.log.length).toBe(1);
  });

  it('of a hub without lookup is recovered by the nonce', async () => {
    const simulation = await create('2025-08', 'answered', 'answer-lost');
    await simulation.upload(A);
    await simulation.round();
    expect(simulation.trace().slice(2)).toEqual(['POST /declaration', 'GET /ID', 'POST /declaration forced']);
    expect((await simulation.declaration('a'))?.iscc_id).toBe(simulation.hub.log[0]?.isccId);
    expect(simulation.hub.log.length).toBe(1);
  });

  it('to a forced note at a hub without lookup stays open, with an error', async () => {
    const simulation = await create('2025-08');
    await simulation.upload(A);
    simulation.fates = ['answered', 'answered', 'answer-lost'];
    await simulation.upload(B);
    await simulation.round();
    expect(await simulation.declaration('b')).toMatchObject({
      status: 'failed',
      error: ISCC_ID_UNKNOWN,
      open: 1,
    });
    simulation.now += 20 * 60_000;
    await simulation.round();
    expect(simulation.hub.inForce(gatewayOf('b')).length).toBe(1);
  });
});

describe('no definite answer', () => {
  it.each<Fate>(['unsent', 'lost', 'error-500', 'unavailable', 'garbage', 'crash-before', 'crash-after'])(
    '%s: becomes pending, then declared with the same note',
    async (fate) => {
      const simulation = await create('0.8.0', fate);
      await simulation.upload(A);
      expect(await simulation.declaration('a')).toMatchObject({ status: 'pending', open: 1 });
      const { note } = (await simulation.declaration('a')) ?? {};
      await simulation.round();
      expect(await simulation.declaration('a')).toMatchObject({
        status: 'declared',
        note,
        uncertainty: null,
      });
      expect(simulation.hub.log.length).toBe(1);
    },
  );

  it('and a note older than 8 minutes: a new note is signed', async () => {
    const simulation = await create('0.8.0', 'unsent', 'unsent');
    await simulation.upload(A);
    simulation.now += 7 * 60_000;
    await simulation.round();
    simulation.now += 2 * 60_000;
    await simulation.round();
    const [first, second, third] = simulation.requests.map(({ body }) => noteOf(body).nonce);
    expect([second === first, third === first]).toEqual([true, false]);
    expect(await simulation.declaration('a')).toMatchObject({ status: 'declared' });
  });
});

describe('a refused note', () => {
  it('becomes failed, and each round retries with a new note', async () => {
    const simulation = await create();
    simulation.restart({ hubId: 2 });
    await simulation.upload(A);
    expect(await simulation.declaration('a')).toMatchObject({
      status: 'failed',
      open: 1,
      error: expect.stringContaining('nonce_mismatch'),
    });
    simulation.now += 1000;
    await simulation.round();
    expect(simulation.requests.length).toBe(2);
    // The operator sets the right hub id.
    simulation.restart({ hubId: 1 });
    simulation.now += 1000;
    await simulation.round();
    expect(await simulation.declaration('a')).toMatchObject({ status: 'declared', hub_id: 1, error: null });
  });
});

describe('nothing to declare', () => {
  it('is skipped, without a request', async () => {
    const simulation = await create();
    await simulation.upload({ name: 'x', binding: Buffer.from('xyz') });
    const row = await simulation.declaration('x');
    expect(row).toMatchObject({ status: 'skipped', open: 0, hub: null });
    await simulation.round();
    expect(simulation.requests).toEqual([]);
  });
});
