/** Operators retry declarations at a hub that fails and recovers; background retries are off. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Accounts } from '../../src/services/dashboard/accounts/accounts.js';
import { openDatabase } from '../../src/storage/database/open.js';
import { DECLARED, GATEWAY, hubEnvironment, MANIFEST_ID } from '../store/declarations/support.js';
import { acceptedSidecars, bytesOf, sidecar } from '../store/support/fixtures.js';
import { type StoreClient, startStore } from '../store/support/server.js';
import { ENGINES, type TestDatabases, testDatabases } from '../support/databases.js';
import { type Fault, HubServer } from '../support/hub-server.js';
import { OPERATOR, PASSWORD } from './support/dashboard.js';
import { type Fields, Visitor } from './support/visitor.js';

const LIST = '/admin/manifests/';
/** Further sidecars with a declaration. */
const OTHERS = acceptedSidecars().filter(
  ({ expect: { manifestId, indexed } }) =>
    manifestId !== MANIFEST_ID && indexed?.some(({ alg }) => alg === 'io.iscc.v0'),
);
const DOWN: Fault = { processed: false, answer: 'reset' };
const REFUSING: Fault = {
  processed: false,
  answer: {
    status: 422,
    body: JSON.stringify({ error: { code: 'did_required', message: 'no did, no id' } }),
  },
};

describe.each(ENGINES)('on %s', (engine) => {
  let databases: TestDatabases;
  let hub: HubServer;
  let store: StoreClient;
  let visitor: Visitor;
  let key: string;
  beforeAll(async () => {
    databases = await testDatabases(engine);
    const place = await databases.create();
    hub = new HubServer();
    const seconds = { MSTORE_RETRY_SECONDS: '86400', MSTORE_HUB_TIMEOUT: '5' };
    store = await startStore(place, { ...hubEnvironment(await hub.listen()), ...seconds });
    const { db, close } = await openDatabase(place.url, place.dataDir);
    await new Accounts(db).add(OPERATOR, PASSWORD, 'deleter', { kind: 'command' });
    await close();
    visitor = new Visitor(store.url);
    await visitor.login();
  });
  afterAll(async () => {
    await store?.stop();
    await hub?.close();
    await databases?.stop();
  });

  /** Performs an action with confirmation; returns the message of the dashboard. */
  async function act(action: string, keys = [key], id = MANIFEST_ID): Promise<string> {
    const fields: Fields = [
      ['csrf', await visitor.csrf(LIST)],
      ['action', action],
      ...keys.map((one) => ['key', one] as const),
    ];
    const confirmation = await visitor.post(LIST, fields);
    expect(await confirmation.text()).toContain(id);
    expect((await visitor.post(LIST, [...fields, ['confirmed', 'yes']])).status).toBe(302);
    return /role="status"[^>]*>\s*([^<]*?)\s*</.exec(await visitor.text(LIST))?.[1] ?? '';
  }
  const detail = () => visitor.text(`${LIST}${key}/`);
  const listedAs = async (status: string) =>
    (await visitor.text(`${LIST}?status=${status}`)).includes(MANIFEST_ID);

  it('a retry attempts a failed declaration', async () => {
    hub.faults = () => DOWN;
    await store.upload(bytesOf(sidecar(DECLARED)));
    [, key = ''] = /href="\/admin\/manifests\/(\d+)\/"/.exec(await visitor.text(LIST)) ?? [];
    expect(await listedAs('pending')).toBe(true);
    hub.faults = () => REFUSING;
    expect(await act('retry')).toBe('1 manifest retried.');
    expect(await listedAs('failed')).toBe(true);
    expect(await detail()).toContain('no did, no id');
    hub.faults = () => undefined;
    expect(await act('retry')).toBe('1 manifest retried.');
    expect(await listedAs('declared')).toBe(true);
    const [declared] = hub.model.inForce(GATEWAY);
    expect(await detail()).toContain(declared?.isccId);
    expect(hub.model.inForce().length).toBe(1);
  });

  it('a retry skips a declared manifest', async () => {
    const before = hub.requests.length;
    expect(await act('retry')).toBe('0 manifests retried, 1 skipped.');
    expect(hub.requests.length).toBe(before);
  });

  it('a retry attempts a failed withdrawal, and only then the id can be released', async () => {
    hub.faults = () => DOWN;
    expect(await act('delete')).toBe('1 manifest deleted.');
    expect((await store.get(MANIFEST_ID)).status).toBe(410);
    await expect.poll(() => hub.trace().at(-1)).toMatch(/^DELETE /);
    expect(await act('release')).toBe('0 manifests released, 1 skipped.');
    expect(await listedAs('declared')).toBe(true);
    hub.faults = () => undefined;
    await expect.poll(() => act('retry')).toBe('1 manifest retried.');
    expect(hub.model.inForce()).toEqual([]);
    expect(await listedAs('withdrawn')).toBe(true);
    expect(await act('release')).toBe('1 manifest released.');
    expect((await store.get(MANIFEST_ID)).status).toBe(404);
  });

  const [other, ...more] = OTHERS;
  if (other === undefined) throw new Error('there are too few sidecars');
  const otherId = other.expect.manifestId;

  it('control characters in a hub’s message are stored as blanks', async () => {
    const error = { code: 'did_required', message: 'no\u0000did' };
    hub.faults = () => ({ processed: false, answer: { status: 422, body: JSON.stringify({ error }) } });
    await store.upload(bytesOf(other));
    [, key = ''] = /href="\/admin\/manifests\/(\d+)\/"/.exec(await visitor.text(LIST)) ?? [];
    expect(await detail()).toContain('422 did_required: no did');
  });

  it('a failed attempt stores its error and does not block the next one', async () => {
    hub.faults = () => undefined;
    await store.upload(bytesOf(sidecar(DECLARED)));
    const [declared] = hub.model.inForce(GATEWAY);
    const body = JSON.stringify({ iscc_id: declared?.isccId });
    // Like a hub that lost its data: the ISCC-ID of another declaration.
    hub.faults = () => ({ processed: false, answer: { status: 201, body } });
    expect(await act('retry', [key], otherId)).toBe('1 manifest retried.');
    expect(await detail()).toContain('the attempt failed');
    hub.faults = () => undefined;
    expect(await act('retry', [key], otherId)).toBe('1 manifest retried.');
    expect(await detail()).not.toContain('attempt failed');
  });

  it('a long retry continues after the response', { timeout: 120_000 }, async () => {
    hub.faults = () => DOWN;
    const many = more.slice(0, 6);
    for (const one of many) await store.upload(bytesOf(one));
    const keys = [...(await visitor.text(`${LIST}?status=pending`)).matchAll(/manifests\/(\d+)\/"/g)];
    hub.faults = async () => {
      await new Promise((resolve) => setTimeout(resolve, 2000));
      return undefined;
    };
    const before = hub.model.inForce().length;
    const message = await act(
      'retry',
      keys.map(([, one = '']) => one),
      many[0]?.expect.manifestId,
    );
    expect(message).toMatch(/^\d manifests? retried, \d being retried now\.$/);
    const settled = () => hub.model.inForce().length - before;
    expect(settled()).toBeLessThan(many.length);
    hub.faults = () => undefined;
    await expect.poll(settled, { timeout: 60_000 }).toBe(many.length);
  });

  it.each(['a\0b', '\0'])('%j in a login or search is not sent to the database', async (text) => {
    const stranger = new Visitor(store.url);
    expect((await stranger.login(text, text)).status).toBe(200);
    const list = await visitor.get(`${LIST}?q=${encodeURIComponent(text)}`);
    expect(list.status).toBe(200);
  });
});
