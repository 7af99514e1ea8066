/** A database in memory has no file. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '../../src/storage/database/sqlite.js';

it('a database in memory leaves no file in the working directory', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-memory-'));
  const before = process.cwd();
  onTestFinished(async () => {
    process.chdir(before);
    await rm(folder, { recursive: true });
  });
  process.chdir(folder);
  await openSqlite(':memory:').destroy();
  expect(existsSync(path.join(folder, ':memory:'))).toBe(false);
});
