/** SIGHUP while `isccd serve` starts: remembered, and the configuration is read again once everything has started. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { serve } from '../support/serve.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';

const WAIT = { timeout: 60_000, interval: 50 };
const TEST_MS_MAX = 120_000;

let postgres: PostgresServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-hang-up-'));
  postgres = await startPostgres();
}, INSTALL_MAX_MS);
afterAll(async () => {
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Repeated, because a process of the server may end while all of them are signalled. */
const thaw = () => vi.waitFor(() => postgres.thaw(), WAIT);

/** Pids of the child processes. */
function children(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(/\s+/).filter(Boolean).map(Number);
}

/** Starts search, which responds at once, and a store that waits for its database. */
async function halfStarted() {
  const env = {
    ISCCD_DATA_DIR: folder,
    APP_SECRET_KEY: 'x'.repeat(64),
    DATABASE_URL: await postgres.createDatabase(),
    INDEXSVC_INDEX_URI: 'memory://',
    INDEXSVC_PORT: '0',
    MSTORE_LOG_LEVEL: 'info',
    MSTORE_PORT: '0',
    MSTORE_URL: 'http://127.0.0.1:8020',
  };
  postgres.freeze();
  onTestFinished(thaw);
  const served = await serve(['search'], { args: ['store'], env });
  onTestFinished(() => served.kill());
  expect(served.output()).not.toContain('store ');
  return served;
}

it('reloads after the start', { timeout: TEST_MS_MAX }, async () => {
  const served = await halfStarted();
  process.kill(served.pid, 'SIGHUP');
  process.kill(served.pid, 'SIGHUP');
  expect((await fetch(`${served.urls.search}/healthz`)).status).toBe(200);
  await thaw();
  await expect.poll(served.output, WAIT).toContain('store: configuration files read again');
  expect(served.output()).toMatch(/^store +http:/m);
  expect(served.output().match(/read again/g)).toHaveLength(1);
  process.kill(served.pid, 'SIGHUP');
  await expect.poll(() => served.output().match(/read again/g), WAIT).toHaveLength(2);
  await served.stop();
  expect(served.exitCode()).toBe(0);
});

it('does not keep SIGTERM from ending the start', { timeout: TEST_MS_MAX }, async () => {
  const served = await halfStarted();
  process.kill(served.pid, 'SIGHUP');
  await served.stop();
  expect(served.exitCode()).toBe(0);
});

it.skipIf(process.platform !== 'linux')('reaches workers that start', { timeout: TEST_MS_MAX }, async () => {
  const env = {
    ISCCD_DATA_DIR: folder,
    INDEXSVC_INDEX_URI: await postgres.createDatabase(),
    INDEXSVC_PORT: '0',
  };
  postgres.freeze();
  onTestFinished(thaw);
  const starting = serve(['search'], { args: ['--workers', '2'], env });
  starting.catch(() => undefined);
  const primary = async () => {
    const [pid = 0] = children(process.pid).filter(
      (child) => isServing(child) && children(child).length === 2,
    );
    return pid;
  };
  await expect.poll(primary, WAIT).toBeGreaterThan(0);
  const pid = await primary();
  const workers = children(pid);
  // Workers at any point of their start.
  for (let at = 0; at < 20; at += 1) {
    process.kill(pid, 'SIGHUP');
    await sleep(50);
  }
  await thaw();
  const served = await starting;
  onTestFinished(() => served.kill());
  expect(children(pid)).toEqual(workers);
  process.kill(pid, 'SIGHUP');
  for (const worker of workers) process.kill(worker, 'SIGHUP');
  for (let at = 0; at < 20; at += 1) expect((await fetch(`${served.urls.search}/healthz`)).status).toBe(200);
  expect(children(pid)).toEqual(workers);
  await served.stop();
  expect(served.exitCode()).toBe(0);
});

function isServing(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('\0--workers\0');
}
