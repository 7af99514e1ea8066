/** A database on a disk that is mounted read-only, such as a snapshot of a volume. */
import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, type TestContext, test } from 'vitest';
import { openDatabase } from '../../src/storage/database/open.js';
import { openReadOnly } from '../../src/storage/database/read-only.js';
import { temporaryFolder } from '../codes/support/folder.js';

const run = promisify(execFile);

/** Mounts a folder read-only for the time of the test. Skips the test where mounting is not allowed. */
async function readOnly(folder: string, { skip }: TestContext): Promise<string> {
  const mounted = path.join(await temporaryFolder(), 'mounted');
  await mkdir(mounted);
  try {
    await run('mount', ['--bind', folder, mounted]);
    onTestFinished(async () => {
      await run('umount', ['-l', mounted]);
    });
    await run('mount', ['-o', 'remount,ro,bind', mounted]);
  } catch (error) {
    // Not root, or a container that forbids it.
    skip(`can't mount a folder: ${String(error)}`);
  }
  return mounted;
}

for (const [state, hasLog] of [
  ['after a clean stop', false],
  ['with a log, as after a kill', true],
] as const) {
  test(`can be read ${state}`, async (context) => {
    const [folder, copy] = [await temporaryFolder(), await temporaryFolder()];
    const database = await openDatabase(undefined, folder);
    await database.db.insertInto('binding_counts').values({ alg: 'a', bindings: 1 }).execute();
    if (hasLog) await cp(folder, copy, { recursive: true });
    await database.close();
    const mounted = await readOnly(hasLog ? copy : folder, context);
    const opened = await openReadOnly(undefined, mounted);
    expect(await opened?.db.selectFrom('binding_counts').selectAll().execute()).toHaveLength(1);
    expect(await opened?.damages(1)).toEqual([]);
    await opened?.close();
  });
}
