/** `isccd serve` with problems that it reports before or while it starts, and its development mode. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isccd } from '../support/command.js';
import { MAIN, serve } from '../support/serve.js';
import { TRANSPORTS } from '../support/transports.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-serve-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const DAMAGED = readFileSync(path.resolve(import.meta.dirname, '../fixtures/codes/files/truncated_a.jpg'));

const MEMORY = { INDEXSVC_INDEX_URI: 'memory://', INDEXSVC_PORT: '0' };

describe('isccd serve', () => {
  it('warns of unknown variables', async () => {
    const env = { ...MEMORY, INDEXSVC_MAX_BDY: '1000', INDEXSVC_LOG_LEVEL: 'silent' };
    const process = await serve(['search'], { cwd: folder, env });
    onTestFinished(() => process.stop());
    // Standard error is another pipe than the one that announces the address.
    await expect
      .poll(process.output, { timeout: 10_000 })
      .toContain('INDEXSVC_MAX_BDY is not a variable of isccd; did you mean INDEXSVC_MAX_BODY?');
  });

  it.each(['ISCC_SEARCH_API_SECRET', 'INDEXSVC_API_KEY'])(
    'does not start a public search service if %s is set',
    async (name) => {
      const { code, stderr } = await isccd(['serve', 'search'], {
        cwd: folder,
        env: { ...MEMORY, [name]: 'key' },
      });
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`isccd: ${name} is set, but INDEXSVC_API_SECRET`),
      ]);
    },
  );

  it('reports all invalid and missing variables of all services together', async () => {
    const env = { CODEWEB_PORT: 'x', INDEXSVC_PORT: 'y', MSTORE_HOST: '0.0.0.0', ISCCD_METRICS_PORT: 'z' };
    const { code, stderr } = await isccd(['serve'], { cwd: folder, env });
    expect(code).toBe(2);
    expect(
      stderr
        .trim()
        .split('\n')
        .map((line) => line.split(/[= ]/)[1]),
    ).toEqual(['ISCCD_METRICS_PORT', 'CODEWEB_PORT', 'INDEXSVC_PORT', 'MSTORE_URL', 'APP_SECRET_KEY']);
  });

  it.each(TRANSPORTS)('names the variable to change if the port is in use (%s)', async (transport) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const port = String((other.address() as AddressInfo).port);
    const env = { ...MEMORY, INDEXSVC_PORT: port, ISCCD_TRANSPORT: transport };
    const { code, stderr } = await isccd(['serve', 'search'], { cwd: folder, env });
    expect(code).toBe(1);
    expect(stderr).toContain(
      `isccd: search does not start on 127.0.0.1:${port}: port ${port} is already in use; change INDEXSVC_PORT\n`,
    );
    const metrics = await isccd(['serve', 'search'], {
      cwd: folder,
      env: { ...MEMORY, ISCCD_METRICS_PORT: port },
    });
    expect(metrics.stderr).toContain(`port ${port} is already in use; change ISCCD_METRICS_PORT\n`);
  });

  it('starts the store after the search service, whatever the order of the names', async () => {
    const env = {
      ...MEMORY,
      CODEWEB_PORT: '0',
      CODEWEB_MEDIA_PATH: path.join(folder, 'media'),
      ISCCD_DATA_DIR: folder,
      MSTORE_PORT: '0',
      MSTORE_INDEX: 'local',
      RESOLVER_PORT: '0',
    };
    const process = await serve(['store', 'search', 'resolver', 'codes'], { cwd: folder, env });
    onTestFinished(() => process.stop());
    const status = await fetch(`${process.urls.resolver}/v1/services/status`);
    expect(await status.json()).toMatchObject({ status: 'ok' });
  });
});

describe('isccd serve --env', () => {
  it('prints a .env file that isccd check config accepts', async () => {
    const cwd = await mkdtemp(path.join(folder, 'env-'));
    await writeFile(path.join(cwd, '.env'), (await isccd(['serve', '--env'])).stdout);
    expect(await isccd(['check', 'config'], { cwd, env: { ISCCD_DATA_DIR: cwd } })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });
});

describe('ISCCD_ENVIRONMENT', () => {
  const damaged = async (env: Record<string, string>) => {
    const cwd = await mkdtemp(path.join(folder, 'environment-'));
    const process = await serve(['codes'], { cwd, env: { CODEWEB_PORT: '0', ISCCD_DATA_DIR: cwd, ...env } });
    onTestFinished(() => process.stop());
    const response = await fetch(`${process.urls.codes}/api/v1/iscc`, {
      method: 'POST',
      body: DAMAGED,
      headers: { 'X-Upload-Filename': Buffer.from('a.jpg').toString('base64') },
    });
    return [response.status, await response.text(), await readdir(cwd)];
  };

  it('is production by default: no cause of an error is shown, and all data is in one folder', async () => {
    const [production, development] = await Promise.all([
      damaged({}),
      damaged({ ISCCD_ENVIRONMENT: 'development' }),
    ]);
    expect(production).toEqual([422, expect.stringMatching(/ \(FILE_DAMAGED\)$/), ['codes']]);
    expect(development).toEqual([422, expect.stringMatching(/ \(FILE_DAMAGED: /), ['codes']]);
  });
});

describe('isccd serve --dev', () => {
  it('restarts when .env changes, and stops at a signal', { timeout: 60_000 }, async () => {
    const cwd = await mkdtemp(path.join(folder, 'dev-'));
    await writeFile(path.join(cwd, '.env'), 'INDEXSVC_INDEX_URI=memory://\nINDEXSVC_PORT=0\n');
    const child = spawn(process.execPath, [MAIN, 'serve', 'search', '--dev', '--json'], {
      cwd,
      stdio: 'pipe',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
    });
    const urls = () => [...output.matchAll(/"url":"([^"]+)"/g)].map(([, url = '']) => url);
    await vi.waitFor(() => expect(urls()).toHaveLength(1), 20_000);
    await writeFile(
      path.join(cwd, '.env'),
      'INDEXSVC_INDEX_URI=memory://\nINDEXSVC_PORT=0\nINDEXSVC_API_SECRET=x\n',
    );
    await vi.waitFor(() => expect(urls()).toHaveLength(2), 20_000);
    const [before = '', after = ''] = urls();
    expect((await fetch(`${after}/indexes`)).status).toBe(401);
    if (before !== after) await expect(fetch(`${before}/indexes`)).rejects.toThrow();
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    await expect(fetch(`${after}/indexes`)).rejects.toThrow();
  });
});
