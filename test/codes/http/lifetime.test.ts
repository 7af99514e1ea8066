import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { bodyOf, noise, postJson, sha256, uploaded } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { type CodesServerOptions, startCodes, TRANSPORTS } from '../support/server.js';

async function start(options: CodesServerOptions) {
  const server = await startCodes(options);
  onTestFinished(() => server.close());
  return server;
}

test('an expired upload is inaccessible before the clean-up removes it', async () => {
  const { url, folder } = await start({ config: { storageExpirySeconds: 1, cleanupIntervalSeconds: 0 } });
  const { content, media_id } = await uploaded(url, 'a.bin', noise(10));
  expect((await fetch(content)).status).toBe(200);
  await pause(1100);
  const answers = [
    await fetch(content),
    await fetch(content, { method: 'DELETE' }),
    await fetch(`${url}/api/v1/iscc/${media_id}`),
    await fetch(`${url}/api/v1/metadata/${media_id}`),
    await postJson(url, `/metadata/${media_id}`, { name: 'x' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  expect(await readdir(path.join(folder, 'files'))).toEqual([media_id]);
});

test('the clean-up removes only expired uploads', async () => {
  const { url, folder } = await start({ config: { storageExpirySeconds: 2, cleanupIntervalSeconds: 1 } });
  const old = await uploaded(url, 'old.bin', noise(10));
  await pause(1500);
  const young = await uploaded(url, 'young.bin', noise(10));
  await vi.waitFor(async () => expect(await readdir(path.join(folder, 'files'))).toEqual([young.media_id]), {
    timeout: 4000,
    interval: 50,
  });
  expect((await fetch(old.content)).status).toBe(404);
  expect((await fetch(young.content)).status).toBe(200);
});

test('without clean-up, expired uploads are kept over a restart and leftovers of a crash are removed', async () => {
  const folder = await temporaryFolder();
  const config = { storageExpirySeconds: 1, cleanupIntervalSeconds: 0 };
  const first = await startCodes({ folder, config });
  const { media_id, content } = await uploaded(first.url, 'old.bin', noise(10));
  await pause(1100);
  expect((await fetch(content)).status).toBe(404);
  await first.close();
  await writeFile(path.join(folder, 'drafts', 'leftover'), 'half an upload');
  await start({ folder, config });
  expect(await readdir(path.join(folder, 'files'))).toEqual([media_id]);
  expect(await readdir(path.join(folder, 'drafts'))).toEqual([]);
});

test.each(TRANSPORTS)(
  'a download in progress is completed after the file expires (%s)',
  async (transport) => {
    const bytes = noise(30_000_000);
    const config = { storageExpirySeconds: 1, cleanupIntervalSeconds: 1 };
    const { url, port, folder } = await start({ transport, config });
    const { media_id } = await uploaded(url, 'big.bin', bytes, { to: 'media' });
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET /api/v1/media/${media_id} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const parts: Buffer[] = [];
    socket.once('data', (data) => {
      parts.push(data);
      socket.pause();
    });
    await vi.waitFor(async () => expect(await readdir(path.join(folder, 'files'))).toEqual([]), 5000);
    socket.on('data', (data) => parts.push(data));
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    const response = Buffer.concat(parts);
    const body = response.subarray(response.indexOf('\r\n\r\n') + 4);
    expect(body.byteLength).toBe(bytes.byteLength);
    expect(sha256(body)).toBe(sha256(bytes));
  },
);

test('a restart keeps files and results', async () => {
  const folder = await temporaryFolder();
  const first = await startCodes({ folder });
  const { media_id, iscc } = await uploaded(first.url, 'ü.bin', noise(5000));
  await first.close();
  const { url } = await start({ folder });
  const result = await bodyOf(await fetch(`${url}/api/v1/iscc/${media_id}`));
  expect(result.iscc).toBe(iscc);
  const download = await fetch(`${url}/api/v1/media/${media_id}`);
  expect(sha256(new Uint8Array(await download.arrayBuffer()))).toBe(sha256(noise(5000)));
  expect((await fetch(`${url}/api/v1/media/${media_id}`, { method: 'DELETE' })).status).toBe(204);
});

test('leftovers of a crash are removed before the first request', async () => {
  const folder = await temporaryFolder();
  const first = await startCodes({ folder });
  const { media_id } = await uploaded(first.url, 'a.bin', noise(10));
  await first.close();
  await mkdir(path.join(folder, 'files', '061knt35ejv6o'));
  await writeFile(path.join(folder, 'files', '061knt35ejv6o', 'no record'), 'x');
  await writeFile(path.join(folder, 'drafts', 'half'), 'x');
  await start({ folder });
  expect(await readdir(path.join(folder, 'files'))).toEqual([media_id]);
  expect(await readdir(path.join(folder, 'drafts'))).toEqual([]);
});
