/** `isccd scan --watch`: no change is lost, also of those that come while a pass runs. */
import { mkdirSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { FolderChanges } from '../../src/cli/scan/folder-changes.js';

async function watched() {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-changes-'));
  await mkdir(path.join(folder, 'sub'));
  await mkdir(path.join(folder, 'out'));
  const changes = new FolderChanges([folder], path.join(folder, 'out'));
  onTestFinished(async () => {
    changes.close();
    await rm(folder, { recursive: true });
  });
  const write = (name: string) => writeFile(path.join(folder, name), name);
  return { rounds: changes[Symbol.asyncIterator](), write, folder };
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

it('says which folder cannot be watched', () => {
  expect(() => new FolderChanges(['/does/not/exist'], 'out')).toThrow(
    /^\/does\/not\/exist can't be watched: /,
  );
});
