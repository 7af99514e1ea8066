/**
 * The Python package `isccd-client`: wheel and sdist are built as for a release, the wheel is installed into a new virtual
 * environment, its types are checked, and its own tests run against the real services.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateSecretKey } from '../../src/platform/signing/key.js';
import { startAllServices } from '../support/all-services.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const SOURCES = path.join(ROOT, 'clients/python');
const PACK = path.join(ROOT, 'scripts/pack-python.mjs');
const OPERATOR_TOKEN = 'operator-token-of-the-python-tests';
const TESTS_MAX_MS = 300_000;

let folder = '';
let packages = '';
let python = '';

/** Runs a program in a copy of the package's tests and examples, where it finds the installed package and no sources. */
async function inCopy(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const cwd = path.join(folder, 'clients', 'python');
  const { stdout } = await run(python, args, { cwd, env: { ...process.env, ...env } }).catch(
    (error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${error.stdout}\n${error.stderr}`);
    },
  );
  return stdout;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-python-client-'));
  packages = path.join(folder, 'packages');
  await run(process.execPath, [PACK, packages]);
  const venv = path.join(folder, 'venv');
  await run(process.env.ISCCD_TEST_PYTHON ?? 'python3', ['-m', 'venv', venv]);
  python = path.join(venv, 'bin', 'python');
  const wheel = (await readdir(packages)).find((name) => name.endsWith('.whl')) ?? '';
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  await run(python, [...install, `${path.join(packages, wheel)}[test]`], { timeout: INSTALL_MAX_MS });
  const copy = path.join(folder, 'clients', 'python');
  for (const name of ['tests', 'examples', 'pyproject.toml'])
    await cp(path.join(SOURCES, name), path.join(copy, name), { recursive: true });
  // The tests read files of this repository at the same relative place.
  for (const name of ['codes/files/photo-q85_a.jpg', 'c2pa/manifests/ok-es256-iscc4.c2pa'])
    await cp(path.join(ROOT, 'test/fixtures', name), path.join(folder, 'test/fixtures', name));
}, 2 * INSTALL_MAX_MS);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the Python client', () => {
  it('is a wheel and an sdist, which have all services and their types', async () => {
    const names = await readdir(packages);
    expect(names.sort()).toEqual([
      expect.stringMatching(/^isccd_client-.+-py3-none-any\.whl$/),
      expect.stringMatching(/^isccd_client-.+\.tar\.gz$/),
    ]);
    const list = ['-m', 'zipfile', '--list', path.join(packages, names[0] ?? '')];
    const files = await inCopy(list);
    for (const name of ['py.typed', '_sync/codes.py', 'openapi/resolver/client.py', 'licenses/LICENSE'])
      expect(files).toContain(name);
    expect(files).not.toContain('hatch_build');
  });

  it('is built of the same bytes again', { timeout: INSTALL_MAX_MS }, async () => {
    const again = path.join(folder, 'again');
    await run(process.execPath, [PACK, again]);
    for (const name of await readdir(packages))
      expect([name, await digestOf(path.join(again, name))]).toEqual([
        name,
        await digestOf(path.join(packages, name)),
      ]);
  });

  it('passes mypy in strict mode, with its tests and examples', { timeout: TESTS_MAX_MS }, async () => {
    expect(await inCopy(['-m', 'mypy', 'tests', 'examples'])).toContain('Success');
    expect(await inCopy(['-m', 'mypy', '--package', 'isccd_client'])).toContain('Success');
  });

  it('passes its own tests against the services', { timeout: TESTS_MAX_MS }, async () => {
    const services = await startAllServices({
      INDEXSVC_API_SECRET: 'key',
      MSTORE_OPERATOR_TOKEN_SHA256: createHash('sha256').update(OPERATOR_TOKEN).digest('hex'),
      MSTORE_SECKEY: generateSecretKey(),
      MSTORE_BY_CONTENT: 'true',
      RESOLVER_BY_CONTENT: 'true',
      RESOLVER_RIGHTS: 'true',
    });
    try {
      const { codes, search, store, resolver } = services.url;
      const addresses = {
        ISCCD_TEST_CODES: codes,
        ISCCD_TEST_SEARCH: search,
        ISCCD_TEST_STORE: store,
        ISCCD_TEST_RESOLVER: resolver,
      };
      const secrets = { ISCCD_TEST_SEARCH_KEY: 'key', ISCCD_TEST_STORE_TOKEN: OPERATOR_TOKEN };
      expect(await inCopy(['-m', 'pytest', '-q'], { ...addresses, ...secrets })).toMatch(/\d+ passed/);
      const photos = path.join(folder, 'test/fixtures/codes/files');
      const example = ['examples/find.py', photos, path.join(photos, 'photo-q85_a.jpg')];
      const urls = { CODES_URL: codes, SEARCH_URL: search, SEARCH_KEY: 'key' };
      expect(await inCopy(example, urls)).toBe('1 new, 0 known, 0 refused\n1.00  photo-q85_a.jpg\n');
    } finally {
      await services.stop();
    }
  });
});

async function digestOf(file: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}
