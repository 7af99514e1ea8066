/** Requests to the hub that fail in any way: hub and store agree in the end. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ENGINES, type TestDatabases, testDatabases } from '../../support/databases.js';
import type { Fault } from '../../support/hub-server.js';
import { GATEWAY, IMPATIENT, MANIFEST_ID, OTHER_ACTOR, seedForeign } from './support.js';
import { isDeclared, SETTLE, startWithHub, upload } from './with-hub.js';

describe.each(ENGINES)('on %s', (engine) => {
  let databases: TestDatabases;
  beforeAll(async () => {
    databases = await testDatabases(engine);
  });
  afterAll(() => databases.stop());

  const faults: [string, Fault][] = [
    ['is cut before the hub reads it', { processed: false, answer: 'reset' }],
    ['is cut after the hub performed it', { processed: true, answer: 'reset' }],
    ['gets no response in time', { processed: true, answer: 'hang' }],
    ['gets an HTML page', { processed: true, answer: { contentType: 'text/html', body: '<html>' } }],
    ['gets a 500', { processed: true, answer: { status: 500, body: '{}' } }],
    ['is redirected', { processed: false, answer: { status: 302, location: '/health' } }],
  ];
  // The asset has a foreign declaration, so the requests are POST, forced POST and, after the delete, DELETE.
  const steps = [1, 2, 3].flatMap((step) => faults.map(([how, fault]) => ({ step, how, fault })));
  it.each(steps)('hub and store agree in the end if request $step $how', async ({ step, fault }) => {
    const { hub, store } = await startWithHub(databases, fault.answer === 'hang' ? IMPATIENT : {});
    seedForeign(hub.model);
    hub.faults = (_, number) => (number === step ? fault : undefined);
    await upload(store);
    await isDeclared(store);
    const own = hub.model.inForce(GATEWAY);
    expect(own.map(({ isccId }) => isccId)).toEqual([(await upload(store)).declaration.isccId]);
    expect((await store.remove(MANIFEST_ID)).status).toBe(204);
    await vi.waitFor(() => expect(hub.model.inForce(GATEWAY)).toEqual([]), SETTLE);
    expect(hub.model.inForce().map(({ pubkey }) => pubkey)).toEqual([OTHER_ACTOR]);
  });
});
