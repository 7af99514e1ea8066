/** `isccd check health --started`, and the health check of the image, which gives the same answers without Node.js. */
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServiceName } from '../../src/compose/service-names.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { ROOT } from '../deploy/support/dockerfile.js';
import { isccd, run } from '../support/command.js';
import { freePorts } from '../support/free-ports.js';
import { serve } from '../support/serve.js';

const TEST_MS_MAX = 60_000;
const OWN = `isccd-${process.getuid?.()}`;
const STORE = { APP_SECRET_KEY: 'x'.repeat(64), MSTORE_URL: 'https://store.example' };

async function start(folder: string, names: readonly ServiceName[], env = {}, args: readonly string[] = []) {
  const ports = { CODEWEB_PORT: '0', INDEXSVC_PORT: '0', MSTORE_PORT: '0', RESOLVER_PORT: '0' };
  const served = await serve(names, {
    args,
    env: {
      ISCCD_DATA_DIR: path.join(folder, 'data'),
      TMPDIR: folder,
      INDEXSVC_INDEX_URI: 'memory://',
      RESOLVER_SEARCH_URL: 'http://127.0.0.1:9',
      ...ports,
      ...STORE,
      ...env,
    },
  });
  onTestFinished(() => served.kill());
  return served;
}

/** Runs the command, and the health check of the image, which has to agree. */
async function health(folder: string) {
  const env = { TMPDIR: folder };
  const { code, stdout, stderr } = await isccd(['check', 'health', '--started', '--json'], { env });
  const script = await run(path.join(ROOT, 'ops/image/health.sh'), [], { env });
  expect(script.code, script.stdout).toBe(code);
  expect(script.stdout.match(/^\w+(?=: healthy$)/gm) ?? []).toEqual(
    healthyOf(stdout.split('\n').filter(Boolean)),
  );
  const lines = stdout.split('\n').filter(Boolean);
  return {
    code,
    stderr,
    states: lines.map((line) => JSON.parse(line) as { name: string; url: string; healthy: boolean }),
  };
}

const healthyOf = (lines: readonly string[]) =>
  lines.flatMap((line) => {
    const { name, healthy } = JSON.parse(line) as { name: string; healthy: boolean };
    return healthy ? [name] : [];
  });

describe('isccd check health --started', { timeout: TEST_MS_MAX }, () => {
  it('checks the services of each running process, at the addresses that they have', async () => {
    const folder = await temporaryFolder();
    const store = await start(folder, ['store'], { MSTORE_HOST: '0.0.0.0' });
    const one = await health(folder);
    expect(one).toMatchObject({ code: 0, stderr: '', states: [{ name: 'store', healthy: true }] });
    expect(one.states[0]?.url).toBe(store.urls.store.replace('0.0.0.0', '127.0.0.1'));
    const search = await start(folder, ['search']);
    const two = await health(folder);
    expect([two.code, two.states.map(({ name }) => name).sort()]).toEqual([0, ['search', 'store']]);
    // A crash leaves its file.
    await search.kill();
    expect(await readdir(path.join(folder, OWN))).toHaveLength(2);
    expect(await health(folder)).toEqual({ ...one, states: [{ ...one.states[0], ms: expect.any(Number) }] });
    await start(folder, ['search']);
    expect(await readdir(path.join(folder, OWN))).toHaveLength(2);
    await store.stop();
    expect((await health(folder)).states).toMatchObject([{ name: 'search', healthy: true }]);
  });

  it('fails without a started service', async () => {
    const folder = await temporaryFolder();
    const none = {
      code: 1,
      stderr: expect.stringMatching(/^isccd: no service .*\n$/),
      states: [],
    };
    expect(await health(folder)).toEqual(none);
    const served = await start(folder, ['search']);
    await served.stop();
    expect(await health(folder)).toEqual(none);
  });

  it('fails while a service starts', async () => {
    const folder = await temporaryFolder();
    // A database that never answers.
    const database = createServer(() => undefined);
    await new Promise<void>((resolve) => database.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void database.close());
    const { port } = database.address() as AddressInfo;
    await start(folder, ['search'], { DATABASE_URL: `postgres://x@127.0.0.1:${port}/x` }, ['store']);
    expect(await health(folder)).toMatchObject({
      code: 1,
      states: [
        { name: 'search', healthy: true },
        { name: 'store', healthy: false, problem: 'is starting' },
      ],
    });
  });

  it('covers workers', async () => {
    const folder = await temporaryFolder();
    const [port] = await freePorts(1);
    await start(folder, ['resolver'], { RESOLVER_PORT: String(port) }, ['--workers', '2']);
    expect(await health(folder)).toMatchObject({
      code: 0,
      states: [{ name: 'resolver', url: `http://127.0.0.1:${port}`, healthy: true }],
    });
  });

  it('serves without a writable temporary folder, and says that the check fails', async () => {
    const folder = await temporaryFolder();
    const served = await start(folder, ['resolver'], { TMPDIR: '/proc/none' });
    await expect.poll(served.output).toContain('isccd check health --started');
  });

  it('trusts no folder of others', async () => {
    const folder = await temporaryFolder();
    const other = await temporaryFolder();
    await mkdir(path.join(other, 'x'));
    await symlink(path.join(other, 'x'), path.join(folder, OWN));
    const served = await start(folder, ['search']);
    await expect.poll(served.output).toContain('isccd check health --started');
    expect(await readdir(path.join(other, 'x'))).toEqual([]);
    expect((await health(folder)).code).toBe(1);
  });

  it('takes no targets', async () => {
    expect((await isccd(['check', 'health', 'codes', '--started'])).code).toBe(2);
  });
});
