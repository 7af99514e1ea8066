/** `isccd scan --workspace`: several scans in one report; import, status, ignored groups, references, scripts. */
import { copyFile, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { composeCode, decodeCode, encodeUnit } from '../../src/iscc/codec.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { recorded } from '../codes/support/recorded.js';
import { isccd, run } from '../support/command.js';

// Each test runs the command several times.
vi.setConfig({ testTimeout: 240_000 });

interface Report {
  readonly files: number;
  readonly groups: readonly {
    readonly kind: string;
    readonly members: readonly { readonly path: string }[];
  }[];
  readonly reference?: {
    readonly same: number;
    readonly similar: number;
    readonly missing: readonly string[];
  };
}

const WORDS = (name: string) => `The text of ${name} has its own words. `.repeat(20);

/** A folder with these files: a name stands for its text, `photo` for a picture. */
async function disk(cwd: string, name: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, content] of Object.entries(files)) {
    const target = path.join(cwd, name, file);
    await mkdir(path.dirname(target), { recursive: true });
    if (content === 'photo') await copyFile(recorded('photo-q85_a.jpg').path, target);
    else await writeFile(target, WORDS(content));
  }
}

async function scan(cwd: string, ...args: readonly string[]): Promise<Report> {
  const { stdout, stderr } = await isccd(['scan', ...args, '--json'], { cwd });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Report;
}

const groups = ({ groups: all }: Report) => all.map(({ members }) => members.map(({ path: file }) => file));

it('reports on all scans, also of disks that are not there any more', async () => {
  const cwd = await temporaryFolder();
  await disk(cwd, 'mnt', { 'a.txt': 'one', 'photos/p.jpg': 'photo', 'b.txt': 'two' });
  const one = ['mnt', '--workspace', 'all', '--label', 'disk one'];
  expect((await scan(cwd, ...one)).files).toBe(3);
  await rename(path.join(cwd, 'mnt'), path.join(cwd, 'away'));
  await disk(cwd, 'mnt', { 'copy of a.txt': 'one', 'p.jpg': 'photo' });
  const both = await scan(cwd, 'mnt', '--workspace', 'all', '--label', 'disk two');
  expect(both.files).toBe(5);
  expect(groups(both)).toEqual([
    ['disk one/a.txt', 'disk two/copy of a.txt'],
    ['disk one/photos/p.jpg', 'disk two/p.jpg'],
  ]);
  const csv = await readFile(path.join(cwd, 'all/inventory.csv'), 'utf8');
  expect(csv.trim().split('\r\n')).toHaveLength(6);

  // A file is forgotten once its disk is scanned without it, but not while it cannot be read.
  await rm(path.join(cwd, 'mnt'), { recursive: true });
  expect((await scan(cwd, 'mnt', '--workspace', 'all', '--label', 'disk two')).files).toBe(5);
  await rename(path.join(cwd, 'away'), path.join(cwd, 'mnt'));
  await rm(path.join(cwd, 'mnt/b.txt'));
  const { stderr } = await isccd(['scan', ...one], { cwd });
  expect(stderr).not.toMatch(/files\/s/);
  expect((await scan(cwd, ...one)).files).toBe(4);

  const { stdout } = await isccd(['scan', 'status', 'all', '--json'], { cwd });
  const scanned = expect.stringMatching(/^2\d{3}-/);
  expect(JSON.parse(stdout)).toMatchObject([
    { label: 'disk one', folder: path.join(cwd, 'mnt'), scanned, files: 2, failed: 0 },
    { label: 'disk two', files: 2, failed: 0, bytes: expect.any(Number) },
  ]);
  const shown = await isccd(['scan', 'status', 'all'], { cwd });
  expect(shown.stdout).toMatch(/^disk one {2}2 files, .+, 0 failed {2}2\d{3}-.+:\/.+\/mnt$/m);
  expect((await isccd(['scan', 'status', 'mnt'], { cwd })).stderr).toBe(
    'isccd: mnt is not a folder of isccd scan\n',
  );
});

it('imports workspaces of other machines, the newer results first', async () => {
  const cwd = await temporaryFolder();
  await disk(cwd, 'a', { 'one.txt': 'one', 'two.txt': 'two' });
  await disk(cwd, 'b', { 'first.txt': 'one' });
  await scan(cwd, 'a', '--workspace', 'wa', '--label', 'A');
  await scan(cwd, 'b', '--workspace', 'wb', '--label', 'B');
  const importing = (...args: readonly string[]) => scan(cwd, 'import', 'all', ...args);
  expect(groups(await importing('wa', 'wb'))).toEqual([['A/one.txt', 'B/first.txt']]);
  const size = async () => (await stat(path.join(cwd, 'all/results.ndjson'))).size;
  const before = await size();
  expect((await importing('wa')).files).toBe(3);
  expect(await size()).toBeLessThanOrEqual(before);
  expect((await importing('wb', '--label', 'other')).groups[0]?.members.map((one) => one.path)).toEqual([
    'A/one.txt',
    'B/first.txt',
    'other/B/first.txt',
  ]);
  const { stdout } = await isccd(['scan', 'status', 'all', '--json'], { cwd });
  expect(JSON.parse(stdout).map((one: { label: string }) => one.label)).toEqual(['A', 'B', 'other/B']);
  expect((await isccd(['scan', 'import', 'all', 'a'], { cwd })).stderr).toContain(
    'isccd: a has neither results.ndjson nor side-cars',
  );
});

/** A result with units of 64 bits only, as iscc-sdk writes it. */
async function sdkResult(cwd: string, file: string): Promise<Record<string, unknown>> {
  const { stdout } = await isccd(['code', file, '--no-granular', '--no-thumbnail'], { cwd });
  const { path: _, units, ...rest } = JSON.parse(stdout) as { path: string; units: string[] };
  const short = units.map((unit) => {
    const { main, sub, version, body } = decodeCode(unit);
    return encodeUnit(main, sub, version, 64, body);
  });
  return { ...rest, iscc: composeCode(short) };
}

it('imports side-cars of iscc-sdk and kmapper, and compares their short units', async () => {
  const cwd = await temporaryFolder();
  await disk(cwd, 'files', { 'p.jpg': 'photo', 'one.txt': 'one' });
  await disk(cwd, 'sdk', { 'photo.jpg': 'photo' });
  const smaller = recorded('photo-q85_a.jpg').path;
  await copyFile(smaller, path.join(cwd, 'sdk/photo.jpg'));
  const result = await sdkResult(cwd, 'sdk/photo.jpg');
  await writeFile(path.join(cwd, 'sdk/photo.jpg.iscc.json'), JSON.stringify(result));
  const text = { ...(await sdkResult(cwd, 'files/one.txt')), datahash: `1e20${'ab'.repeat(32)}` };
  const kmapper = {
    _source_path: 'texts/uno.txt',
    _batch: 'old-disk',
    _modified: '2024-05-06T07:08:09+00:00',
  };
  await mkdir(path.join(cwd, 'km/sidecars/old-disk/texts'), { recursive: true });
  const sidecar = path.join(cwd, 'km/sidecars/old-disk/texts/uno.txt.iscc.json');
  await writeFile(sidecar, JSON.stringify({ ...text, ...kmapper }));
  await scan(cwd, 'files', '--workspace', 'all', '--label', 'now');
  const report = await scan(cwd, 'import', 'all', 'sdk', 'km');
  expect(report.files).toBe(4);
  expect(report.groups.map(({ kind, members }) => [kind, ...members.map((one) => one.path)])).toEqual([
    ['duplicates', path.join(cwd, 'sdk/photo.jpg'), 'now/p.jpg'],
    ['near-duplicates', 'now/one.txt', 'old-disk/texts/uno.txt'],
  ]);
  const csv = await readFile(path.join(cwd, 'all/inventory.csv'), 'utf8');
  expect(csv).toMatch(/^old-disk\/texts\/uno\.txt,,\d+,2024-05-06T07:08:09\.000Z,/m);
});

it('leaves out ignored groups until they have another member', async () => {
  const cwd = await temporaryFolder();
  await disk(cwd, 'files', { 'a.txt': 'one', 'b.txt': 'one', 'c.txt': 'two', 'd.txt': 'two' });
  expect(groups(await scan(cwd, 'files'))).toEqual([
    ['files/a.txt', 'files/b.txt'],
    ['files/c.txt', 'files/d.txt'],
  ]);
  const ignore = (...numbers: readonly string[]) =>
    isccd(['scan', 'ignore', 'isccd-scan', ...numbers], { cwd });
  expect((await ignore('1')).stdout).toBe('{"ignored":1}\n');
  expect(groups(await scan(cwd, 'files'))).toEqual([['files/c.txt', 'files/d.txt']]);
  expect((await ignore('2')).stderr).toBe('isccd: the report in isccd-scan has no group 2\n');
  expect((await ignore('x')).code).toBe(2);
  await disk(cwd, 'files', { 'e.txt': 'one' });
  expect(groups(await scan(cwd, 'files'))[0]).toEqual(['files/a.txt', 'files/b.txt', 'files/e.txt']);
});

it('says what of a folder is in a reference', async () => {
  const cwd = await temporaryFolder();
  await disk(cwd, 'archive', { 'a.txt': 'one', 'b.txt': 'two', 'same.txt': 'two', 'p.jpg': 'photo' });
  await disk(cwd, 'archive/incoming', { 'x.txt': 'one', 'y.txt': 'new', 'z.txt': 'new' });
  const small = path.join(cwd, 'archive/incoming/small.png');
  const { default: sharp } = await import('sharp');
  await sharp(recorded('photo-q85_a.jpg').path).resize(160).png().toFile(small);
  const report = await scan(cwd, 'archive/incoming', '--reference', 'archive');
  expect(groups(report)).toEqual([
    ['archive/incoming/x.txt', 'archive/a.txt'],
    ['archive/incoming/small.png', 'archive/p.jpg'],
  ]);
  expect(report.reference).toEqual({
    same: 1,
    similar: 1,
    missing: ['archive/incoming/y.txt', 'archive/incoming/z.txt'],
  });
  const { stdout } = await isccd(['scan', 'archive/incoming', '--reference', 'archive'], { cwd });
  expect(stdout).toMatch(/^in the reference: 1 equal, 1 similar; not in it: 2$/m);
  await scan(cwd, 'archive', '--workspace', 'all', '--label', 'A');
  await rename(path.join(cwd, 'archive/incoming'), path.join(cwd, 'new'));
  await rm(path.join(cwd, 'archive'), { recursive: true });
  const later = await scan(cwd, 'new', '--workspace', 'all', '--label', 'B', '--reference', 'A');
  expect(later.reference).toMatchObject({ same: 4, missing: [] });
});

it.skipIf(process.platform === 'win32')(
  'writes a script about duplicates that acts on command only',
  async () => {
    const cwd = await temporaryFolder();
    const odd = 'it\'s\n$(touch hacked) "x".txt';
    await disk(cwd, 'files', { 'long name.txt': 'one', 'a.txt': 'one', [odd]: 'one', 'other.txt': 'two' });
    const latin = Buffer.concat([Buffer.from(`${cwd}/files/caf`), Buffer.from([0xe9])]);
    if (process.platform === 'linux') await writeFile(latin, WORDS('one'));
    await utimes(path.join(cwd, 'files/long name.txt'), 1, 1);
    const exists = (file: string | Buffer) =>
      stat(typeof file === 'string' ? path.join(cwd, file) : file).then(
        () => true,
        () => false,
      );
    const script = (...args: readonly string[]) =>
      run('sh', [path.join(cwd, 'isccd-scan/duplicates.sh'), ...args], { cwd });
    await scan(cwd, 'files', '--script', 'keep=oldest');
    expect((await script()).code).toBe(2);
    expect(await exists('files/a.txt')).toBe(true);
    expect(await script('move', path.join(cwd, 'moved'))).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await exists('files/long name.txt')).toBe(true);
    expect([await exists('files/a.txt'), await exists(`files/${odd}`), await exists(latin)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(await exists(path.join('moved', cwd, 'files', odd))).toBe(true);
    expect(await exists('hacked')).toBe(false);

    await disk(cwd, 'files', { 'a.txt': 'one', 'b.txt': 'one' });
    await scan(cwd, 'files', '--script', 'keep=shortest');
    await writeFile(path.join(cwd, 'files/b.txt'), 'changed since');
    expect((await script('link')).stderr).toMatch(/^left alone: .+files\/b\.txt$/m);
    const numbers = ['a.txt', 'long name.txt'].map(
      async (name) => (await stat(path.join(cwd, 'files', name))).ino,
    );
    expect(new Set(await Promise.all(numbers)).size).toBe(1);

    await disk(cwd, 'new', { 'copy.txt': 'two' });
    await scan(cwd, 'new', '--reference', 'files', '--script', 'keep=reference');
    expect((await script('remove')).code).toBe(0);
    expect([await exists('new/copy.txt'), await exists('files/other.txt')]).toEqual([false, true]);
  },
);

it.each([
  [['scan', '.', '--label', 'x'], '--label needs --workspace'],
  [['scan', '.', '--workspace', 'w', '--out', 'o'], '--workspace and --out exclude each other'],
  [['scan', '.', '..', '--workspace', 'w', '--label', 'x'], '--label names one folder'],
  [['scan', '.', '--workspace', 'w', '--label', 'a/b'], '--label must be a name without slashes'],
  [['scan', '.', '--script', 'newest'], '--script must be keep= and one of oldest, shortest, reference'],
  [['scan', '.', '--script', 'keep=reference'], '--script keep=reference needs --reference'],
])('%j is refused', async (args, message) => {
  const cwd = await temporaryFolder();
  expect(await isccd(args, { cwd })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(`isccd: ${message}`),
  });
});
