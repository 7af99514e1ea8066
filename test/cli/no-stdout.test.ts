/** `isccd serve` announces its services on standard output, and serves without it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { freePorts } from '../support/free-ports.js';
import { MAIN } from '../support/serve.js';

const TEST_MS_MAX = 60_000;
const START = { timeout: 40_000, interval: 100 };
const STDOUTS = ['closed', ...(existsSync('/dev/full') ? ['full'] : [])] as const;

/** Runs `isccd serve`; standard output is a pipe without a reader, or a full device. */
async function serveWithout(stdout: string, args: readonly string[], ports: readonly string[]) {
  const cwd = await temporaryFolder();
  const numbers = await freePorts(ports.length);
  const env = {
    ...process.env,
    ISCCD_DATA_DIR: cwd,
    INDEXSVC_INDEX_URI: 'memory://',
    RESOLVER_SEARCH_URL: 'http://127.0.0.1:9',
    ...Object.fromEntries(ports.map((name, at) => [name, String(numbers[at])])),
  };
  const full = stdout === 'full' ? openSync('/dev/full', 'w') : undefined;
  const child = spawn(process.execPath, [MAIN, 'serve', ...args], {
    cwd,
    env,
    stdio: ['ignore', full ?? 'pipe', 'ignore'],
  });
  if (full !== undefined) closeSync(full);
  child.stdout?.destroy();
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, ended, urls: numbers.map((port) => `http://127.0.0.1:${port}`) };
}

const isAlive = (url: string) =>
  fetch(`${url}/healthz`, { headers: { Connection: 'close' } }).then(
    ({ ok }) => ok,
    () => false,
  );

describe.each(STDOUTS)('with a standard output that is %s', { timeout: TEST_MS_MAX }, (stdout) => {
  it.each([
    ['all services start', ['search', 'resolver'], ['INDEXSVC_PORT', 'RESOLVER_PORT']],
    ['workers start', ['resolver', '--workers', '2'], ['RESOLVER_PORT', 'ISCCD_METRICS_PORT']],
  ])('%s and serve', async (_, args, ports) => {
    const { child, ended, urls } = await serveWithout(stdout, args, ports);
    for (const url of urls) await expect.poll(() => isAlive(url), START).toBe(true);
    for (let at = 0; at < 20; at += 1) for (const url of urls) expect(await isAlive(url)).toBe(true);
    expect(child.exitCode).toBe(null);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
