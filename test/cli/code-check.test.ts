/** `isccd code --tree`, `--check` and `--verify`. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { composeCode, decodeCode, encodeUnit } from '../../src/iscc/codec.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { recorded } from '../codes/support/recorded.js';
import { isccd, run } from '../support/command.js';
import { MAIN } from '../support/serve.js';

// Some tests run the command many times.
vi.setConfig({ testTimeout: 240_000 });

interface Tree {
  readonly name: string;
  readonly files: Readonly<Record<string, string | { readonly text: string; readonly times: number }>>;
  /** With `--tree`, and with `--tree --narrow`. */
  readonly iscc: string;
  readonly narrow: string;
}

const FIXTURE = path.resolve(import.meta.dirname, '../fixtures/codes/iscc_sum_tree_0_1_0.json');
const TREES = (JSON.parse(await readFile(FIXTURE, 'utf8')) as { readonly cases: readonly Tree[] }).cases;

async function written(files: Tree['files']): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, 't', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, typeof content === 'string' ? content : content.text.repeat(content.times));
  }
  return folder;
}

describe('--tree', () => {
  it.each(TREES)('prints the code of iscc-sum 0.1.0: $name', async ({ files, iscc, narrow }) => {
    const cwd = await written(files);
    const { stdout } = await isccd(['code', '--tree', 't'], { cwd });
    const line = JSON.parse(stdout) as { readonly units: readonly string[] };
    expect(line).toMatchObject({ path: 't/', iscc });
    expect(composeCode(line.units)).toBe(narrow);
  });

  it.skipIf(process.platform === 'win32')('follows no links, and fails without files', async () => {
    const [plain] = TREES as [Tree];
    const cwd = await written(plain.files);
    await symlink('a.txt', path.join(cwd, 't/link.txt'));
    await symlink('sub', path.join(cwd, 't/linked'));
    expect(JSON.parse((await isccd(['code', '--tree', 't/'], { cwd })).stdout)).toMatchObject({
      path: 't/',
      iscc: plain.iscc,
      files: Object.keys(plain.files).length,
    });
    await mkdir(path.join(cwd, 'none'));
    for (const [folder, message] of [
      ['none', 'none has no files'],
      ['t/a.txt', 't/a.txt is not a folder'],
      ['missing', 'missing: ENOENT'],
    ] as const)
      expect(await isccd(['code', '--tree', folder], { cwd })).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(`isccd: ${message}`),
      });
  });
});

/** Two texts, a picture, and an empty file; codes of all in `list.jsonl`. */
async function listed(): Promise<string> {
  const cwd = await temporaryFolder();
  await mkdir(path.join(cwd, 'files'));
  await writeFile(path.join(cwd, 'files/a.txt'), 'The text of a. '.repeat(20));
  await writeFile(path.join(cwd, 'files/b (1).txt'), 'The text of b. '.repeat(20));
  await writeFile(path.join(cwd, 'files/photo.jpg'), await readFile(recorded('photo-q85_a.jpg').path));
  const { stdout } = await isccd(['code', 'files', '--no-thumbnail', '--no-granular'], { cwd });
  await writeFile(path.join(cwd, 'list.jsonl'), stdout);
  return cwd;
}

const entries = async (cwd: string) =>
  (await readFile(path.join(cwd, 'list.jsonl'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { path: string; units: string[]; iscc: string; datahash: string });

describe('--check', () => {
  it('reports changed and missing files of a list of ours', async () => {
    const cwd = await listed();
    const check = () => isccd(['code', '--check', 'list.jsonl'], { cwd });
    const ok = 'files/a.txt: OK\nfiles/b (1).txt: OK\nfiles/photo.jpg: OK\n';
    expect(await check()).toEqual({ code: 0, stdout: ok, stderr: '' });
    await writeFile(path.join(cwd, 'files/a.txt'), 'The text of a! '.repeat(20));
    const lines = (await entries(cwd)).map((entry) => ({
      ...entry,
      path: entry.path.replace('photo', 'gone'),
    }));
    await writeFile(path.join(cwd, 'list.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const ended = await check();
    expect(ended).toMatchObject({ code: 1, stderr: 'isccd: 3 checked, 1 changed, 1 not readable\n' });
    expect(ended.stdout).toBe(
      'files/a.txt: FAILED\nfiles/b (1).txt: OK\n' +
        'files/gone.jpg: FAILED open or read (the file does not exist)\n',
    );
  });

  it('reads codes without datahash, of any length, in JSON over several lines', async () => {
    const cwd = await listed();
    const all = await entries(cwd);
    const [a, b, photo] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]];
    const short = a.units.map((unit) => {
      const { main, sub, version, body } = decodeCode(unit);
      return encodeUnit(main, sub, version, 64, body);
    });
    const list = [
      { path: a.path, units: short },
      { path: b.path, iscc: b.iscc },
      { path: photo.path, iscc: a.iscc },
    ];
    await writeFile(path.join(cwd, 'list.jsonl'), list.map((one) => JSON.stringify(one, null, 2)).join('\n'));
    expect((await isccd(['code', '--check', 'list.jsonl'], { cwd })).stdout).toBe(
      'files/a.txt: OK\nfiles/b (1).txt: OK\nfiles/photo.jpg: FAILED\n',
    );
    await writeFile(path.join(cwd, 'array.json'), JSON.stringify(list, null, 1));
    expect((await isccd(['code', '--check', 'array.json'], { cwd })).stdout.match(/OK/g)).toHaveLength(2);
  });

  it('reads lists of iscc-sum in both forms, with folders', async () => {
    const [plain] = TREES as [Tree];
    const cwd = await written(plain.files);
    const { stdout } = await isccd(['code', 't', '--no-thumbnail'], { cwd });
    const sums = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { path: string; units: string[] })
      .map(({ path: name, units }) => ({ name, iscc: composeCode(units.slice(-2), true) }));
    const lines = sums.map(({ name, iscc }) => `${iscc} *${name}`);
    await writeFile(path.join(cwd, 'sums'), `\ufeff${[...lines, `${plain.iscc} *t/`].join('\n')}\n`);
    const all = await isccd(['code', '--check', 'sums'], { cwd });
    expect([all.code, all.stdout.match(/: OK$/gm)?.length]).toEqual([0, sums.length + 1]);
    const bsd = sums.map(({ name, iscc }) => `ISCC-SUM (${name}) = ${iscc}`);
    await writeFile(path.join(cwd, 'bsd'), [...bsd, `ISCC-SUM (t/) = ${plain.narrow}`].join('\0'));
    await writeFile(path.join(cwd, 't/b.txt'), 'c');
    const changed = await isccd(['code', '--check', 'bsd'], { cwd });
    expect(changed.stdout.match(/^.+: FAILED$/gm)).toEqual(['t/b.txt: FAILED', 't/: FAILED']);
  });

  it.runIf(process.platform === 'linux')('finds names that are not UTF-8', async () => {
    const cwd = await temporaryFolder();
    await writeFile(
      Buffer.concat([Buffer.from(`${cwd}/caf`), Buffer.from([0xe9]), Buffer.from('.txt')]),
      'café',
    );
    await run('sh', ['-c', `'${process.execPath}' '${MAIN}' code . > /dev/null; true`], { cwd });
    const { stdout } = await isccd(['code', '.', '--resume', '../list.jsonl'], { cwd });
    expect(stdout).toBe('');
    expect((await isccd(['code', '--check', '../list.jsonl'], { cwd })).stdout).toBe('caf\\xe9.txt: OK\n');
  });

  it('refuses other files', async () => {
    const cwd = await listed();
    await writeFile(path.join(cwd, 'none'), '\n');
    for (const [list, message] of [
      ['files/a.txt', 'files/a.txt, line 1 is neither a result in JSON nor a line of iscc-sum'],
      ['files/photo.jpg', 'files/photo.jpg, line 1 is neither'],
      ['none', 'none has no codes'],
      ['missing', 'missing: ENOENT'],
    ] as const)
      expect(await isccd(['code', '--check', list], { cwd })).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(`isccd: ${message}`),
      });
  });
});

describe('--verify', () => {
  it('finds codes of iscc-sdk again, by name below a folder', async () => {
    const cwd = await temporaryFolder();
    await mkdir(path.join(cwd, 'files/inner'), { recursive: true });
    const names = ['photo-q85_a.jpg', 'short_a.txt', 'paper_a.pdf'];
    const old = names.map((name) => ({ ...recorded(name).result, filename: name }));
    for (const name of names)
      await writeFile(path.join(cwd, 'files/inner', name), await readFile(recorded(name).path));
    await writeFile(path.join(cwd, 'old.jsonl'), old.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const { code, stdout, stderr } = await isccd(['code', '--verify', 'old.jsonl', 'files'], { cwd });
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^format +equal +metadata +units +changed +failed$/m);
    expect(stderr).toMatch(/^application\/pdf +1 +0 +0 +0 +0$/m);
    expect(stderr).toMatch(/^image\/jpeg +1 +0 +0 +0 +0$/m);
  });

  it('prints differing units, changed and missing files, by format', async () => {
    const cwd = await listed();
    const all = await entries(cwd);
    const flipped = all.map(({ path: name, units, ...rest }) => ({
      path: name,
      ...rest,
      units: units.map((unit) => {
        const { main, sub, version, bits, body } = decodeCode(unit);
        const bytes = Uint8Array.from(body, (byte, at) => (main === 2 && at === 1 ? byte ^ 3 : byte));
        return encodeUnit(main, sub, version, bits, bytes);
      }),
      ...(name.includes('photo') && { description: 'another one' }),
    }));
    const lines = [...flipped, { ...all[0], path: 'files/gone.txt' }];
    await writeFile(path.join(cwd, 'old.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await writeFile(path.join(cwd, 'files/a.txt'), 'Quite another text. '.repeat(20));
    const { code, stdout, stderr } = await isccd(['code', '--verify', 'old.jsonl'], { cwd });
    const found = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(found).toMatchObject([
      { path: 'files/a.txt', verdict: 'changed' },
      {
        path: 'files/b (1).txt',
        verdict: 'units',
        units: [{ unit: 'CONTENT_TEXT_V0', distance: 2, bits: 256 }],
      },
      { path: 'files/photo.jpg', verdict: 'units', fields: ['description'] },
      { path: 'files/gone.txt', mediatype: 'text/plain', verdict: 'failed', error: { code: 'NOT_FOUND' } },
    ]);
    expect(stderr).toMatch(/^image\/jpeg +0 +0 +1 +0 +0$/m);
    expect(stderr).toMatch(/^text\/plain +0 +0 +1 +1 +1$/m);
    expect([code, stderr]).toEqual([1, expect.stringContaining('isccd: 4 of 4 files differ\n')]);
  });

  it.each([
    [['--tree', '.', '--check', 'x'], '--tree, --check and --verify cannot be combined'],
    [['--verify', 'x', '--csv'], '--tree, --check and --verify cannot be combined'],
    [['--check', 'x', 'y.txt'], '--tree and --check take no further files'],
    [[], 'name files, folders or addresses'],
  ])('%j is refused', async (args, message) => {
    expect(await isccd(['code', ...args])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`isccd: ${message}`),
    });
  });
});
