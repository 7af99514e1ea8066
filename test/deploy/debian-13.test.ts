/**
 * uWebSockets.js 20.57 on Node.js 22 and 24: its binaries need glibc 2.38, so these tests run in a root of Debian 13, the system of
 * the image, on the programs of this checkout and on the installed package.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NODE_VERSIONS, nodeProgram } from '../../scripts/node-versions.mjs';
import { run } from '../support/command.js';
import { debianProgram, folderOf, INSTALL_MAX_MS } from '../support/set-up.js';
import { ROOT, readImage } from './support/dockerfile.js';

/** uWebSockets.js has no binary for Node.js 26. */
const VERSIONS = NODE_VERSIONS.filter((version) => /^2[24]\./.test(version));
const SUITE = ['check-transport', 'framing', 'server', 'timeouts'].map((name) => `test/http/${name}.test.ts`);
const SUITE_MS_MAX = 300_000;
/** Commands on a terminal, with the program of the image. */
const TERMINAL_TEST = `
  const { tryOnTerminal } = await import('${ROOT}/scripts/terminal-table.mjs');
  const main = '/opt/isccd/node_modules/isccd/dist/cli/main.js';
  const faults = await tryOnTerminal([process.execPath, main], { terminal: 'plain', env: process.env });
  for (const fault of faults) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
`;

/** Mounts are for root, in a name space of their own, and some containers forbid them to root, too. */
const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'proc', 'proc', '/proc']).status === 0;

describe.skipIf(!canMount)('Debian 13', { timeout: SUITE_MS_MAX }, () => {
  let debian: string;
  /** A folder with what is mounted as `/opt`. */
  let opt: string;

  beforeAll(async () => {
    opt = await mkdtemp(path.join(tmpdir(), 'isccd-opt-'));
    for (const [program = '', ...args] of [
      ['ops/image/build.sh', path.join(opt, 'packages')],
      ['ops/image/install.sh', path.join(opt, 'packages'), path.join(opt, 'isccd')],
    ]) {
      const env = { ISCCD_NPM_FLAGS: '--prefer-offline' };
      const { code, stderr } = await run(path.join(ROOT, program), args, { cwd: ROOT, env });
      expect(code, stderr).toBe(0);
    }
    await writeFile(path.join(opt, 'terminal.mjs'), TERMINAL_TEST);
    const mmdebstrap = debianProgram(['mmdebstrap'], 'mmdebstrap');
    debian = await folderOf('debian-13', async (draft) => {
      const options = ['--variant=essential', '--include=libstdc++6', '--quiet', 'trixie', draft];
      const { code, stderr } = await run(mmdebstrap, options);
      expect(code, stderr).toBe(0);
      await writeFile(path.join(draft, 'etc/hosts'), '127.0.0.1 localhost\n');
    });
    // The root stays, and the checkout may have another place than when it was made.
    await mkdir(path.join(debian, ROOT), { recursive: true });
  }, INSTALL_MAX_MS);

  afterAll(() => rm(opt, { recursive: true, force: true }));

  /** Runs a script of the checkout with a version of Node.js. */
  function inDebian(version: string, script: string, env: Readonly<Record<string, string>> = {}) {
    const node = path.dirname(nodeProgram(version));
    const variables = Object.entries({ HOME: '/root', PATH: `${node}:/usr/bin:/bin`, ...env });
    const bound = { '/dev': '/dev', [ROOT]: ROOT, [opt]: '/opt' };
    const mounts = [
      `mount -t proc proc ${path.join(debian, 'proc')}`,
      ...Object.entries(bound).map(([from, to]) => `mount --rbind ${from} ${path.join(debian, to)}`),
    ];
    const command = [
      'cd',
      ROOT,
      '&&',
      'env',
      '-i',
      ...variables.map(([name, value]) => `${name}='${value}'`),
      script,
    ];
    const inside = `exec chroot ${debian} /bin/sh -c "${command.join(' ')}"`;
    return run('unshare', ['--mount', 'sh', '-c', [...mounts, inside].join(' && ')]);
  }

  it.concurrent.each(VERSIONS)('passes the suite of the port on Node.js %s', async (version) => {
    const { code, stdout, stderr } = await inDebian(
      version,
      `node node_modules/vitest/vitest.mjs run --reporter=verbose ${SUITE.join(' ')}`,
    );
    expect(code, `${stdout}${stderr}`).toBe(0);
    expect(stdout).toContain('framing over uws');
    expect(stdout).not.toContain('not tested over uWebSockets.js');
  });

  it.concurrent.each(VERSIONS)('serves over it what has small bodies on Node.js %s', async (version) => {
    const env = { MSTORE_PORT: '0', CODEWEB_PORT: '0', ISCCD_DATA_DIR: `/tmp/isccd-${version}` };
    const { stderr } = await inDebian(
      version,
      'timeout -s TERM 20 node dist/cli/main.js serve store codes',
      env,
    );
    const lines = stderr.split('\n').filter((line) => line.includes('"listening"'));
    const listening = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(
      listening.find(({ service }) => service === 'store'),
      stderr,
    ).toMatchObject({ transport: 'uws' });
    expect(listening.find(({ service }) => service === 'codes')).toMatchObject({
      transport: 'node',
      reason: expect.stringContaining('reads on while a body is paused'),
    });
  });

  it.concurrent.each(VERSIONS)('loses nothing of the store to kills on Node.js %s', async (version) => {
    const env = { ISCCD_TEST_LANE: 'slow', ISCCD_TORTURE_SIZE: '6' };
    const command = 'node node_modules/vitest/vitest.mjs run test/faults/store-kill.test.ts';
    const { code, stdout, stderr } = await inDebian(version, command, env);
    expect(code, `${stdout}${stderr}`).toBe(0);
  });

  it.concurrent.each(VERSIONS)(
    'has an installed package that works on a terminal on Node.js %s',
    async (version) => {
      const { code, stdout, stderr } = await inDebian(version, 'node /opt/terminal.mjs');
      expect(code, `${stdout}${stderr}`).toBe(0);
    },
  );

  it.concurrent.each(VERSIONS)('starts what the image starts on Node.js %s', async (version) => {
    const { entrypoint, command, environment } = readImage();
    const env = {
      ...environment,
      ISCCD_DATA_DIR: `/tmp/image-${version}`,
      CODEWEB_PORT: '0',
      INDEXSVC_PORT: '0',
    };
    const { stderr } = await inDebian(
      version,
      `timeout -s TERM 20 ${[...entrypoint, ...command].join(' ')}`,
      { ...env, RESOLVER_PORT: '0' },
    );
    const names = stderr.split('\n').filter((line) => line.includes('"listening"'));
    expect(names.map((line) => JSON.parse(line).service).sort(), stderr).toEqual([
      'codes',
      'resolver',
      'search',
    ]);
  });
});
