/** `isccd store add|list|get|rm` on a running store. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bytesOf, sidecar } from '../store/support/fixtures.js';
import { OPERATOR_TOKEN, startStore } from '../store/support/server.js';
import { isccd } from '../support/command.js';
import { MAIN } from '../support/serve.js';

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures/c2pa/manifests');
const rows = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('manifests are added, listed, fetched and deleted', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-manifests-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const server = await startStore({ dataDir: path.join(folder, 'store'), url: undefined });
  onTestFinished(() => server.stop());
  await mkdir(path.join(folder, 'old/more'), { recursive: true });
  for (const [name, place] of [
    ['ok-ed25519', 'a.c2pa'],
    ['ok-es384', 'more/b.c2pa'],
    ['bad-signature', 'more/c.c2pa'],
  ])
    await copyFile(path.join(FIXTURES, `${name}.c2pa`), path.join(folder, 'old', place ?? ''));
  await writeFile(path.join(folder, 'old/notes.txt'), 'words');
  const store = (args: readonly string[], token = OPERATOR_TOKEN) => {
    const env = { ISCCD_STORE_TOKEN: token };
    return isccd(['store', ...args, '--at', server.url], { cwd: folder, env });
  };

  // The second time changes nothing.
  for (let times = 0; times < 2; times += 1) {
    const added = await store(['add', 'old', '--include', '**/*.c2pa', '--no-declare']);
    expect([added.code, added.stderr]).toEqual([1, expect.stringMatching(/^isccd: old\/more\/c\.c2pa: ./)]);
    expect(rows(added.stdout)).toMatchObject([
      { path: 'old/a.c2pa', manifestId: sidecar('ok-ed25519').expect.manifestId },
      { path: 'old/more/b.c2pa', manifestId: sidecar('ok-es384').expect.manifestId },
      { path: 'old/more/c.c2pa', error: { code: 'claimSignature.mismatch' } },
    ]);
  }
  const [first, second] = rows((await store(['list'])).stdout);
  const ids = [first?.manifestId, second?.manifestId].map(String);
  expect(rows((await store(['list', '--after', String(first?.key)])).stdout)).toEqual([second]);

  expect((await store(['get', ids[0] ?? '', '-o', 'copy.c2pa'])).code).toBe(0);
  const names = ['ok-ed25519', 'ok-es384'];
  const wanted = names.map((name) => sidecar(name)).find((one) => one.expect.manifestId === ids[0]);
  if (wanted === undefined) throw new Error('the list has another manifest');
  expect(await readFile(path.join(folder, 'copy.c2pa'))).toEqual(bytesOf(wanted));

  const refused = await store(['rm', ...ids], 'isccd_wrong');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('ISCCD_STORE_TOKEN')]);
  const removed = await store(['rm', 'unknown', ...ids, ids[0] ?? '']);
  expect(rows(removed.stdout)).toMatchObject([
    { manifestId: 'unknown', error: { detail: 'Manifest not found' } },
    ...ids.map((manifestId) => ({ manifestId, deleted: true })),
    { manifestId: ids[0], error: { detail: 'Manifest was deleted' } },
  ]);
  expect([removed.code, removed.stderr.trim().split('\n')]).toEqual([
    1,
    [
      expect.stringContaining('unknown: Manifest not found'),
      expect.stringContaining(`${ids[0]}: Manifest was deleted`),
    ],
  ]);
  expect((await store(['list'])).stdout).toBe('');
  const missing = await store(['get', ids[0] ?? '']);
  expect([missing.code, missing.stdout]).toEqual([1, '']);
  expect(missing.stderr).toMatch(/^isccd: Manifest was deleted/);
});

test('adding waits as the rate of uploads asks for', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-manifests-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const place = { dataDir: path.join(folder, 'store'), url: undefined };
  const server = await startStore(place, { MSTORE_RATE_WRITE: '2/s' });
  onTestFinished(() => server.stop());
  const args = [
    'store',
    'add',
    FIXTURES,
    '--include',
    'ok-e*.c2pa',
    'ok-i*.c2pa',
    '--no-declare',
    '--at',
    server.url,
  ];
  // Without a token, as the operator's is exempt from the rate.
  const added = await isccd(args, { cwd: folder, env: { ISCCD_STORE_TOKEN: '' } });
  expect([added.code, added.stderr]).toEqual([0, '']);
  expect(rows(added.stdout).length).toBeGreaterThan(3);
});

test.each(['SIGINT', 'SIGTERM'] as const)('adding leaves no files behind after %s', async (signal) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-manifests-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const args = [MAIN, 'store', 'add', '-', '--at', 'http://127.0.0.1:9'];
  const child = spawn(process.execPath, args, { cwd: folder, env: { ...process.env, TMPDIR: folder } });
  const ended = once(child, 'exit');
  child.stdin.write('the begin of a manifest');
  const files = () => readdir(folder, { recursive: true });
  await expect.poll(files, { timeout: 20_000 }).toContainEqual(expect.stringContaining('fetched-'));
  child.kill(signal);
  expect(await ended).toEqual([130, null]);
  expect(await files()).toEqual([]);
});

test('an address that is no URL of a service is named with its option', async () => {
  const refused = await isccd(['store', 'list', '--at', 'ftp://example.com']);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    'isccd: --at: must be an http or https URL without query and fragment, not "ftp://example.com"\n',
  ]);
});
