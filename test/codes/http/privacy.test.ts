import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CodesConfig } from '../../../src/platform/config/codes.js';
import { noise, postJson, uploaded } from '../support/client.js';
import { type CodesServer, startCodes } from '../support/server.js';

async function start(config: Partial<CodesConfig>): Promise<CodesServer> {
  const server = await startCodes({ config });
  onTestFinished(() => server.close());
  return server;
}

/** The header that a reverse proxy adds. */
const from = (address: string) => ({ 'X-Forwarded-For': address });

test('only the uploader may download, delete and embed', async () => {
  const { url } = await start({ proxies: 1 });
  const { content, media_id } = await uploaded(url, 'a.bin', noise(10), { headers: from('2001:db8:1:2::1') });
  for (const stranger of ['192.0.2.1', '2001:db8:1:3::1']) {
    const headers = from(stranger);
    const refused = [
      await fetch(content, { headers }),
      await fetch(content, { method: 'HEAD', headers }),
      await fetch(content, { method: 'DELETE', headers }),
      await postJson(url, `/metadata/${media_id}`, { name: 'x' }, headers),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(await refused[0]?.text()).toBe('Forbidden - Only accessible by original uploader.');
    expect((await fetch(`${url}/api/v1/iscc/${media_id}`, { headers })).status).toBe(200);
    expect((await fetch(`${url}/api/v1/metadata/${media_id}`, { headers })).status).toBe(200);
  }
  const sameNetwork = { headers: from('2001:db8:1:2:ffff::2') };
  expect((await fetch(content, sameNetwork)).status).toBe(200);
  expect((await fetch(content, { method: 'DELETE', ...sameNetwork })).status).toBe(204);
});

test('X-Forwarded-For is ignored without a configured proxy', async () => {
  const { url } = await start({ proxies: 0 });
  const { content } = await uploaded(url, 'a.bin', noise(10), { headers: from('192.0.2.1') });
  expect((await fetch(content, { headers: from('192.0.2.2') })).status).toBe(200);
});

test('everyone may download and delete public files', async () => {
  const { url } = await start({ proxies: 1, privateFiles: false });
  const { content } = await uploaded(url, 'a.bin', noise(10), { headers: from('192.0.2.1') });
  expect((await fetch(content, { headers: from('192.0.2.2') })).status).toBe(200);
  expect((await fetch(content, { method: 'DELETE', headers: from('192.0.2.3') })).status).toBe(204);
});

test('client addresses are not stored', async () => {
  const { url, folder } = await start({ proxies: 1 });
  await uploaded(url, 'a.bin', noise(10), { headers: from('198.51.100.77') });
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(path.join(entry.parentPath, entry.name));
    expect(bytes.includes('198.51.100.77')).toBe(false);
  }
});

test('allows cross-origin requests from configured origins', async () => {
  const { url } = await start({ corsOrigins: ['https://app.example'], siteAddress: 'https://iscc.example' });
  const preflight = (origin: string) =>
    fetch(`${url}/api/v1/iscc`, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'x-upload-filename',
      },
    });
  for (const origin of ['https://app.example', 'https://iscc.example']) {
    const allowed = await preflight(origin);
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('access-control-allow-origin')).toBe(origin);
    expect(allowed.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('x-upload-filename');
    expect(allowed.headers.get('access-control-max-age')).toBe('300');
    expect(allowed.headers.get('vary')).toContain('Origin');
  }
  const foreign = await preflight('https://evil.example');
  expect(foreign.status).toBe(400);
  expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  const { content } = await uploaded(url, 'a.bin', noise(10), { headers: { Origin: 'https://app.example' } });
  expect(content).toMatch(/^https:\/\/iscc\.example\/api\/v1\/media\//);
  const local = content.replace('https://iscc.example', url);
  const download = await fetch(local, { headers: { Origin: 'https://app.example' } });
  expect(download.headers.get('access-control-expose-headers')).toMatch(/Location, Content-Disposition/i);
});

test('sends no CORS headers without configured origins', async () => {
  const { url } = await start({});
  const response = await fetch(`${url}/api/v1/explain/ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2`, {
    headers: { Origin: 'https://app.example' },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
});
