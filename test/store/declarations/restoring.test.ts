/** Declarations of manifests that are deleted and restored. */
import { expect, it, onTestFinished } from 'vitest';
import { A } from './assets.js';
import { type Fate, gatewayOf, Simulation } from './simulation.js';

async function create(...fates: Fate[]): Promise<Simulation> {
  const simulation = await Simulation.create('0.8.0');
  onTestFinished(() => simulation.close());
  simulation.fates = fates;
  return simulation;
}

async function rounds(simulation: Simulation, count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    simulation.now += 130_000;
    await simulation.round();
  }
}

it('declares a withdrawn manifest again, with a new ISCC-ID', async () => {
  const simulation = await create();
  await simulation.upload(A);
  const { iscc_id: first } = (await simulation.declaration('a')) ?? {};
  await simulation.delete('a');
  await simulation.restore('a');
  const [declared, ...others] = simulation.hub.inForce();
  expect(others).toEqual([]);
  expect(declared?.isccId).not.toBe(first);
  expect(await simulation.all()).toMatchObject([
    { status: 'declared', live: 1, open: 0, iscc_id: declared?.isccId, gateway: gatewayOf('a') },
  ]);
});

it('keeps a declaration in force whose withdrawal was never tried', async () => {
  const simulation = await create();
  await simulation.upload(A);
  const { iscc_id } = (await simulation.declaration('a')) ?? {};
  simulation.now += 3_600_000;
  simulation.trace();
  await simulation.delete('a', true);
  await simulation.restore('a');
  await simulation.round();
  expect(simulation.trace()).toEqual([]);
  expect(await simulation.all()).toMatchObject([{ status: 'declared', live: 1, open: 0, iscc_id }]);
  expect(simulation.hub.inForce()).toMatchObject([{ isccId: iscc_id }]);
});

it.each<Fate>(['unsent', 'lost', 'answer-lost', 'error-500', 'crash-before', 'crash-after', 'late'])(
  'has one declaration in force after a withdrawal that is %s',
  async (fate) => {
    const simulation = await create();
    await simulation.upload(A);
    simulation.fates = [fate];
    await simulation.delete('a');
    await simulation.restore('a');
    await simulation.deliverLate();
    await rounds(simulation, 6);
    const [row, ...others] = await simulation.all();
    expect(others).toEqual([]);
    const inForce = simulation.hub.inForce().map(({ isccId }) => isccId);
    expect(inForce).toEqual([row?.iscc_id]);
    expect(row).toMatchObject({ status: 'declared', live: 1, open: 0 });
  },
);

it.each([0, 1, 3, 4, 5, 6, 9])(
  'has one declaration in force after a withdrawal that arrives %i rounds after the restore',
  async (before) => {
    const simulation = await create();
    await simulation.upload(A);
    simulation.fates = ['late'];
    await simulation.delete('a');
    await simulation.restore('a');
    await rounds(simulation, before);
    await simulation.deliverLate();
    await rounds(simulation, 10);
    const row = await simulation.declaration('a');
    expect(row).toMatchObject({ status: 'declared', live: 1, open: 0, error: null });
    expect(simulation.hub.inForce().map(({ isccId }) => isccId)).toEqual([row?.iscc_id]);
  },
);

it('does not wait after a withdrawal that the hub did not get or refused', async () => {
  for (const fate of ['unsent', 'unavailable'] as const) {
    const simulation = await create();
    await simulation.upload(A);
    const { iscc_id } = (await simulation.declaration('a')) ?? {};
    simulation.fates = [fate];
    await simulation.delete('a');
    await simulation.restore('a');
    await rounds(simulation, 1);
    expect(await simulation.declaration('a')).toMatchObject({ status: 'declared', open: 0, iscc_id });
  }
});

it('declares a manifest that was deleted before it was declared', async () => {
  const simulation = await create('unsent');
  await simulation.upload(A);
  await simulation.delete('a');
  expect(await simulation.declaration('a')).toMatchObject({ status: 'skipped', open: 0 });
  await simulation.restore('a');
  expect(await simulation.all()).toMatchObject([{ status: 'declared', live: 1 }]);
  expect(simulation.hub.inForce()).toHaveLength(1);
});

it('does not wait for another hub, which this store does not ask any more', async () => {
  const simulation = await create('lost');
  await simulation.upload(A);
  await simulation.delete('a');
  expect(await simulation.all()).toMatchObject([{ live: 0, open: 1 }]);
  simulation.restart({ hubUrl: 'https://other.example' });
  await simulation.restore('a');
  await rounds(simulation, 3);
  expect(await simulation.all()).toMatchObject([
    { hub: 'https://hub.example', live: 0, open: 1 },
    { hub: 'https://other.example', live: 1, open: 0, status: 'declared' },
  ]);
});

it('adopts a note that arrives after the restore', async () => {
  const simulation = await create('late');
  await simulation.upload(A);
  await simulation.delete('a');
  await simulation.restore('a');
  await simulation.deliverLate();
  for (let round = 0; round < 3; round += 1) {
    simulation.now += 12 * 60_000;
    await simulation.round();
  }
  expect(simulation.hub.inForce()).toHaveLength(1);
  expect(await simulation.all()).toMatchObject([
    { status: 'declared', live: 1, open: 0, iscc_id: simulation.hub.inForce()[0]?.isccId },
  ]);
});

it('adopts its declaration at a hub that knows neither withdrawals nor look-ups', async () => {
  const simulation = await Simulation.create('2025-08');
  onTestFinished(() => simulation.close());
  await simulation.upload(A);
  const { iscc_id } = (await simulation.declaration('a')) ?? {};
  await simulation.delete('a');
  await simulation.restore('a');
  await rounds(simulation, 8);
  expect(simulation.hub.inForce()).toMatchObject([{ isccId: iscc_id }]);
  expect(await simulation.all()).toMatchObject([{ status: 'declared', live: 1, open: 0, iscc_id }]);
});
