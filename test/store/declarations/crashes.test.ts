/**
 * Random histories of uploads, deletes, restores, crashes and lost messages: a manifest is never declared twice, and in the end
 * all live manifests are declared and no deleted one is.
 */
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ISCC_ID_UNKNOWN } from '../../../src/services/store/declarations/transitions.js';
import { Random, torture } from '../../support/torture.js';
import { A, B, C } from './assets.js';
import { type Fate, gatewayOf, Simulation } from './simulation.js';

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
  { weight: 2, arbitrary: fc.record({ type: fc.constant('restore' as const), asset }) },
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

const { size, seed, cases, report } = torture('simulation');
const DIALECTS = ['0.8.0', '2025-08'] as const;
/** Histories for each dialect. */
const HISTORIES = Math.ceil(size / DIALECTS.length);
/** Histories that one run of fast-check draws. Each starts with short ones. */
const DRAWN = 250;
const ROUNDS_TO_SETTLE = 10;
const ROUND_MS = 121_000;

describe.each(DIALECTS)('a hub of dialect %s', (dialect) => {
  it(`holds one declaration of each live manifest, in ${HISTORIES} histories`, {
    timeout: 120_000 + HISTORIES * 1000,
  }, async () => {
    let tried = 0;
    let requests = 0;
    const property = fc.asyncProperty(history, async ({ actions, fates }) => {
      const simulation = await Simulation.create(dialect);
      tried += 1;
      try {
        simulation.fates = [...fates];
        for (const step of actions) {
          await act(simulation, step);
          expectNoDouble(simulation);
        }
        await settle(simulation);
        for (const { name } of ASSETS) {
          if (dialect === '0.8.0') await expectSettled(simulation, name);
          else await expectSettledWithoutLookup(simulation, name);
        }
        requests += simulation.requests.length;
      } finally {
        await simulation.close();
        // A history is only microtasks. Memory of closed databases is freed between turns of the event loop.
        await turn();
      }
    });
    for (const number of cases(1 / DIALECTS.length)) {
      if (tried >= HISTORIES) break;
      const numRuns = Math.min(DRAWN, HISTORIES - tried);
      await fc
        .assert(property, { numRuns, seed: new Random(seed, number).word() })
        .catch((cause: Error) => Promise.reject(new Error(`--only=${number}: ${cause.message}`, { cause })));
    }
    report({ tried, survived: tried, worst: `dialect ${dialect}, ${requests} requests` });
  });
});

async function act(simulation: Simulation, step: Action): Promise<void> {
  switch (step.type) {
    case 'upload':
      return simulation.upload(step.asset);
    case 'delete':
      return simulation.delete(step.asset.name, step.crash);
    case 'release':
      return simulation.release(step.asset.name);
    case 'restore':
      if ((await simulation.manifest(step.asset.name))?.live === 0) await simulation.restore(step.asset.name);
      return;
    case 'round':
      return simulation.round();
    case 'late':
      return simulation.deliverLate();
    case 'wait':
      simulation.now += step.seconds * 1000;
      return;
    default:
      return step satisfies never;
  }
}

/** Delivers late requests, then runs rounds without faults. */
async function settle(simulation: Simulation): Promise<void> {
  simulation.fates = [];
  await simulation.deliverLate();
  expectNoDouble(simulation);
  for (let round = 0; round < ROUNDS_TO_SETTLE; round += 1) {
    simulation.now += ROUND_MS;
    await simulation.round();
    expectNoDouble(simulation);
  }
}

function expectNoDouble(simulation: Simulation): void {
  for (const { name } of ASSETS)
    expect(simulation.hub.inForce(gatewayOf(name)).length).toBeLessThanOrEqual(1);
}

async function expectSettled(simulation: Simulation, name: string): Promise<void> {
  const [manifest, row] = [await simulation.manifest(name), await simulation.declaration(name)];
  const inForce = simulation.hub.inForce(gatewayOf(name)).map(({ isccId }) => isccId);
  if (manifest?.live === 1) {
    expect(row).toMatchObject({ status: 'declared', open: 0, error: null, uncertainty: null });
    expect(inForce).toEqual([row?.iscc_id]);
  } else {
    expect(inForce).toEqual([]);
    if (row !== undefined) expect(row.status).toMatch(/^(skipped|withdrawn)$/);
  }
  const open = (await simulation.all()).filter((entry) => entry.open === 1);
  expect(open).toEqual([]);
}

/** A hub without lookup can't withdraw. If it is unknown what it accepted, the row has an error for the operator. */
async function expectSettledWithoutLookup(simulation: Simulation, name: string): Promise<void> {
  const [manifest, row] = [await simulation.manifest(name), await simulation.declaration(name)];
  if (manifest?.live !== 1) return;
  const inForce = simulation.hub.inForce(gatewayOf(name)).map(({ isccId }) => isccId);
  if (row?.status === 'declared') expect(inForce).toEqual([row.iscc_id]);
  else expect(row).toMatchObject({ status: 'failed', error: ISCC_ID_UNKNOWN });
}
