/**
 * Whatever happens to requests, processes and manifests: at no time is a manifest declared twice, and in the end every
 * live one is declared and no deleted one.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ISCC_ID_UNKNOWN } from '../../../src/store/declarations/transitions.js';
import { A, B, C } from './assets.js';
import { type Fate, gatewayOf, World } from './world.js';

const ASSETS = [A, B, C];

const FATES: readonly Fate[] = [
  'answered',
  'unsent',
  'lost',
  'answer-lost',
  'late',
  'error-500',
  'unavailable',
  'garbage',
  'crash-before',
  'crash-after',
];

const asset = fc.constantFrom(...ASSETS);
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('upload' as const), asset }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('delete' as const), asset, crash: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('release' as const), asset }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('round' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('late' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('wait' as const),
      seconds: fc.constantFrom(1, 60, 121, 500, 700),
    }),
  },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

const history = fc.record({
  actions: fc.array(action, { minLength: 1, maxLength: 14 }),
  fates: fc.array(fc.constantFrom(...FATES), { maxLength: 24 }),
});

const RUNS = 250;
const ROUNDS_TO_SETTLE = 10;
const ROUND_MS = 121_000;

describe.each(['0.8.0', '2025-08'] as const)('a hub of %s', (dialect) => {
  it(`holds one declaration of each live manifest, in ${RUNS} histories`, async () => {
    const property = fc.asyncProperty(history, async ({ actions, fates }) => {
      const world = await World.create(dialect);
      try {
        world.fates = [...fates];
        for (const step of actions) {
          await act(world, step);
          expectNoDouble(world);
        }
        await settle(world);
        for (const { name } of ASSETS) {
          if (dialect === '0.8.0') await expectSettled(world, name);
          else await expectSettledWithoutLookup(world, name);
        }
      } finally {
        await world.close();
      }
    });
    await fc.assert(property, { numRuns: RUNS });
  }, 300_000);
});

async function act(world: World, step: Action): Promise<void> {
  switch (step.type) {
    case 'upload':
      return world.upload(step.asset);
    case 'delete':
      return world.delete(step.asset.name, step.crash);
    case 'release':
      return world.release(step.asset.name);
    case 'round':
      return world.round();
    case 'late':
      return world.deliverLate();
    case 'wait':
      world.now += step.seconds * 1000;
      return;
    default:
      return step satisfies never;
  }
}

/** From now on the network is sound; what was late is there. */
async function settle(world: World): Promise<void> {
  world.fates = [];
  await world.deliverLate();
  expectNoDouble(world);
  for (let round = 0; round < ROUNDS_TO_SETTLE; round += 1) {
    world.now += ROUND_MS;
    await world.round();
    expectNoDouble(world);
  }
}

function expectNoDouble(world: World): void {
  for (const { name } of ASSETS) expect(world.hub.inForce(gatewayOf(name)).length).toBeLessThanOrEqual(1);
}

async function expectSettled(world: World, name: string): Promise<void> {
  const [manifest, row] = [await world.manifest(name), await world.declaration(name)];
  const inForce = world.hub.inForce(gatewayOf(name)).map(({ isccId }) => isccId);
  if (manifest?.live === 1) {
    expect(row).toMatchObject({ status: 'declared', open: 0, error: null, doubt: null });
    expect(inForce).toEqual([row?.iscc_id]);
  } else {
    expect(inForce).toEqual([]);
    if (row !== undefined) expect(row.status).toMatch(/^(skipped|withdrawn)$/);
  }
  const open = (await world.all()).filter((entry) => entry.open === 1);
  expect(open).toEqual([]);
}

/** Such a hub can't withdraw, and may leave it open what it accepted, and under which id: then the operator is told. */
async function expectSettledWithoutLookup(world: World, name: string): Promise<void> {
  const [manifest, row] = [await world.manifest(name), await world.declaration(name)];
  if (manifest?.live !== 1) return;
  const inForce = world.hub.inForce(gatewayOf(name)).map(({ isccId }) => isccId);
  if (row?.status === 'declared') expect(inForce).toEqual([row.iscc_id]);
  else expect(row).toMatchObject({ status: 'failed', error: ISCC_ID_UNKNOWN });
}
