/** Watches for manifests over HTTP, with the search service in the same process and in another one. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NotFound } from '../../src/client/errors.js';
import { ResolverClient } from '../../src/client/resolver-client.js';
import { type RunningServices, startServices } from '../../src/compose/start.js';
import type { RunningServer } from '../../src/http/server.js';
import { native } from '../../src/native.js';
import { nextEvents } from '../search/support/watch-stream.js';
import { startResolver } from './support/resolver.js';

const NAMES = ['codes', 'search', 'store', 'resolver'] as const;
const TOKEN = 'operator';
/** Long enough for an event that must not come. */
const QUIET_MS = 1500;

/** Random content: its Data-Code and Instance-Code. */
const content = () => [3, 4].map((main) => native.encodeUnit(main, 0, 0, 256, randomBytes(32)));
const secretId = () => randomBytes(18).toString('base64url');

let signer: { chainPem: string; keyPem: string };
/** A manifest of a content; its id is random. */
function manifestOf(units: readonly string[]): Promise<Buffer> {
  const bindings = [{ alg: 'io.iscc.v0', value: native.encodeSeq([...units]) }];
  const assetHash = createHash('sha256').update(units.join()).digest();
  const asset = { title: 'a', format: 'image/jpeg', assetHash };
  return native.signManifest({ ...signer, algorithm: 'es256', ...asset, bindings });
}

let folder: string;
let services: RunningServices;
const environment: Record<string, string> = {};
const url = (name: (typeof NAMES)[number]) => services.servers.get(name)?.url ?? '';
beforeAll(async () => {
  signer = await native.makeTestCertificate('es256', 'isccd test');
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-manifest-watches-'));
  const prefixes = ['CODEWEB', 'INDEXSVC', 'MSTORE', 'RESOLVER'];
  const quiet = prefixes.map((prefix) => ({ [`${prefix}_PORT`]: '0', [`${prefix}_LOG_LEVEL`]: 'silent' }));
  Object.assign(environment, ...quiet, {
    ISCCD_DATA_DIR: folder,
    APP_SECRET_KEY: 'secret',
    MSTORE_URL: 'http://127.0.0.1:1',
    MSTORE_UNTHROTTLED: '127.0.0.1',
    MSTORE_OPERATOR_TOKEN_SHA256: createHash('sha256').update(TOKEN).digest('hex'),
    INDEXSVC_WEBHOOK_KEY: 'a secret of these tests, of more than enough characters',
    RESOLVER_WATCHES: '1',
  });
  services = await startServices(NAMES, { environment });
});
afterAll(async () => {
  await services.stop();
  await rm(folder, { recursive: true, force: true });
});

const upload = async (bytes: Buffer) => {
  const headers = { 'Content-Type': 'application/c2pa' };
  const response = await fetch(`${url('store')}/v1/manifests`, { method: 'POST', headers, body: bytes });
  expect(response.status).toBe(200);
  return (await response.json()) as { manifestId: string; manifestUrl: string };
};
const send = async (method: string, address: string, body?: object) => {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(address, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  const value = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  return { status: response.status, value };
};
const addressesAt = async (watch: string, count: number, quietMs = 0) =>
  (await nextEvents(watch, count, { quietMs })).map(({ data }) => data.value);

it('reports each manifest of a content once, also across a restart', { timeout: 120_000 }, async () => {
  const units = content();
  const id = secretId();
  const watch = () => `${url('resolver')}/v1/watches/${id}`;
  const early = await manifestOf(units);
  await upload(early);
  expect(await send('PUT', watch(), { iscc: units[0] as string })).toMatchObject({
    status: 200,
    value: { id, units: [units[0]] },
  });
  const first = await upload(await manifestOf(units));
  await upload(await manifestOf(content()));
  expect(await addressesAt(watch(), 1, QUIET_MS)).toEqual([first.manifestUrl]);
  await services.stop();
  services = await startServices(NAMES, { environment });
  const second = await upload(await manifestOf(units));
  const events = await nextEvents(watch(), 2, { quietMs: QUIET_MS });
  expect(events.map(({ data }) => data.value)).toEqual([first.manifestUrl, second.manifestUrl]);
  expect(events.map(({ type }) => type)).toEqual(['asset.added', 'asset.added']);
  const rest = await nextEvents(watch(), 1, { after: events[0]?.id as string });
  expect(rest).toEqual(events.slice(1));
});

it('does not report a manifest again that is deleted and stored again', { timeout: 60_000 }, async () => {
  const units = content();
  const watch = `${url('resolver')}/v1/watches/${secretId()}`;
  await send('PUT', watch, { iscc: units[0] as string });
  const bytes = await manifestOf(units);
  const { manifestId, manifestUrl } = await upload(bytes);
  expect(await addressesAt(watch, 1)).toEqual([manifestUrl]);
  const gone = await fetch(`${url('store')}/v1/manifests/${encodeURIComponent(manifestId)}`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${TOKEN}` },
  });
  expect(gone.status).toBeLessThan(300);
  const next = await upload(await manifestOf(units));
  expect(await addressesAt(watch, 2, QUIET_MS)).toEqual([manifestUrl, next.manifestUrl]);
});

describe('with the search service in another process', () => {
  let resolver: RunningServer;
  beforeAll(async () => {
    resolver = await startResolver({ RESOLVER_SEARCH_URL: url('search'), RESOLVER_WATCHES: '1' });
  });
  afterAll(async () => {
    await resolver.stop();
  });
  const at = (id: string) => `${resolver.url}/v1/watches/${id}`;

  it('watches the content of a declaration, with a webhook', { timeout: 60_000 }, async () => {
    const units = content();
    await upload(await manifestOf(units));
    const value = native.encodeSeq([...units]).toString('base64');
    const query = new URLSearchParams({ alg: 'io.iscc.v0', value });
    const found = await fetch(`${url('resolver')}/v1/matches/byBinding?${query}`);
    const { matches } = (await found.json()) as { matches: { isccId: string }[] };
    const [id, webhook] = [secretId(), 'https://receiver.example/hook'];
    const made = await send('PUT', at(id), { iscc: matches[0]?.isccId, minScore: 95, webhook });
    expect(made).toMatchObject({ status: 200, value: { units, minScore: 95, webhook } });
    expect(made.value.secret).toMatch(/^whsec_/);
    const { manifestUrl } = await upload(await manifestOf(units));
    expect(await addressesAt(at(id), 1)).toEqual([manifestUrl]);
    const { value: shown } = await send('GET', at(id));
    expect(shown).toMatchObject({ id, delivery: { delivered: 0 } });
    expect(shown).not.toHaveProperty('secret');
    expect((await send('DELETE', at(id))).status).toBe(204);
    for (const [method, place] of [
      ['GET', at(id)],
      ['DELETE', at(id)],
      ['GET', `${at(id)}/events`],
    ] as const)
      expect(await send(method, place)).toEqual({
        status: 404,
        value: { detail: 'The watch does not exist' },
      });
  });

  it('serves the client of Node.js', { timeout: 60_000 }, async () => {
    const [client, id, units] = [new ResolverClient(resolver.url), secretId(), content()];
    const made = await client.putManifestWatch(id, { iscc: units[0] as string });
    expect(made).toMatchObject({ id, units: [units[0]] });
    expect(await client.getManifestWatch(id)).toEqual(made);
    const { manifestUrl } = await upload(await manifestOf(units));
    const stop = new AbortController();
    const seen: unknown[] = [];
    for await (const event of client.manifestWatchEvents(id, undefined, { signal: stop.signal })) {
      seen.push(event);
      stop.abort();
    }
    expect(seen).toMatchObject([{ type: 'asset.added', data: { value: manifestUrl } }]);
    await client.deleteManifestWatch(id);
    await expect(client.getManifestWatch(id)).rejects.toThrow(NotFound);
  });

  it('refuses what breaks a rule, and says which', async () => {
    const id = secretId();
    const [unit] = content();
    const cases = [
      ['short', { iscc: unit }, /22 to 54/],
      [id, { iscc: 'ISCC:AAAA' }, /ISCC-CODE or ISCC-UNIT/],
      [id, { iscc: unit, minScore: 101 }, /minScore must be an integer from 0 to 100/],
      [id, { iscc: unit, webhook: 'http://127.0.0.1/' }, /webhook/],
      [id, { iscc: unit, more: 1 }, /more/],
    ] as const;
    for (const [name, body, rule] of cases) {
      const { status, value } = await send('PUT', at(name), body);
      expect([status, value.detail]).toEqual([400, expect.stringMatching(rule)]);
    }
    const missing = await send('PUT', at(id), { iscc: 'ISCC:MAIGIIFJRDGEQQAA' });
    expect([missing.status, missing.value.detail]).toEqual([
      404,
      expect.stringContaining('ISCC-CODE instead'),
    ]);
  });

  it('has no routes unless they are on, and returns 503 without the search service', async () => {
    const off = await startResolver({ RESOLVER_SEARCH_URL: url('search') });
    const lost = await startResolver({ RESOLVER_SEARCH_URL: 'http://127.0.0.1:1', RESOLVER_WATCHES: '1' });
    const [unit] = content();
    const place = `/v1/watches/${secretId()}`;
    expect((await send('PUT', off.url + place, { iscc: unit })).status).toBe(404);
    expect((await send('PUT', lost.url + place, { iscc: unit })).status).toBe(503);
    await Promise.all([off.stop(), lost.stop()]);
  });
});
