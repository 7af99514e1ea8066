/** Queries with an asset in processes without the codes service, and without the switch. */
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ResolverClient, StoreClient } from '../../src/client/index.js';
import { servicePorts } from '../support/all-services.js';
import { type ServedProcess, serve } from '../support/serve.js';
import { byContent, byReference, capabilities, picture } from './support.js';

const SERVICES = ['search', 'store', 'resolver'] as const;

async function start(folder: string, variables: Record<string, string>): Promise<ServedProcess> {
  const env = { ...(await servicePorts()), ISCCD_DATA_DIR: folder, TMPDIR: folder, MSTORE_LOG_LEVEL: 'warn' };
  return serve(SERVICES, { cwd: folder, env: { ...env, ...variables } });
}

const temporary = async (folder: string) =>
  (await readdir(folder)).filter((name) => name.startsWith('isccd-content-'));

describe('without the codes service in the process', () => {
  let folder: string;
  let services: ServedProcess;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-content-test-'));
    services = await start(folder, { MSTORE_BY_CONTENT: '1', RESOLVER_BY_CONTENT: '1' });
  }, 60_000);
  afterAll(async () => {
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('codes assets with one worker pool of its own, and removes its folder at the end', async () => {
    const asset = await picture(1);
    const { body } = await byContent(services.urls.store, asset);
    expect(body).toEqual({ iscc: expect.stringMatching(/^ISCC:KE/), matches: [] });
    expect((await byContent(services.urls.resolver, asset)).body.iscc).toBe(body.iscc);
    const clients = [new StoreClient(services.urls.store), new ResolverClient(services.urls.resolver)];
    for (const client of clients) expect(await client.queryByContent(asset)).toMatchObject(body);
    expect(await temporary(folder)).toHaveLength(1);
    await services.stop();
    expect(await temporary(folder)).toEqual([]);
  });
});

describe('without the switch', () => {
  let folder: string;
  let services: ServedProcess;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'isccd-content-test-'));
    services = await start(folder, {});
  }, 60_000);
  afterAll(async () => {
    await services.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('has neither the routes nor the capabilities', async () => {
    for (const url of [services.urls.store, services.urls.resolver]) {
      expect((await byContent(url, await picture(1))).status).toBe(404);
      expect((await byReference(url, {})).status).toBe(404);
      expect(await capabilities(url)).not.toContain('queryByContent');
    }
    expect(await temporary(folder)).toEqual([]);
  });
});

describe('SIGTERM during a query', () => {
  it('lets the query use the other services of the process to its end', { timeout: 60_000 }, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'isccd-content-test-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const env = { ...(await servicePorts()), ISCCD_DATA_DIR: folder, RESOLVER_BY_CONTENT: '1' };
    const services = await serve(['codes', 'search', 'resolver'], { cwd: folder, env });
    onTestFinished(() => services.kill());
    const asset = await picture(1);
    const request = http.request(`${services.urls.resolver}/v1/matches/byContent`, {
      method: 'POST',
      headers: { 'Content-Type': 'image/png', 'Content-Length': asset.length },
    });
    const answer = once(request, 'response') as Promise<[http.IncomingMessage]>;
    await new Promise((resolve) => request.write(asset.subarray(0, 100), resolve));
    // A later request is answered, so the service has this one.
    expect((await fetch(`${services.urls.resolver}/healthz`)).status).toBe(200);
    const stopped = services.stop();
    await expect.poll(() => fetch(`${services.urls.codes}/healthz`).catch(() => 'refused')).toBe('refused');
    request.end(asset.subarray(100));
    const [response] = await answer;
    expect(response.statusCode).toBe(200);
    response.resume();
    await stopped;
  });
});
