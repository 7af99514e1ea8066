/** `runInline`: pool work on the calling thread has the same results. The setting lasts for this test's process. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { native } from '../../src/native.js';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-inline-'));
  file = path.join(folder, 'file');
  writeFileSync(file, 'some bytes');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Two results, and two errors with a code. */
const calls = () =>
  Promise.allSettled([
    native.sumFile(file),
    native.metaCode({ name: 'A name' }, 256),
    native.sumFile(path.join(folder, 'absent')),
    native.imageContent(file, '0.9.7', 128, false),
  ]);

test('has the same results and errors as the threads', async () => {
  const onThreads = await calls();
  expect(onThreads.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  native.runInline();
  expect(await calls()).toEqual(onThreads);
});

test('finishes the work before the call returns', async () => {
  let isDone = false;
  const summing = native.sumFile(file).then(() => {
    isDone = true;
  });
  // Callbacks of a settled promise run before this one.
  await Promise.resolve();
  expect(isDone).toBe(true);
  await summing;
});
