/** What one client may upload in a period, and what uploads leave free on the disk. */
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { type CodesConfig, readCodesConfig } from '../../../src/platform/config/codes.js';
import { startCodes } from '../support/server.js';

const HOUR = 3600;

/** Sends a file, with its length or in chunks. */
async function started(config: Partial<CodesConfig>) {
  const server = await startCodes({ config });
  onTestFinished(() => server.close());
  return async (bytes: number, { path = 'media', chunked = false } = {}) => {
    const whole = new Uint8Array(bytes).fill(1);
    const body = chunked ? new Blob([whole]).stream() : whole;
    const url = `${server.url}/api/v1/${path}?filename=a.bin`;
    const response = await fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit);
    return [response.status, response.headers.get('retry-after'), await response.text()] as const;
  };
}

it('limits uploads of one client, with the variable and the time to wait in the response', async () => {
  const send = await started({ rateWrite: { count: 2, periodSeconds: HOUR } });
  expect((await send(10))[0]).toBe(201);
  expect((await send(10, { path: 'iscc' }))[0]).toBe(201);
  const [status, wait, text] = await send(10, { path: 'iscc' });
  expect(status).toBe(429);
  expect(Number(wait)).toBeGreaterThan(0);
  expect(Number(wait)).toBeLessThanOrEqual(HOUR);
  expect(text).toMatch(/^Too Many Requests .*CODEWEB_RATE_WRITE.* try again in \d+ s\.$/);
});

it('limits bytes of one client, whether the length is declared or not', async () => {
  for (const chunked of [false, true]) {
    const send = await started({ rateBytes: { count: 1000, periodSeconds: HOUR } });
    expect((await send(600, { chunked }))[0]).toBe(201);
    // It reaches the limit.
    expect((await send(600, { chunked }))[0]).toBe(201);
    const [status, , text] = await send(1, { chunked });
    expect([status, text]).toEqual([429, expect.stringContaining('CODEWEB_RATE_BYTES')]);
  }
});

it('does not limit exempt networks, nor anyone by default', async () => {
  const exempt = await started({
    rateWrite: { count: 1, periodSeconds: HOUR },
    unthrottled: ['127.0.0.0/8', '::1/128'],
  });
  for (let at = 0; at < 3; at += 1) expect((await exempt(10))[0]).toBe(201);
  const free = await started({});
  for (let at = 0; at < 3; at += 1) expect((await free(10))[0]).toBe(201);
});

it('leaves a reserve of the disk to others', async () => {
  const { bavail, bsize } = await statfs(tmpdir());
  const free = bavail * bsize;
  const full = await started({ diskReserveBytes: free * 2 });
  const [status, , text] = await full(10);
  expect([status, text]).toEqual([507, expect.stringContaining('CODEWEB_DISK_RESERVE')]);
  // An upload of unknown length may take all that one upload may.
  const tight = await started({ diskReserveBytes: Math.floor(free / 4), maxUploadBytes: free });
  expect((await tight(10))[0]).toBe(201);
  expect((await tight(10, { chunked: true }))[0]).toBe(507);
});

it('reads the variables', () => {
  const config = readCodesConfig({
    CODEWEB_RATE_WRITE: '60/m',
    CODEWEB_RATE_BYTES: '20000000000/d',
    CODEWEB_UNTHROTTLED: '10.0.0.0/8',
    CODEWEB_DISK_RESERVE: '1000',
  });
  expect(config).toMatchObject({
    rateWrite: { count: 60, periodSeconds: 60 },
    rateBytes: { count: 20_000_000_000, periodSeconds: 86_400 },
    unthrottled: ['10.0.0.0/8'],
    diskReserveBytes: 1000,
  });
  expect(readCodesConfig({})).toMatchObject({ diskReserveBytes: 0 });
});
