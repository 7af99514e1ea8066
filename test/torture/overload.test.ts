/** Far more clients than workers: responses are codes or 503 with `Retry-After`, and quiet brings everything back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { upload } from '../codes/support/client.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { serveCodes } from '../codes/support/process.js';
import { fileBytes } from '../codes/support/reference.js';
import { torture } from '../support/torture.js';
import { errorLines, peakMb } from './support/probe.js';

const { size: SECONDS, report } = torture('overload');
const CLIENTS = 80;
const FILES = ['photo_a.png', 'report_a.docx', 'song_a.mp3', 'short_a.txt'];
/** For one request after the load, on a busy machine. */
const QUIET_SECONDS_MAX = 20;
const MAIN_MB_MAX = 700;

test(`${CLIENTS} clients on one worker for ${SECONDS} s`, { timeout: 180_000 + SECONDS * 2000 }, async () => {
  const server = await serveCodes(await temporaryFolder(), {
    CODEWEB_LOG_LEVEL: 'warn',
    CODEWEB_MAX_WORKERS: '1',
    CODEWEB_STORAGE_EXPIRY: '60',
  });
  const bodies = FILES.map((name) => ({ name, bytes: fileBytes(name) }));
  const end = performance.now() + SECONDS * 1000;
  const statuses: Record<number, number> = {};
  const unexpected: string[] = [];
  const client = async (number: number) => {
    for (let turn = number; performance.now() < end; turn += 1) {
      const { name, bytes } = bodies[turn % bodies.length] as (typeof bodies)[number];
      const response = await upload(server.url, name, bytes);
      const text = await response.text();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      if (response.status === 201) continue;
      if (response.status !== 503 || !response.headers.has('retry-after'))
        unexpected.push(text.slice(0, 200));
      await sleep(100);
    }
  };
  let healthMs = 0;
  const watch = async () => {
    while (performance.now() < end) {
      const start = performance.now();
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      healthMs = Math.max(healthMs, performance.now() - start);
      await sleep(100);
    }
  };
  await Promise.all([watch(), ...Array.from({ length: CLIENTS }, (_, number) => client(number))]);
  expect(unexpected).toEqual([]);
  expect(statuses[201]).toBeGreaterThan(0);
  expect(statuses[503]).toBeGreaterThan(0);

  const start = performance.now();
  expect((await upload(server.url, 'short_a.txt', fileBytes('short_a.txt'))).status).toBe(201);
  expect(performance.now() - start).toBeLessThan(QUIET_SECONDS_MAX * 1000);
  expect(errorLines(server)).toEqual([]);
  const memory = await peakMb(server.pid);
  expect(memory).toBeLessThan(MAIN_MB_MAX);
  const worst = `${statuses[201]} codes, ${statuses[503]} x 503, /healthz ${healthMs.toFixed(0)} ms, ${memory} MB`;
  report({ tried: SECONDS, survived: SECONDS, worst });
});
