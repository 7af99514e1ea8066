/** The start of a build in a fresh clone: what is missing is said at once, and a published addon is used. */
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NODE_TOO_OLD, nodeProgram } from '../../scripts/node-versions.mjs';
import { run } from '../support/command.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';
import { ROOT } from './support/dockerfile.js';
import { startPackageRegistry } from './support/registry.js';

const CLONED = ['scripts', 'package.json', 'package-lock.json', 'Cargo.toml', 'Cargo.lock'];
const CLOSED_PORT = 'http://127.0.0.1:1/';

let folder: string;
let clone: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-preflight-'));
  clone = path.join(folder, 'clone');
  for (const name of CLONED) await cp(path.join(ROOT, name), path.join(clone, name), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A PATH with node and npm, and with programs that print these texts. */
async function pathWith(programs: Readonly<Record<string, string>>): Promise<string> {
  const bin = await mkdtemp(path.join(folder, 'bin-'));
  for (const name of ['node', 'npm', 'sh', 'env'])
    await symlink((await run('sh', ['-c', `command -v ${name}`])).stdout.trim(), path.join(bin, name));
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(path.join(bin, name), `#!/bin/sh\necho '${text}'\n`);
    await chmod(path.join(bin, name), 0o755);
  }
  return bin;
}

const COMPILERS = { cc: '', 'c++': '', cmake: '' };
const CARGO = { cargo: 'cargo 1.95.0 (f2d3ce0bd 2026-03-21)' };

async function problems(
  programs: Readonly<Record<string, string>>,
  registry: string,
  node = process.execPath,
): Promise<readonly string[]> {
  const env = { PATH: await pathWith(programs), npm_config_registry: registry, ISCCD_SETUP_APT: 'off' };
  const { code, stdout, stderr } = await run(node, ['scripts/setup.mjs'], { cwd: clone, env });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  return stderr.trim().split('\n');
}

const CMAKE = 'isccd: cmake is missing; on Debian: apt-get install -y cmake';
const NO_NETWORK =
  'isccd: the npm registry is unreachable (ECONNREFUSED): check the network, and `npm config get registry`';

describe('a build', () => {
  it('says in one line that cmake is missing', async () => {
    const { cmake: _, ...compilers } = COMPILERS;
    const registry = await emptyRegistry();
    expect(await problems({ ...compilers, ...CARGO }, registry)).toEqual([CMAKE]);
  });

  it('names everything that is missing at once', async () => {
    expect(await problems({}, CLOSED_PORT)).toEqual([
      NO_NETWORK,
      'isccd: Rust 1.95 or newer is missing: there is no cargo on the PATH; install it with rustup',
      'isccd: a C compiler is missing; on Debian: apt-get install -y build-essential',
      'isccd: a C++ compiler is missing; on Debian: apt-get install -y build-essential',
      CMAKE,
    ]);
  });

  it('says that the network is missing before it installs packages', async () => {
    expect(await problems({ ...COMPILERS, ...CARGO }, CLOSED_PORT)).toEqual([NO_NETWORK]);
  });

  it('refuses an old Rust', async () => {
    const old = { cargo: 'cargo 1.80.1 (376290515 2024-07-16)' };
    expect(await problems({ ...COMPILERS, ...old }, await emptyRegistry())).toEqual([
      'isccd: Rust 1.95 or newer is needed; this is 1.80: rustup update stable',
    ]);
  });

  it(
    'refuses an old Node.js',
    async () => {
      const node = nodeProgram(NODE_TOO_OLD);
      expect(await problems({ ...COMPILERS, ...CARGO }, await emptyRegistry(), node)).toEqual([
        `isccd: Node.js 20 or newer is needed; this is v${NODE_TOO_OLD}`,
      ]);
    },
    INSTALL_MAX_MS,
  );
});

interface Prebuilt {
  readonly platformPackage: () => string;
  readonly addonSources: () => string;
}

/** The rules of the clone's scripts. */
async function prebuilt(): Promise<{
  readonly name: string;
  readonly sources: string;
  readonly version: string;
}> {
  const rules = (await import(path.join(clone, 'scripts/prebuilt.mjs'))) as Prebuilt;
  const { version } = JSON.parse(await readFile(path.join(clone, 'package.json'), 'utf8'));
  return { name: rules.platformPackage(), sources: rules.addonSources(), version };
}

async function published(isccdSources: string, damage?: (bytes: Buffer) => Buffer): Promise<string> {
  const { name, version } = await prebuilt();
  const source = await mkdtemp(path.join(folder, 'package-'));
  const manifest = { name, version, isccdSources };
  await writeFile(path.join(source, 'package.json'), JSON.stringify(manifest));
  await writeFile(path.join(source, 'isccd.test.node'), 'the bytes of the addon');
  await writeFile(path.join(source, 'index.d.ts'), 'export {};\n');
  const packs = path.join(source, 'packs');
  await mkdir(packs);
  await run('npm', ['pack', source, '--pack-destination', packs], { cwd: source });
  const [tarball = ''] = await readdir(packs);
  return startPackageRegistry({ manifest, tarball: path.join(packs, tarball) }, damage);
}

/** A registry that has other packages only. */
async function emptyRegistry(): Promise<string> {
  return published('of other sources');
}

/** What the clone's scripts do with a registry: the state, the problem if any, and the files they got. */
async function fetchFrom(registry: string) {
  const target = await mkdtemp(path.join(folder, 'native-'));
  const program = `import { fetchPrebuilt, findPrebuilt } from './scripts/prebuilt.mjs';
    const found = findPrebuilt();
    const problem = found.state === 'found' ? fetchPrebuilt(found, ${JSON.stringify(target)}) : undefined;
    console.log(JSON.stringify({ state: found.state, problem }));`;
  const env = { npm_config_registry: registry, npm_config_cache: path.join(target, 'cache') };
  const args = ['--input-type=module', '--eval', program];
  const { code, stdout, stderr } = await run(process.execPath, args, { cwd: clone, env });
  expect(code, stderr).toBe(0);
  return { ...JSON.parse(stdout), files: (await readdir(target)).filter((name) => name !== 'cache').sort() };
}

describe('the published addon', () => {
  it('is used if it was built of the same sources', async () => {
    const { sources } = await prebuilt();
    expect(await fetchFrom(await published(sources))).toEqual({
      state: 'found',
      files: ['index.d.ts', 'isccd.test.node'],
    });
  });

  it('is not used if its sources differ, or if there is no registry', async () => {
    expect(await fetchFrom(await published('of other sources'))).toEqual({ state: 'none', files: [] });
    expect(await fetchFrom(CLOSED_PORT)).toEqual({ state: 'unreachable', files: [] });
  });

  it('is not used if its digest differs', async () => {
    const { sources } = await prebuilt();
    const flipped = (bytes: Buffer) => {
      const copy = Buffer.from(bytes);
      copy[copy.length - 20] = (copy[copy.length - 20] ?? 0) ^ 1;
      return copy;
    };
    const { state, problem, files } = await fetchFrom(await published(sources, flipped));
    expect({ state, files }).toEqual({ state: 'found', files: [] });
    expect(problem).toMatch(/EINTEGRITY/);
  });
});
