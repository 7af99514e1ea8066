/** `isccd code --resume`: interrupted runs, failed and changed files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { outcomes } from '../../src/cli/batch/run.js';
import type { Source } from '../../src/cli/batch/source.js';
import { localSources } from '../../src/cli/batch/walk.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { recorded } from '../codes/support/recorded.js';
import { isccd, run } from '../support/command.js';
import { MAIN } from '../support/serve.js';

interface Line {
  readonly path: string;
  readonly iscc?: string;
  readonly name?: string;
  readonly filename?: string;
  readonly units?: readonly string[];
  readonly error?: { readonly code: string; readonly detail: string };
}

const LEAN = ['--no-thumbnail', '--no-granular'];

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function onlySource(file: string): Promise<Source> {
  const [source] = await all(localSources(file));
  if (source === undefined || 'error' in source) throw new Error('no source');
  return source;
}

const paths = (lines: readonly Line[]) => lines.map((line) => line.path);
/** A folder with texts, a picture, a damaged file and files that are no sources. */
async function archive(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(path.join(folder, 'a/inner'), { recursive: true });
  const write = (name: string, content: string | Buffer) => writeFile(path.join(folder, name), content);
  await write('b.txt', 'The text of b. '.repeat(20));
  await write('a/one.txt', 'The text of one. '.repeat(20));
  await write('a/inner/photo.jpg', await readFile(recorded('photo-q85_a.jpg').path));
  await write('a/inner/bad.pdf', '%PDF-1.4 damaged');
  await write('a/one.txt.iscc.json', '{}');
  await symlink(folder, path.join(folder, 'a/circle'));
  await symlink('one.txt', path.join(folder, 'a/two.txt'));
  return folder;
}

describe('--resume', () => {
  it('after a kill, nothing is done twice and nothing is missing', async () => {
    const cwd = await temporaryFolder();
    const names = Array.from({ length: 400 }, (_, at) => `t${String(at).padStart(3, '0')}.txt`);
    await mkdir(path.join(cwd, 'files'));
    for (const name of names) await writeFile(path.join(cwd, 'files', name), `Text ${name}. `.repeat(12));
    const file = path.join(cwd, 'out.ndjson');
    const args = [MAIN, 'code', ...LEAN, '--jobs', '2', '--resume', file, 'files'];
    const written = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').length - 1;
    for (let kills = 0; kills < 3; kills += 1) {
      const before = await written();
      const child = spawn(process.execPath, args, { cwd, stdio: 'ignore' });
      const ended = once(child, 'exit');
      await vi.waitFor(async () => expect(await written()).toBeGreaterThan(before + 20), {
        timeout: 30_000,
        interval: 5,
      });
      child.kill('SIGKILL');
      await ended;
    }
    const torn = await readFile(file, 'utf8');
    await writeFile(file, `${torn}{"path":"files/t3`);
    expect(await isccd(args.slice(1), { cwd })).toMatchObject({ code: 0, stdout: '' });
    const lines = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    expect(paths(lines).sort()).toEqual(names.map((name) => `files/${name}`));
    const last = await isccd(args.slice(1), { cwd });
    expect([last.code, await written()]).toEqual([0, names.length]);
  });

  it.skipIf(process.platform === 'win32')(
    'names a file that takes no more, and keeps whole lines',
    async () => {
      const cwd = await archive();
      const ended = await run(
        'bash',
        ['-c', `ulimit -f 1; '${process.execPath}' '${MAIN}' code a b.txt --resume out.ndjson`],
        {
          cwd,
        },
      );
      expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(/^isccd: out\.ndjson: EFBIG: /)]);
      const kept = (await readFile(path.join(cwd, 'out.ndjson'), 'utf8')).split('\n');
      expect(kept.pop()).toBe('');
      for (const line of kept) expect(JSON.parse(line)).toHaveProperty('path');
      expect(await isccd(['code', 'b.txt', '--resume', 'out.ndjson'], { cwd })).toMatchObject({ code: 0 });
    },
  );

  it.skipIf(process.platform === 'win32')(
    'tries a file again that has changed while it was read',
    async () => {
      const cwd = await temporaryFolder();
      const file = path.join(cwd, 'a.bin');
      await writeFile(file, Buffer.alloc(1_000_000));
      const source = await onlySource(file);
      const change = async () => appendFile(file, 'x');
      const [changed] = await all(outcomes([source], change, { jobs: 1, folder: cwd }));
      expect(changed).toMatchObject({ error: { code: 'FILE_CHANGED' } });
      const replace = async () => {
        await writeFile(path.join(cwd, 'new'), Buffer.alloc(1_000_001));
        await rename(path.join(cwd, 'new'), file);
        throw new Error('the end of the file is missing');
      };
      const [replaced] = await all(outcomes([source], replace, { jobs: 1, folder: cwd }));
      expect(replaced).toMatchObject({ error: { code: 'FILE_CHANGED' } });
      const touch = async () => utimes(file, 1, 1);
      const [touched] = await all(outcomes([source], touch, { jobs: 1, folder: cwd }));
      expect(touched).toMatchObject({ error: { code: 'FILE_CHANGED' } });
      const read = async () => 'read';
      expect(await all(outcomes([source], read, { jobs: 1, folder: cwd }))).toMatchObject([
        { result: 'read' },
      ]);

      const line = { path: 'a.bin', error: { code: 'FILE_CHANGED', detail: 'the file has changed' } };
      await writeFile(path.join(cwd, 'out.ndjson'), `${JSON.stringify(line)}\n`);
      expect((await isccd(['code', 'a.bin', '--resume', 'out.ndjson'], { cwd })).code).toBe(0);
      const written = (await readFile(path.join(cwd, 'out.ndjson'), 'utf8')).trim().split('\n');
      expect(written.map((one) => (JSON.parse(one) as Line).error?.code)).toEqual([
        'FILE_CHANGED',
        undefined,
      ]);
    },
  );

  it('tries failed and changed files again, and refuses another file', async () => {
    const cwd = await archive();
    const args = ['code', ...LEAN, '--resume', 'out.ndjson', 'a', 'b.txt'];
    const lines = async () => (await readFile(path.join(cwd, 'out.ndjson'), 'utf8')).trim().split('\n');
    expect((await isccd(args, { cwd })).code).toBe(1);
    expect(await lines()).toHaveLength(5);
    await writeFile(path.join(cwd, 'b.txt'), 'Other text. '.repeat(30));
    await writeFile(path.join(cwd, 'a/inner/bad.pdf'), await readFile(recorded('paper_a.pdf').path));
    expect((await isccd(args, { cwd })).code).toBe(0);
    expect((await lines()).slice(5).map((line) => (JSON.parse(line) as Line).path)).toEqual([
      'a/inner/bad.pdf',
      'b.txt',
    ]);
    expect(await isccd(['code', '--resume', 'b.txt', 'a'], { cwd })).toMatchObject({
      code: 1,
      stderr: 'isccd: the end of b.txt is not a result of isccd; choose another file\n',
    });
    expect(await readFile(path.join(cwd, 'b.txt'), 'utf8')).toBe('Other text. '.repeat(30));
    await writeFile(path.join(cwd, 'list.txt'), 'one\ntwo\n');
    expect((await isccd(['code', '--resume', 'list.txt', 'a'], { cwd })).stderr).toContain(
      'list.txt, line 1 is not',
    );
    expect(await readFile(path.join(cwd, 'list.txt'), 'utf8')).toBe('one\ntwo\n');
  });
});
