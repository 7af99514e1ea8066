/** The life of a manifest: uploaded, found, declared, shown in the dashboard, deleted, withdrawn. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATOR, PASSWORD } from '../admin/support/dashboard.js';
import { Visitor } from '../admin/support/visitor.js';
import { isccd } from '../support/command.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { HubServer } from '../support/hub-server.js';
import { DECLARED, GATEWAY, hubEnvironment, MANIFEST_ID } from './declarations/support.js';
import { bytesOf, sidecar } from './support/fixtures.js';
import { type StoreProcess, startStoreProcess } from './support/process.js';
import { storeEnvironment } from './support/server.js';

const bytes = bytesOf(sidecar(DECLARED));
const [binding] = sidecar(DECLARED).expect.indexed ?? [];

describe.each(ENGINES)('on %s', (engine) => {
  let databases: TestDatabases;
  let hub: HubServer;
  let store: StoreProcess;
  let visitor: Visitor;
  beforeAll(async () => {
    databases = await testDatabases(engine);
    const place = await databases.create();
    hub = new HubServer({
      resolveDid: async () => (await fetch(`${store.url}/.well-known/did.json`)).json(),
    });
    store = await startStoreProcess(place, hubEnvironment(await hub.listen()));
    const env = storeEnvironment(place);
    const account = ['store', 'account', 'add', OPERATOR, '--can-delete', '--password-stdin'];
    expect((await isccd(account, { env, input: `${PASSWORD}\n` })).code).toBe(0);
    visitor = new Visitor(store.url);
    await visitor.login();
  });
  afterAll(async () => {
    await store?.stop();
    await hub?.close();
    await databases?.stop();
  });

  it('a manifest is uploaded with the headers of curl', async () => {
    const { status, body } = await posted(`${store.url}/v1/manifests`, bytes);
    // On a busy machine the answer does not wait until the hub has responded.
    const declaration = { status: expect.stringMatching(/^(declared|pending)$/), hub: expect.any(String) };
    expect([status, JSON.parse(body)]).toMatchObject([
      200,
      {
        manifestId: MANIFEST_ID,
        manifestUrl: GATEWAY,
        declaration,
        bindings: { indexed: 1, skipped: [] },
      },
    ]);
    await expect.poll(() => hub.model.inForce(GATEWAY)).toHaveLength(1);
  });

  it('it is fetched by its id', async () => {
    const answer = await store.get(MANIFEST_ID);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/c2pa']);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('it is found by its ISCC value, with the ISCC-ID of its declaration', async () => {
    const [declared] = hub.model.inForce(GATEWAY);
    const query = new URLSearchParams({ alg: 'io.iscc.v0', value: binding?.value ?? '' });
    await expect
      .poll(() => store.json(`/v1/matches/byBinding?${query}`))
      .toEqual({
        matches: [{ manifestId: MANIFEST_ID, similarityScore: 100, isccId: declared?.isccId }],
      });
  });

  it('it is declared at the hub, which checks the signature', () => {
    expect(hub.trace()).toEqual(['POST /declaration']);
    expect(hub.model.inForce().map(({ gateway }) => gateway)).toEqual([GATEWAY]);
  });

  it('the dashboard shows it', async () => {
    const [declared] = hub.model.inForce(GATEWAY);
    const list = await visitor.text('/admin/manifests/');
    for (const shown of [MANIFEST_ID, declared?.isccId]) expect(list).toContain(shown);
    expect(list).toContain('1 manifest');
    const overview = (await visitor.text('/admin/')).replace(/<[^>]+>|\s+/g, ' ').replace(/ +/g, ' ');
    expect(overview).toContain('Live 1 Deleted 0');
    expect(overview).toContain('declared 1');
  });

  it('a delete removes it and withdraws its declaration', async () => {
    expect((await store.remove(MANIFEST_ID)).status).toBe(204);
    const gone = await store.get(MANIFEST_ID);
    expect([gone.status, await gone.json()]).toEqual([410, { detail: 'Manifest was deleted' }]);
    expect((await store.query('io.iscc.v0', binding?.value ?? '')).body).toEqual({ matches: [] });
    expect(hub.trace()).toEqual(['POST /declaration', expect.stringMatching(/^DELETE \/declaration\/ISCC/)]);
    expect(hub.model.inForce()).toEqual([]);
    expect(await visitor.text('/admin/manifests/?deleted=yes&status=withdrawn')).toContain(MANIFEST_ID);
  });
});

/** Sends the headers of `curl --data-binary @file -H 'Content-Type: application/c2pa' URL`. */
async function posted(url: string, body: Buffer): Promise<{ status: number; body: string }> {
  const headers = {
    Host: new URL(url).host,
    'User-Agent': 'curl/7.88.1',
    Accept: '*/*',
    'Content-Type': 'application/c2pa',
    'Content-Length': body.length,
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent: false }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }), reject);
    });
    sent.on('error', reject).end(body);
  });
}
