/** `isccd scan --watch`: no change is lost, also of those that come while a pass runs. */
import { mkdirSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FolderChanges, type FolderChangesOptions } from '../../src/cli/scan/folder-changes.js';

/** Watches `archive`, with a subfolder and the folder of the reports, in a new folder. */
async function watched(options: Partial<FolderChangesOptions> = {}) {
  const parent = await mkdtemp(path.join(tmpdir(), 'isccd-changes-'));
  const folder = path.join(parent, 'archive');
  await mkdir(path.join(folder, 'sub'), { recursive: true });
  await mkdir(path.join(folder, 'out'));
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const changes = await FolderChanges.open([folder], { ignored: path.join(folder, 'out'), say, ...options });
  onTestFinished(async () => {
    changes.close();
    await rm(parent, { recursive: true });
  });
  const write = (name: string) => writeFile(path.join(folder, name), name);
  return { rounds: changes[Symbol.asyncIterator](), write, folder, said };
}

/** Whether a round comes within two seconds: four times as long as changes have to be quiet. */
async function comes(round: Promise<unknown>): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(resolve, 2000, false));
  return Promise.race([round.then(() => true as const), late]);
}

it('reports a change that came before the first question', async () => {
  const { rounds, write } = await watched();
  await write('sub/one.txt');
  await rounds.next();
});

it('reports a change that came between two questions, and only once', async () => {
  const { rounds, write } = await watched();
  await write('one.txt');
  await rounds.next();
  await write('two.txt');
  await rounds.next();
  expect(await comes(rounds.next())).toBe(false);
});

it('ignores its own reports, but not a file with a similar name', async () => {
  const { rounds, write } = await watched();
  await write('out/report.csv');
  const round = rounds.next();
  expect(await comes(round)).toBe(false);
  await write('output.txt');
  await round;
});

it('goes on after subfolders that are gone before they are read', async () => {
  const { rounds, write, folder } = await watched();
  for (let at = 0; at < 200; at += 1) {
    mkdirSync(path.join(folder, `gone${at}/inner`), { recursive: true });
    rmSync(path.join(folder, `gone${at}`), { recursive: true });
    if (at % 20 === 0) await new Promise(setImmediate);
  }
  let round = rounds.next();
  while (await comes(round)) round = rounds.next();
  await write('sub/late.txt');
  await round;
});

it('says which folder cannot be watched', async () => {
  const open = FolderChanges.open(['/does/not/exist'], { ignored: 'out', say: () => {} });
  await expect(open).rejects.toThrow(/^\/does\/not\/exist can't be watched: /);
});

it('reports a change below a folder whose parent was renamed', async () => {
  const { rounds, write, folder } = await watched();
  await mkdir(path.join(folder, 'tree/d1/e1'), { recursive: true });
  await rounds.next();
  await rename(path.join(folder, 'tree'), path.join(folder, 'tree2'));
  await rounds.next();
  let round = rounds.next();
  while (await comes(round)) round = rounds.next();
  await write('tree2/d1/e1/late.txt');
  expect(await round).toEqual({ done: false, value: 'change' });
});

it('looks from time to time without a change', async () => {
  const { rounds } = await watched({ checkMs: 1000 });
  expect(await rounds.next()).toEqual({ done: false, value: 'check' });
});

describe('a folder that is missing for a while', () => {
  const away = (folder: string) => rename(folder, `${folder}-away`);
  const back = (folder: string) => rename(`${folder}-away`, folder);

  it.each([
    ['renamed', away, back],
    [
      'removed and made again',
      (folder: string) => rm(folder, { recursive: true }),
      (folder: string) => mkdir(folder),
    ],
    [
      'below a renamed folder',
      (folder: string) => away(path.dirname(folder)),
      (folder: string) => back(path.dirname(folder)),
    ],
  ])('is looked for and watched again: %s', async (_, remove, restore) => {
    const { rounds, write, folder, said } = await watched();
    await remove(folder);
    await rounds.next();
    expect(said).toEqual([expect.stringMatching(/archive is missing or unreadable; .+ \(ENOENT: [^\n]+\)$/)]);
    // No report and no round while it is missing.
    let round = rounds.next();
    while (await comes(round)) round = rounds.next();
    expect(said).toHaveLength(1);
    await restore(folder);
    await round;
    expect(said[1]).toMatch(/archive is back$/);
    round = rounds.next();
    while (await comes(round)) round = rounds.next();
    await write('again.txt');
    await round;
  });
});
