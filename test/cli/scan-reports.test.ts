/** The reports of `isccd scan`, its inventory and records; watching; what is refused. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Libsql from 'libsql';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { recorded } from '../codes/support/recorded.js';
import { isccd } from '../support/command.js';
import { MAIN } from '../support/serve.js';

const DISTANCE = 32;
// Some tests run the command many times.
vi.setConfig({ testTimeout: 240_000 });

interface Line {
  readonly path: string;
  readonly datahash: string;
  readonly name: string;
  readonly titled: boolean;
  readonly units: readonly string[];
  readonly silent: readonly string[];
}

interface Member {
  readonly path: string;
  readonly unit?: string;
  readonly distance?: number;
  readonly closest?: string;
}

interface Report {
  readonly files: number;
  readonly failures: readonly { readonly path: string; readonly code: string }[];
  readonly groups: readonly { readonly kind: string; readonly members: readonly Member[] }[];
}

const lines = async (folder: string) =>
  (await readFile(path.join(folder, 'out/results.ndjson'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

/** Sets of paths, in a form that compares. */
const sets = (groups: readonly (readonly string[])[]) =>
  groups.map((group) => [...group].sort().join('\n')).sort();

const ofKind = (report: Report, kind: string) =>
  sets(
    report.groups.filter((group) => group.kind === kind).map(({ members }) => members.map((one) => one.path)),
  );

/** A picture twice, smaller, and as part of another work with the same title; plain pictures; a damaged file. */
async function archive(): Promise<string> {
  const folder = await temporaryFolder();
  const files = path.join(folder, 'files');
  await mkdir(path.join(files, 'more'), { recursive: true });
  const photo = await readFile(recorded('photo-q85_a.jpg').path);
  await writeFile(path.join(files, 'a.jpg'), photo);
  await writeFile(path.join(files, 'more/b.jpg'), photo);
  await writeFile(path.join(files, 'more/c.png'), await sharp(photo).resize(160).png().toBuffer());
  for (const [at, colour] of ['#123456', '#eeddcc', '#00ff00'].entries()) {
    const create = { width: 90, height: 60 + at, channels: 3 as const, background: colour };
    await writeFile(path.join(files, `plain${at}.png`), await sharp({ create }).png().toBuffer());
  }
  const page = (text: string) =>
    `<html><head><title>One title &amp; two works</title></head><body>${text}</body></html>`;
  await writeFile(path.join(files, 'v1.html'), page('The first text about whales and ships. '.repeat(30)));
  await writeFile(
    path.join(files, 'v2.html'),
    page('Quite other words, on the making of cheese. '.repeat(40)),
  );
  await writeFile(path.join(files, 'bad.pdf'), '%PDF-1.4 damaged');
  return folder;
}

describe('reports', () => {
  it('name duplicates, near-duplicates with unit and distance, and versions', async () => {
    const cwd = await archive();
    const { stdout, stderr, code } = await isccd(['scan', 'files', '--out', 'out', '--json'], { cwd });
    const report = JSON.parse(stdout) as Report;
    expect([code, report.files]).toEqual([1, 9]);
    expect(stderr).toMatch(/^isccd: files\/bad\.pdf: .+/m);
    expect(report.failures).toMatchObject([{ path: 'files/bad.pdf', code: 'FILE_DAMAGED' }]);
    expect(ofKind(report, 'duplicates')).toEqual(['files/a.jpg\nfiles/more/b.jpg']);
    expect(ofKind(report, 'near-duplicates')).toEqual(['files/a.jpg\nfiles/more/c.png']);
    expect(ofKind(report, 'versions')).toEqual(['files/v1.html\nfiles/v2.html']);
    const near = report.groups.find(({ kind }) => kind === 'near-duplicates')?.members[0];
    expect(near).toMatchObject({ unit: 'CONTENT_IMAGE_V0', closest: 'files/more/c.png' });
    expect(near?.distance).toBeLessThanOrEqual(DISTANCE);

    const html = await readFile(path.join(cwd, 'out/report.html'), 'utf8');
    expect(html.match(/<img src="data:image\/webp;base64,/g)).toHaveLength(4);
    expect(html).toContain('One title &#38; two works');
    expect(html).toContain('<td>FILE_DAMAGED</td>');
    expect(html).not.toMatch(/<script|src="http|href="http/);
    const csv = (await readFile(path.join(cwd, 'out/report.csv'), 'utf8')).trim().split('\r\n');
    expect(csv[0]).toBe('kind,group,path,bytes,mediatype,title,unit,distance,closest,symmetry');
    expect(csv).toHaveLength(7);
    expect(csv[3]).toMatch(
      /^near-duplicates,2,files\/a\.jpg,16503,image\/jpeg,,CONTENT_IMAGE_V0,\d+,files\/more\/c\.png,$/,
    );
  });

  it('show control characters and overrides of the direction in names', async () => {
    const cwd = await temporaryFolder();
    await mkdir(path.join(cwd, 'files'));
    await writeFile(path.join(cwd, 'files/a  b\n<i>\u202egpj.pdf'), '%PDF-1.4 damaged');
    const { stdout } = await isccd(['scan', 'files', '--out', 'out'], { cwd });
    expect(stdout).toMatch(/^1 file, .+, 1 failed$/m);
    const html = await readFile(path.join(cwd, 'out/report.html'), 'utf8');
    expect(html).toContain('<td>files/a  b\\n&#60;i&#62;\\u202egpj.pdf</td>');
  });

  it('fail for a folder that does not exist', async () => {
    const cwd = await temporaryFolder();
    const { code, stderr } = await isccd(['scan', 'nofolder'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^isccd: nofolder: .+/m);
  });

  it('follow removed and changed files; the table shows them', async () => {
    const cwd = await archive();
    const scan = () => isccd(['scan', 'files', '--out', 'files/out'], { cwd });
    const first = await scan();
    expect(first.stdout).toMatch(/^9 files, .+, 1 failed$/m);
    expect(first.stdout).toMatch(/^1 group of near-duplicates/m);
    expect(first.stdout).toMatch(/^ {2}CONTENT_IMAGE_V0 +\d+ bits +files\/a\.jpg$/m);
    await rm(path.join(cwd, 'files/more/b.jpg'));
    await rm(path.join(cwd, 'files/bad.pdf'));
    await writeFile(path.join(cwd, 'files/v2.html'), 'No title, and other words. '.repeat(30));
    const second = await scan();
    expect(second.stdout).toMatch(/^7 files, .+, 0 failed$/m);
    expect(second.stdout).toMatch(/^0 groups of duplicates/m);
    expect(second.stdout).toMatch(/^0 groups of versions/m);
  });

  it('have an inventory of every file, as a table and as a database', async () => {
    const cwd = await archive();
    await link(path.join(cwd, 'files/v1.html'), path.join(cwd, 'files/v1-linked.html'));
    // Fractions of milliseconds are cut off, as in listings of files.
    const modified = 1_795_946_568.1369;
    await utimes(path.join(cwd, 'files/a.jpg'), modified, modified);
    await isccd(['scan', 'files', '--out', 'out'], { cwd });
    const database = new Libsql(path.join(cwd, 'out/inventory.sqlite'), { readonly: true });
    onTestFinished(() => void database.close());
    const rows = database.prepare('SELECT * FROM files ORDER BY path').all() as Record<string, unknown>[];
    const of = (file: string) => rows.find((row) => row.path === `files/${file}`);
    expect(rows).toHaveLength(10);
    const photo = of('a.jpg');
    expect(photo).toMatchObject({
      same_file_as: null,
      film_of: null,
      bytes: 16503,
      mediatype: 'image/jpeg',
      mode: 'image',
      iscc: expect.stringMatching(/^ISCC:/),
      content_code: expect.stringMatching(/^ISCC:EE/),
      modified: '2026-11-29T10:02:48.136Z',
      error: null,
    });
    const { instance_group, data_group, content_cluster } = photo ?? {};
    expect([instance_group, data_group, content_cluster]).toEqual([1, 1, 1]);
    expect(of('more/b.jpg')).toMatchObject({ instance_group, data_group, content_cluster });
    expect(of('more/c.png')).toMatchObject({ instance_group: null, data_group: null, content_cluster });
    expect(of('bad.pdf')).toMatchObject({
      error: 'FILE_DAMAGED',
      content_code: null,
      data_code: expect.stringMatching(/^ISCC:/),
    });
    expect([of('v1-linked.html'), of('v1.html')].map((row) => row?.same_file_as).sort()).toEqual([
      'files/v1-linked.html',
      null,
    ]);
    const csv = (await readFile(path.join(cwd, 'out/inventory.csv'), 'utf8')).trim().split('\r\n');
    expect(csv[0]?.split(',')).toEqual(Object.keys(photo ?? {}));
    expect(csv).toHaveLength(11);
  });

  it('grow neither by reading again nor by another spelling of the folder', async () => {
    const cwd = await archive();
    const scan = (folder: string) => isccd(['scan', folder, '--out', 'out'], { cwd });
    await scan('files');
    const count = async () => (await lines(cwd)).length;
    expect(await count()).toBe(9);
    const read = async () => (await readFile(path.join(cwd, 'out/results.ndjson'), 'utf8')).length;
    const bytes = await read();
    for (const folder of ['files', './files', path.join(cwd, 'files'), 'files/../files']) {
      const { stdout, stderr } = await scan(folder);
      expect(stdout).toMatch(/^9 files, /);
      // The damaged file is tried again.
      expect(stderr).toMatch(/^isccd: 1 file, 1 failed, 8 done before/m);
    }
    expect(await read()).toBe(bytes);
    for (const name of await readdir(path.join(cwd, 'files')))
      await utimes(path.join(cwd, 'files', name), 9, 9);
    await scan('files');
    expect(await count()).toBe(9);
    expect((await scan('files')).stderr).toMatch(/^isccd: 1 file, 1 failed, 8 done before/m);
  });

  it('belong to one scan at a time', async () => {
    const cwd = await archive();
    const child = spawn(process.execPath, [MAIN, 'scan', 'files', '--out', 'out', '--watch'], {
      cwd,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const { code, stdout, stderr } = await isccd(['scan', 'files', '--out', 'out'], { cwd });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      'isccd: out is in use by another process; wait until the other scan ends, or choose another --out\n',
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await isccd(['scan', 'files', '--out', 'out'], { cwd })).stdout).toMatch(/^9 files/);
  });

  it('are made again on changes with --watch', async () => {
    const cwd = await archive();
    const child = spawn(process.execPath, [MAIN, 'scan', 'files', '--out', 'out', '--watch'], {
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const ended = once(child, 'close');
    const csv = () => readFile(path.join(cwd, 'out/report.csv'), 'utf8').catch(() => '');
    await vi.waitFor(async () => expect(await csv()).toContain('files/a.jpg'), 60_000);
    await writeFile(path.join(cwd, 'files/copy.html'), await readFile(path.join(cwd, 'files/v1.html')));
    await vi.waitFor(async () => expect(await csv()).toContain('duplicates,2,files/copy.html'), 60_000);
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(130);
    expect(stderr).toMatch(/^isccd: interrupted; run the same command again to go on$/m);
  });

  it.each([
    [['scan', 'https://files.example/'], 'scan reads local folders only'],
    [['scan', '.', '--distance', '65'], '--distance must be an integer from 0 to 64'],
    [['scan', '.', '--out', ''], '--out must name a folder'],
    [
      ['scan', '.', '--units', 'content,pixels'],
      '--units must be types separated by commas: meta, semantic, content, data',
    ],
  ])('%j is refused', async (args, message) => {
    expect(await isccd(args)).toMatchObject({ code: 2, stderr: `isccd: ${message}\n` });
  });

  it.runIf(process.platform === 'linux')('are refused where no folder can be made', async () => {
    expect(await isccd(['scan', '.', '--out', '/proc/none/out'])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^isccd: --out must name a folder that can be written: ENOENT: .+\/proc\/none/,
      ),
    });
  });

  it('are refused with one line before any file is read if their place is unusable', async () => {
    const cwd = await archive();
    await mkdir(path.join(cwd, 'out/report.html'), { recursive: true });
    const scan = async (out: string) => isccd(['scan', 'files', '--out', out], { cwd });
    const detail = [
      ['files/a.jpg', /^isccd: --out must name a folder that can be written: EEXIST: [^\n]+\n$/],
      ['files/a.jpg/out', /^isccd: --out must name a folder that can be written: ENOTDIR: [^\n]+\n$/],
      ['out', /^isccd: out\/report\.html is a folder; choose another --out\n$/],
    ] as const;
    for (const [out, message] of detail) {
      const { code, stdout, stderr } = await scan(out);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(message);
    }
    expect(await readdir(path.join(cwd, 'out'))).toEqual(['report.html']);
    await rm(path.join(cwd, 'out/report.html'), { recursive: true });
    await mkdir(path.join(cwd, 'out/report.html.tmp'));
    expect((await scan('out')).stderr).toMatch(
      /^isccd: out\/report\.html can't be written: EISDIR: [^\n]+\n/m,
    );
  });
});
