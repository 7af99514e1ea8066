/** Upload tokens, managed on the command line. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UploadTokens } from '../../src/services/store/tokens/upload-tokens.js';
import { openDatabase } from '../../src/storage/database/open.js';

const MAIN = path.resolve(import.meta.dirname, '../../dist/cli/main.js');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-tokens-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function token(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { ...process.env, MSTORE_DATA_DIR: folder, DATABASE_URL: '' };
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      [MAIN, 'store', 'token', ...args],
      { env, cwd: folder },
      (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    ),
  );
}

async function isValid(text: string): Promise<boolean> {
  const { db, close } = await openDatabase(undefined, folder);
  const found = await new UploadTokens(db).verify(text);
  await close();
  return found !== undefined;
}

test('creates, lists and revokes a token', async () => {
  const added = await token('add', 'Agency', '--scope', 'store:manifests', 'read:manifests', '--days', '3');
  expect([added.code, added.stderr]).toEqual([0, expect.stringContaining('token 1 of agency created')]);
  const text = added.stdout.trim();
  expect(text).toMatch(/^isccd_[\w-]{43}$/);
  expect(await isValid(text)).toBe(true);
  const second = JSON.parse((await token('add', 'agency', '--json')).stdout);
  expect(second).toMatchObject({ key: 2, publisher: 'agency', token: expect.stringMatching(/^isccd_/) });
  expect((await token('list')).stdout).toMatch(
    /1 {2}agency +valid +store:manifests,read:manifests +created .* expires /,
  );
  const third = await token('add', 'agency');
  expect([third.code, third.stderr]).toEqual([1, expect.stringContaining('agency has 2 valid tokens')]);
  expect((await token('revoke', '1')).stderr).toContain('token 1 of agency revoked');
  expect(await isValid(text)).toBe(false);
  const lines = (await token('list', '--json')).stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).revokedAt)).toEqual([expect.any(Number), undefined]);
});

test('names what is wrong', async () => {
  for (const [args, message] of [
    [['revoke', '99'], 'no token has the number 99'],
    [['revoke', 'x'], '"x" must be the number of a token'],
    [['add', 'a', '--days', '0'], '--days "0" must be a number of days'],
    [['add', 'a', '--scope', 'all'], 'the scope "all" must be one of store:manifests'],
  ] as const) {
    const { code, stderr } = await token(...args);
    expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining(message)]);
  }
});

test('a folder without a store stays empty', async () => {
  const dataDir = path.join(folder, 'empty');
  const env = { ...process.env, MSTORE_DATA_DIR: dataDir, DATABASE_URL: '' };
  for (const args of [
    ['token', 'list'],
    ['token', 'revoke', '1'],
    ['account', 'list'],
    ['account', 'disable', 'ann'],
    ['audit'],
    ['restore', 'urn:c2pa:8e4a1f0c-9d6b-4f6e-8f55-2c1d0b7a9e33'],
    ['reindex'],
    ['revalidate'],
  ]) {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'store', ...args], {
      env,
      cwd: folder,
      encoding: 'utf8',
    });
    expect([args, status, stderr]).toEqual([args, 2, expect.stringContaining(`no store in ${dataDir}`)]);
    expect(existsSync(dataDir)).toBe(false);
  }
});
