/** The effect of environment variables on a running service. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { noise, upload, uploaded } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { serveCodes } from '../support/process.js';
import { fileBytes } from '../support/reference.js';

test('CODEWEB_ENVIRONMENT: only development shows the cause of an error', async () => {
  const answer = async (environment: string) => {
    const { url } = await serveCodes(await temporaryFolder(), { CODEWEB_ENVIRONMENT: environment });
    const response = await upload(url, 'truncated_a.jpg', fileBytes('truncated_a.jpg'));
    return [response.status, await response.text()];
  };
  expect(await answer('development')).toEqual([
    422,
    expect.stringMatching(/^ISCC processing error\. The file is damaged.* \(FILE_DAMAGED: .*truncated/),
  ]);
  expect(await answer('production')).toEqual([
    422,
    expect.stringMatching(/^ISCC processing error\. The file is damaged.* \(FILE_DAMAGED\)$/),
  ]);
});

test('CODEWEB_LOG_LEVEL: requests are logged at info, not at error', async () => {
  const logged = async (level: string) => {
    const server = await serveCodes(await temporaryFolder(), { CODEWEB_LOG_LEVEL: level });
    const before = server.output().length;
    await fetch(`${server.url}/api/v1/explain/ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2`);
    await vi.waitFor(async () => {
      await fetch(`${server.url}/healthz`);
      if (level === 'info') expect(server.output().slice(before)).toContain('/explain/');
    }, 5000);
    return server.output().slice(before);
  };
  expect(await logged('info')).toContain('/explain/');
  expect(await logged('error')).toBe('');
});

test('CODEWEB_MEDIA_PATH, CODEWEB_SITE_ADDRESS and CODEWEB_NUM_PROXIES', async () => {
  const folder = await temporaryFolder();
  const media = path.join(folder, 'somewhere', 'else');
  const { url } = await serveCodes(folder, {
    CODEWEB_MEDIA_PATH: media,
    CODEWEB_SITE_ADDRESS: 'https://iscc.example/',
    CODEWEB_NUM_PROXIES: '2',
  });
  const through = (list: string) => ({ headers: { 'X-Forwarded-For': list } });
  const { media_id, content } = await uploaded(url, 'a.bin', noise(10), through('192.0.2.1, 10.0.0.1'));
  expect(content).toBe(`https://iscc.example/api/v1/media/${media_id}`);
  expect(await readdir(path.join(media, 'files', media_id))).toEqual(['a.bin']);
  const download = async (list: string) =>
    (await fetch(`${url}/api/v1/media/${media_id}`, through(list))).status;
  expect(await download('192.0.2.1, 10.0.0.2')).toBe(200);
  // Entries left of the one added by the outer proxy are claims of the client.
  expect(await download('192.0.2.1, 192.0.2.9, 10.0.0.1')).toBe(403);
});

test('CODEWEB_IO_READ_SIZE: stored files are read in pieces of this size', async () => {
  // Large, because the process also reads for other reasons.
  const bytes = 32 * 1024 ** 2;
  const readCalls = async (readSize: number) => {
    const { url, pid } = await serveCodes(await temporaryFolder(), { CODEWEB_IO_READ_SIZE: `${readSize}` });
    const { content } = await uploaded(url, 'a.bin', noise(bytes), { to: 'media' });
    const before = await reads(pid);
    expect((await (await fetch(content)).arrayBuffer()).byteLength).toBe(bytes);
    return (await reads(pid)) - before;
  };
  expect(await readCalls(4096)).toBeGreaterThanOrEqual(bytes / 4096);
  expect(await readCalls(1024 ** 2)).toBeLessThan(bytes / 4096 / 2);
});

test('CODEWEB_ERROR_TRACKING_DSN: only unexpected errors are reported', async () => {
  const reports: string[] = [];
  const listener = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => (body += data));
    request.on('end', () => {
      reports.push(`${request.url} ${body}`);
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void listener.close());
  const { port } = listener.address() as AddressInfo;
  const folder = await temporaryFolder();
  const { url } = await serveCodes(folder, {
    CODEWEB_ERROR_TRACKING_DSN: `http://key@127.0.0.1:${port}/42`,
    CODEWEB_ENVIRONMENT: 'production',
  });
  expect((await upload(url, 'blank_a.txt', fileBytes('blank_a.txt'))).status).toBe(422);
  await rm(path.join(folder, 'media', 'drafts'), { recursive: true });
  const broken = await upload(url, 'a.txt', 'A text, which a worker reads from a draft.');
  expect([broken.status, await broken.text()]).toEqual([500, 'Internal Server Error']);
  await vi.waitFor(() => expect(reports).toHaveLength(1), 10_000);
  expect(reports[0]).toMatch(/^\/api\/42\/envelope\//);
  expect(reports[0]).toContain('ENOENT');
});

/** Number of read calls of a process (Linux). */
async function reads(pid: number): Promise<number> {
  return Number(/^syscr: (\d+)/m.exec(await readFile(`/proc/${pid}/io`, 'latin1'))?.[1]);
}
