/** Who may check files at the resolver, and how many. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { textCode } from '../../src/library/index.js';
import { native } from '../../src/native.js';
import { freePorts } from '../support/free-ports.js';
import { serve } from '../support/serve.js';

const BYTES_MAX = 1000;

async function started(environment: Record<string, string>) {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-check-'));
  const [codes, search, resolver] = await freePorts(3);
  const env = {
    CODEWEB_PORT: String(codes),
    CODEWEB_MAX_UPLOAD_SIZE: String(BYTES_MAX),
    INDEXSVC_PORT: String(search),
    RESOLVER_PORT: String(resolver),
    ISCCD_DATA_DIR: folder,
    ...environment,
  };
  const served = await serve(['codes', 'search', 'resolver'], { cwd: folder, env });
  onTestFinished(async () => {
    await served.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return `http://127.0.0.1:${resolver}/check`;
}

const send = (url: string) => fetch(url, { method: 'POST', body: 'words of a text' });

it.each<[where: string, environment: Record<string, string>]>([
  ['behind a proxy', { RESOLVER_NUM_PROXIES: '1' }],
  ['on all addresses', { RESOLVER_HOST: '0.0.0.0' }],
])(
  'a resolver %s checks no files unless RESOLVER_BY_CONTENT is on',
  async (_, environment) => {
    const off = await started(environment);
    expect(await (await fetch(`${off}/settings`)).json()).toEqual({ bytesMax: 0, rights: false });
    expect((await send(off)).status).toBe(404);
    const on = await started({ ...environment, RESOLVER_BY_CONTENT: 'true' });
    expect(await (await fetch(`${on}/settings`)).json()).toEqual({ bytesMax: BYTES_MAX, rights: false });
    expect((await send(on)).status).toBe(200);
  },
  60_000,
);

it('a resolver that only this machine reaches checks a limited number of files per minute', async () => {
  const url = await started({});
  expect(await (await fetch(`${url}/settings`)).json()).toEqual({ bytesMax: BYTES_MAX, rights: false });
  const tooLarge = await fetch(url, { method: 'POST', body: 'x'.repeat(BYTES_MAX + 1) });
  expect(tooLarge.status).toBe(413);
  const statuses = new Set<number>();
  // Windows begin at full minutes, so this many exceed the limit even if one minute ends meanwhile.
  for (let sent = 0; sent < 61; sent += 1) {
    const response = await send(url);
    statuses.add(response.status);
    const body = await response.json();
    if (response.status === 200) expect(body).toMatchObject({ matches: [], mediatype: 'text/plain' });
    if (response.status !== 429) continue;
    expect(body).toEqual({ detail: 'Rate limit exceeded' });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect([...statuses]).toEqual([200, 429]);
}, 60_000);

it('manifests that match units are looked up without a file, also where no files are checked', async () => {
  const url = `${await started({ RESOLVER_HOST: '0.0.0.0' })}/binding`;
  const ask = (body: unknown) => fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const { iscc } = await textCode('words of a text', 256);
  const value = native.encodeSeq([iscc]).toString('base64');
  const found = await ask({ alg: 'io.iscc.v0', value });
  expect([found.status, await found.json()]).toEqual([200, { matches: [] }]);
  for (const [body, detail] of [
    [{ alg: 'io.iscc.v0', value: '?' }, /^value is not valid base64/],
    [{ alg: 'io.iscc.v0', value: 'AAAA' }, /^Value/],
    [{ value }, /^Invalid JSON body$/],
  ] as const) {
    const refused = await ask(body);
    expect([refused.status, await refused.json()]).toEqual([400, { detail: expect.stringMatching(detail) }]);
  }
}, 60_000);
