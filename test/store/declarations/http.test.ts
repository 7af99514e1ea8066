/** The store over HTTP with a hub that checks signatures and fetches the did document. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../src/storage/database/open.js';
import { ENGINES, type TestDatabases, testDatabases } from '../../support/databases.js';
import { bytesOf, sidecar } from '../support/fixtures.js';
import { freshBinding } from '../support/fresh-manifest.js';
import { OPERATOR_TOKEN, type Place, type StoreClient } from '../support/server.js';
import { DECLARED, GATEWAY, IMPATIENT, MANIFEST_ID } from './support.js';
import { isDeclared, SETTLE, startWithHub, upload } from './with-hub.js';

describe.each(ENGINES)('on %s', (engine) => {
  let databases: TestDatabases;
  beforeAll(async () => {
    databases = await testDatabases(engine);
  });
  afterAll(() => databases.stop());

  const start = (environment?: Record<string, string>) => startWithHub(databases, environment);

  it('an upload is declared once', async () => {
    const { hub, store } = await start();
    const answer = await upload(store);
    const [entry] = hub.model.log;
    expect(answer).toEqual({
      manifestId: MANIFEST_ID,
      manifestUrl: GATEWAY,
      declaration: { status: 'declared', isccId: entry?.isccId, hub: expect.stringContaining('127.0.0.1') },
      bindings: { indexed: expect.any(Number), skipped: [] },
    });
    expect(entry?.gateway).toBe(GATEWAY);
    expect(await upload(store, '?declare=false')).toEqual(answer);
    expect(hub.trace()).toEqual(['POST /declaration']);
    const [binding] = sidecar(DECLARED).expect.indexed ?? [];
    const { body } = await store.query(binding?.alg ?? '', binding?.value ?? '');
    expect(body.matches?.[0]).toMatchObject({ manifestId: MANIFEST_ID, isccId: entry?.isccId });
  });

  it('a manifest that names no ISCC is declared when it gets one, unless the request does not want that', async () => {
    const { hub, store } = await start();
    const item = sidecar('ok-no-soft-binding');
    const response = await store.upload(bytesOf(item));
    expect(await response.json()).toMatchObject({ declaration: { status: 'skipped' } });
    const bind = (query: string, value: Buffer) =>
      fetch(`${store.url}/v1/bindings${query}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${OPERATOR_TOKEN}` },
        body: JSON.stringify({
          manifestId: item.expect.manifestId,
          alg: 'io.iscc.v0',
          bindingValue: value.toString('base64'),
        }),
      });
    expect((await bind('?declare=false', freshBinding())).status).toBe(204);
    expect(hub.model.log).toEqual([]);
    const value = freshBinding();
    expect((await bind('', value)).status).toBe(204);
    await vi.waitFor(() => expect(hub.model.log).toHaveLength(1), SETTLE);
    const matches = async () => (await store.query('io.iscc.v0', value.toString('base64'))).body.matches;
    await vi.waitFor(
      async () =>
        expect(await matches()).toMatchObject([
          { manifestId: item.expect.manifestId, isccId: hub.model.log[0]?.isccId },
        ]),
      SETTLE,
    );
    // A further ISCC changes nothing at the hub.
    expect((await bind('?declare=true', freshBinding())).status).toBe(204);
    expect(hub.model.log).toHaveLength(1);
  });

  it('requests to the hub continue the trace of the client', async () => {
    const { hub, store } = await start();
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    // On a slow machine, the store responds before the hub has.
    const methods = () => hub.requests.map(({ method }) => method);
    await store.upload(bytesOf(sidecar(DECLARED)), '', headers);
    await expect.poll(methods, { timeout: 20_000 }).toEqual(['POST']);
    await store.remove(MANIFEST_ID, undefined, headers);
    await expect.poll(methods, { timeout: 20_000 }).toEqual(['POST', 'DELETE']);
    const sent = hub.requests.map(({ headers }) => String(headers.traceparent));
    for (const header of sent) expect(header).toMatch(new RegExp(`^00-${traceId}-[\\da-f]{16}-01$`));
    expect(new Set([...sent, headers.traceparent]).size).toBe(3);
  });

  it('an upload is declared only on request if MSTORE_DECLARE_DEFAULT is false', async () => {
    const { hub, store } = await start({ MSTORE_DECLARE_DEFAULT: 'false' });
    expect((await upload(store)).declaration).toEqual({ status: 'skipped' });
    expect((await upload(store, '?declare=1')).declaration).toEqual({ status: 'skipped' });
    expect(hub.trace()).toEqual([]);
    const other = await start({ MSTORE_DECLARE_DEFAULT: 'false' });
    expect((await upload(other.store, '?declare=TRUE')).declaration.status).toBe('declared');
  });

  it('an upload with declare=false is not declared', async () => {
    const { hub, store } = await start();
    expect((await upload(store, '?declare=false')).declaration).toEqual({ status: 'skipped' });
    expect(hub.trace()).toEqual([]);
  });

  it.each(['MSTORE_SECKEY', 'MSTORE_HUB_URL'])('the store does not declare without %s', async (name) => {
    const { store } = await start({ [name]: '' });
    expect((await upload(store)).declaration).toEqual({ status: 'disabled' });
    const document = await fetch(`${store.url}/.well-known/did.json`);
    expect([document.status, await document.json()]).toEqual([404, { detail: 'Not found' }]);
  });

  it('the did document is public', async () => {
    const { store } = await start();
    const response = await fetch(`${store.url}/.well-known/did.json`);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toMatchObject({ id: 'did:web:store.example' });
  });

  it('a declaration is retried if the hub is down', async () => {
    const { hub, store, place } = await start();
    hub.faults = () => ({ processed: false, answer: 'reset' });
    expect((await upload(store)).declaration).toEqual({ status: 'pending', hub: expect.any(String) });
    await expectDegradedWhenOld(store, place);
    hub.faults = () => undefined;
    await isDeclared(store);
    expect(hub.model.inForce(GATEWAY).length).toBe(1);
    expect(await store.json('/v1/services/status')).toMatchObject({ status: 'ok' });
  });

  it('a declaration is retried if the hub refuses it', async () => {
    const { hub, store } = await start();
    const body = JSON.stringify({ error: { code: 'did_required', message: 'no' } });
    hub.faults = () => ({ processed: false, answer: { status: 422, body } });
    expect((await upload(store)).declaration).toEqual({ status: 'failed', hub: expect.any(String) });
    hub.faults = () => undefined;
    await isDeclared(store);
  });

  it('a delete withdraws the declaration', async () => {
    const { hub, store } = await start();
    await upload(store);
    expect((await store.remove(MANIFEST_ID)).status).toBe(204);
    expect(hub.model.inForce()).toEqual([]);
    expect((await store.get(MANIFEST_ID)).status).toBe(410);
  });

  it('a delete does not wait for a hub that hangs; the withdrawal follows later', async () => {
    const { hub, store } = await start(IMPATIENT);
    await isDeclared(store);
    hub.faults = () => ({ processed: false, answer: 'hang' });
    expect((await store.remove(MANIFEST_ID)).status).toBe(204);
    expect(hub.model.inForce().length).toBe(1);
    hub.faults = () => undefined;
    await vi.waitFor(() => expect(hub.model.inForce()).toEqual([]), SETTLE);
  });
});

/** Sets the upload time 16 minutes back. */
async function expectDegradedWhenOld(store: StoreClient, { url, dataDir }: Place): Promise<void> {
  const status = async () => (await store.json('/v1/services/status')) as { status: string };
  expect(await status()).toMatchObject({ status: 'ok' });
  const { db, close } = await openDatabase(url, dataDir);
  await db
    .updateTable('manifests')
    .set({ uploaded_at: Date.now() - 16 * 60_000 })
    .execute();
  await close();
  expect(await status()).toMatchObject({ status: 'degraded' });
}
