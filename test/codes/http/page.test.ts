import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CodesServer, startCodes } from '../support/server.js';

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes();
});
afterAll(() => server.close());

test('the page and all its files are served by this server', async () => {
  const page = await fetch(`${server.url}/`);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const loaded = [...(await page.text()).matchAll(/(?:src|href)="(\/static\/[^"]+)"/g)].map(
    ([, path = '']) => path,
  );
  expect(loaded.length).toBeGreaterThanOrEqual(2);
  for (const path of loaded) {
    const file = await fetch(`${server.url}${path}`);
    expect([path, file.status]).toEqual([path, 200]);
    expect([path, file.headers.get('cache-control')]).toEqual([path, 'public, max-age=31536000, immutable']);
    // An instance of another version must not let browsers keep its own content under this address.
    const other = await fetch(`${server.url}${path.replace(/hash=\w+$/, 'hash=0123456789abcdef')}`);
    expect([path, other.status]).toEqual([path, 200]);
    expect(other.headers.get('cache-control')).not.toContain('immutable');
    for (const [, imported] of (await file.text()).matchAll(/from '(\.[^']+)'/g)) {
      const module = await fetch(new URL(imported ?? '', `${server.url}${path}`));
      expect([imported, module.status]).toEqual([imported, 200]);
    }
  }
});

test('scripts and style sheets without a hash in their addresses are asked for again each time', async () => {
  for (const path of ['/static/main.js', '/static/console.css', '/docs/start.js']) {
    const file = await fetch(`${server.url}${path}`);
    expect([path, file.headers.get('cache-control')]).toEqual([path, 'no-cache']);
  }
  for (const path of ['/static/main.js', '/static/console.css', '/docs/swagger-ui.css']) {
    const tag = (await fetch(`${server.url}${path}`)).headers.get('etag') ?? '';
    const again = await fetch(`${server.url}${path}`, { headers: { 'If-None-Match': tag } });
    expect([path, again.status]).toEqual([path, 304]);
  }
  const icon = await fetch(`${server.url}/static/icon.svg`);
  expect(icon.headers.get('cache-control')).toBe('public, max-age=3600');
});

test('no other files are served', async () => {
  for (const path of [
    '/static/',
    '/static/codes/index.html',
    '/static/../package.json',
    '/static/%2e%2e/cli/main.js',
  ]) {
    expect((await fetch(`${server.url}${path}`)).status).toBe(404);
  }
});
