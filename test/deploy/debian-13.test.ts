/**
 * uWebSockets.js 20.57 on Node.js 22 and 24: its binaries need glibc 2.38, so these tests run in a root of Debian 13, on the
 * packages and the programs of this checkout.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { NODE_VERSIONS, nodeProgram } from '../../scripts/node-versions.mjs';
import { run } from '../support/command.js';
import { debianProgram, folderOf, INSTALL_MAX_MS } from '../support/set-up.js';
import { ROOT } from './support/dockerfile.js';

/** uWebSockets.js has no binary for Node.js 26. */
const VERSIONS = NODE_VERSIONS.filter((version) => /^2[24]\./.test(version));
const SUITE = ['check-transport', 'framing', 'server', 'timeouts'].map((name) => `test/http/${name}.test.ts`);
const SUITE_MS_MAX = 300_000;

/** Mounts are for root, in a name space of their own, and some containers forbid them to root, too. */
const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'proc', 'proc', '/proc']).status === 0;

describe.skipIf(!canMount)('Debian 13', { timeout: SUITE_MS_MAX }, () => {
  let debian: string;

  beforeAll(async () => {
    const mmdebstrap = debianProgram(['mmdebstrap'], 'mmdebstrap');
    debian = await folderOf('debian-13', async (draft) => {
      const options = ['--variant=essential', '--include=libstdc++6', '--quiet', 'trixie', draft];
      const { code, stderr } = await run(mmdebstrap, options);
      expect(code, stderr).toBe(0);
      await writeFile(path.join(draft, 'etc/hosts'), '127.0.0.1 localhost\n');
      await mkdir(path.join(draft, ROOT), { recursive: true });
    });
  }, INSTALL_MAX_MS);

  /** Runs a script of the checkout with a version of Node.js. */
  function inDebian(version: string, script: string, env: Readonly<Record<string, string>> = {}) {
    const node = path.dirname(nodeProgram(version));
    const variables = Object.entries({ HOME: '/root', PATH: `${node}:/usr/bin:/bin`, ...env });
    const mounts = ['proc', 'dev', ROOT].map((place) => {
      const target = path.join(debian, place);
      return place === 'proc'
        ? `mount -t proc proc ${target}`
        : `mount --rbind ${path.resolve('/', place)} ${target}`;
    });
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
});
