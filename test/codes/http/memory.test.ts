import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { bodyOf, filenameHeader, noise, sha256, uploaded } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { serveCodes } from '../support/process.js';
import { TRANSPORTS } from '../support/server.js';

const BODY_BYTES = 300 * 1024 * 1024;
const UPLOADS = 3;
/** 8 MB per upload, plus uncollected garbage: Node.js 24 and 26 keep up to 140 MB, however large the uploads are. */
const GROWTH_MAX_BYTES = UPLOADS * 8_000_000 + 200_000_000;

test.each(TRANSPORTS)('large uploads need little memory (%s)', { timeout: 120_000 }, async (transport) => {
  const { url, pid } = await serveCodes(await temporaryFolder(), { ISCCD_TRANSPORT: transport });
  await uploaded(url, 'warm.bin', noise(4_000_000));
  const before = await residentBytes(pid);
  let peak = before;
  const watch = setInterval(async () => {
    peak = Math.max(peak, await residentBytes(pid));
  }, 20);
  try {
    const answers = await Promise.all(Array.from({ length: UPLOADS }, () => large(url)));
    expect(answers.map(({ filesize }) => filesize)).toEqual(Array(UPLOADS).fill(BODY_BYTES));
    expect(new Set(answers.map(({ iscc }) => iscc)).size).toBe(1);
  } finally {
    clearInterval(watch);
  }
  expect(peak - before).toBeLessThan(GROWTH_MAX_BYTES);
});

test('uploads acknowledged with 201 survive a kill of the server', { timeout: 60_000 }, async () => {
  const folder = await temporaryFolder();
  for (let round = 1; round <= 3; round += 1) {
    const server = await serveCodes(folder);
    const bytes = noise(50_000, round);
    const { media_id, iscc } = await uploaded(server.url, 'a.bin', bytes);
    const stored = await uploaded(server.url, 'b.bin', bytes, { to: 'media' });
    await server.kill();
    const restarted = await serveCodes(folder);
    for (const id of [media_id, stored.media_id]) {
      const download = await fetch(`${restarted.url}/api/v1/media/${id}`);
      expect(sha256(new Uint8Array(await download.arrayBuffer()))).toBe(sha256(bytes));
    }
    expect((await bodyOf(await fetch(`${restarted.url}/api/v1/iscc/${media_id}`))).iscc).toBe(iscc);
    await restarted.kill();
  }
});

/** Uploads one block repeatedly, with back-pressure. */
async function large(url: string): Promise<{ filesize: number; iscc: string }> {
  const outgoing = request(`${url}/api/v1/iscc`, {
    method: 'POST',
    headers: { ...filenameHeader('a.bin'), 'Content-Length': BODY_BYTES },
  });
  const responded = once(outgoing, 'response');
  const block = noise(1024 * 1024);
  for (let sent = 0; sent < BODY_BYTES; sent += block.byteLength) {
    if (!outgoing.write(block)) await once(outgoing, 'drain');
  }
  outgoing.end();
  const [response] = await responded;
  let text = '';
  for await (const chunk of response) text += chunk;
  return JSON.parse(text);
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024;
}
