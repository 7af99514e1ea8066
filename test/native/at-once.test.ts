/** What pools of threads do, done on the calling thread: the same answers. This file's process is changed for good. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { native } from '../../src/native.js';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-at-once-'));
  file = path.join(folder, 'file');
  writeFileSync(file, 'some bytes');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A value, an error of the work, an error with a code in front. */
const calls = () =>
  Promise.allSettled([
    native.sumFile(file),
    native.metaCode({ name: 'A name' }, 256),
    native.sumFile(path.join(folder, 'absent')),
    native.imageContent(file, '0.9.7', 128),
  ]);

test('work at once gives what work on threads gives', async () => {
  const onThreads = await calls();
  expect(onThreads.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  native.workAtOnce();
  expect(await calls()).toEqual(onThreads);
});

test('it is over when the call returns', async () => {
  let over = false;
  const summing = native.sumFile(file).then(() => {
    over = true;
  });
  // A promise that is settled already comes before the next one.
  await Promise.resolve();
  expect(over).toBe(true);
  await summing;
});
