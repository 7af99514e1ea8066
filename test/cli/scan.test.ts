/** `isccd scan`: groups equal a comparison of all pairs, also after kills; reports; watching. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { groupsOf } from '../../src/cli/scan/groups.js';
import type { ScannedFile } from '../../src/cli/scan/records.js';
import { decodeCode } from '../../src/codec.js';
import { native } from '../../src/native.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { RECORDED, recorded } from '../codes/support/recorded.js';
import { isccd } from '../support/command.js';
import { MAIN } from '../support/serve.js';

/** `ISCCD_TEST_SCAN_FILES=100000` is the long form. */
const FILES = Number(process.env.ISCCD_TEST_SCAN_FILES ?? 1500);
const DISTANCE = 32;

interface Line {
  readonly path: string;
  readonly datahash: string;
  readonly name: string;
  readonly titled: boolean;
  readonly units: readonly string[];
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

/** Small texts: some equal, some with a word exchanged, some with a title of their own. */
async function manyTexts(folder: string, count: number): Promise<void> {
  const words = (seed: number) =>
    Array.from({ length: 60 }, (_, at) => `w${((seed + 1) * 7919 * (at + 3)) % 9973}`);
  for (let at = 0; at < count; at += 1) {
    const family = words(at % 7 < 3 ? at - (at % 7) : at);
    if (at % 7 === 2) family[10] = `changed${at}`;
    const directory = path.join(folder, `d${at % 20}`);
    if (at < 20) await mkdir(directory, { recursive: true });
    await writeFile(path.join(directory, `t${at}.txt`), family.join(' '));
  }
}

/** Connected components of all pairs of files with similar Content- or Data-Codes, compared one by one. */
function bruteForce(files: readonly Line[]): string[] {
  const distinct = [...new Map([...files].reverse().map((file) => [file.datahash, file])).values()];
  const parents = Uint32Array.from(distinct.keys());
  for (const { owners, words } of unitsByKind(distinct).values()) {
    const bits = Uint32Array.from(words);
    for (const [a, owner] of owners.entries()) {
      for (let b = a + 1; b < owners.length; b += 1)
        if (isNear(bits, a * WORDS, b * WORDS))
          parents[rootOf(parents, owners[b] ?? 0)] = rootOf(parents, owner);
    }
  }
  const members = new Map<number, string[]>();
  for (const [at, { path: file }] of distinct.entries()) {
    const group = members.get(rootOf(parents, at));
    if (group === undefined) members.set(rootOf(parents, at), [file]);
    else group.push(file);
  }
  return sets([...members.values()].filter(({ length }) => length > 1));
}

/** 32-bit words of a unit of 256 bits. */
const WORDS = 8;

/** Content- and Data-Codes that compare with each other: the file of each unit, and the units' words one after another. */
function unitsByKind(files: readonly Line[]) {
  const kinds = new Map<string, { owners: number[]; words: number[] }>();
  for (const [at, { units }] of files.entries()) {
    for (const { main, sub, body } of units.map((unit) => decodeCode(unit))) {
      if (main !== 2 && main !== 3) continue;
      const kind = kinds.get(`${main} ${sub}`) ?? { owners: [], words: [] };
      kinds.set(`${main} ${sub}`, kind);
      kind.owners.push(at);
      const view = new DataView(Uint8Array.from(body).buffer);
      for (let word = 0; word < WORDS; word += 1) kind.words.push(view.getUint32(4 * word));
    }
  }
  return kinds;
}

function isNear(words: Uint32Array, a: number, b: number): boolean {
  let distance = 0;
  for (let at = 0; at < WORDS && distance <= DISTANCE; at += 1) {
    // The sums of pairs, of nibbles, and of bytes (Warren, Hacker's Delight, 5-1).
    let bits = (words[a + at] ?? 0) ^ (words[b + at] ?? 0);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    distance += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return distance <= DISTANCE;
}

function rootOf(parents: Uint32Array, member: number): number {
  let root = member;
  while (parents[root] !== root) {
    parents[root] = parents[parents[root] ?? 0] ?? 0;
    root = parents[root] ?? 0;
  }
  return root;
}

it(`finds in ${FILES} files, killed and resumed, what a comparison of all pairs finds`, {
  timeout: 3_600_000,
}, async () => {
  const folder = await temporaryFolder();
  await manyTexts(path.join(folder, 'files'), FILES);
  const args = ['scan', 'files', '--out', 'out', '--distance', String(DISTANCE), '--json'];
  for (let kills = 1; kills <= 3; kills += 1) {
    const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, stdio: 'ignore' });
    const ended = once(child, 'exit');
    await vi.waitFor(async () => expect((await lines(folder)).length).toBeGreaterThan((FILES * kills) / 5), {
      timeout: 600_000,
      interval: 50,
    });
    child.kill('SIGKILL');
    await ended;
  }
  const { stdout, code, stderr } = await isccd(args, { cwd: folder });
  expect(code).toBe(0);
  expect(stderr).toMatch(/ done before/);
  const found = await lines(folder);
  expect(found.map((line) => line.path).sort()).toEqual(
    Array.from({ length: FILES }, (_, at) => `files/d${at % 20}/t${at}.txt`).sort(),
  );
  const report = JSON.parse(stdout) as Report;
  expect(report).toMatchObject({ files: FILES, failures: [] });
  expect(ofKind(report, 'near-duplicates')).toEqual(
    bruteForce(found.sort((a, b) => (a.path < b.path ? -1 : 1))),
  );
  expect(ofKind(report, 'near-duplicates').length).toBeGreaterThan(FILES / 20);
  const byHash = new Map<string, string[]>();
  for (const { datahash, path: file } of found) byHash.set(datahash, [...(byHash.get(datahash) ?? []), file]);
  expect(ofKind(report, 'duplicates')).toEqual(sets([...byHash.values()].filter(({ length }) => length > 1)));
});

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

it('counts a file once that is found through links and by several folders', async () => {
  const cwd = await temporaryFolder();
  await mkdir(path.join(cwd, 'files'));
  await copyFile(recorded('photo-q85_a.jpg').path, path.join(cwd, 'files/photo.jpg'));
  await symlink('photo.jpg', path.join(cwd, 'files/latest.jpg'));
  await symlink('files', path.join(cwd, 'linked'));
  const folders = ['files', 'linked', path.join(cwd, 'files')];
  const { stdout, code } = await isccd(['scan', ...folders, '--out', 'out', '--json'], { cwd });
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { files: 1, groups: [] }]);
  expect((await lines(cwd)).map((line) => line.path)).toEqual(['files/photo.jpg']);
});

it.skipIf(process.platform === 'win32')('keeps its temporary index private', async () => {
  const folder = path.join(await temporaryFolder(), 'work');
  const file = (name: string, bits: number): ScannedFile => ({
    path: name,
    bytes: 1,
    modifiedMs: 0,
    mode: 'text',
    mediatype: 'text/plain',
    title: undefined,
    datahash: name,
    units: [native.encodeUnit(3, 0, 0, 256, Buffer.alloc(32, bits))],
    place: { offset: 0, bytes: 0 },
  });
  expect(await groupsOf([file('a', 1), file('b', 0xfe)], DISTANCE, folder)).toEqual([]);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

it('reads a folder with a file of every format in one command', { timeout: 1_200_000 }, async () => {
  const cwd = await temporaryFolder();
  const byFormat = new Map(
    [...RECORDED]
      .reverse()
      .map((one) => [`${path.extname(one.file)} ${one.result?.mediatype ?? one.error?.type}`, one]),
  );
  const chosen = [...byFormat.values()];
  await mkdir(path.join(cwd, 'files'));
  for (const { file, path: source } of chosen) await copyFile(source, path.join(cwd, 'files', file));
  const { stdout, code } = await isccd(['scan', 'files', '--out', 'out', '--json'], { cwd });
  const report = JSON.parse(stdout) as Report;
  expect(code).toBe(report.failures.length === 0 ? 0 : 1);
  // A failure is a line, too.
  const read = (await lines(cwd)).map((line) => line.path);
  const failed = report.failures.map((failure) => failure.path);
  expect(read.sort()).toEqual(chosen.map(({ file }) => `files/${file}`).sort());
  for (const failure of report.failures) expect(failure.code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
  // What the reference codes is coded here, too.
  const supported = chosen.filter(({ result }) => result !== undefined).map(({ file }) => `files/${file}`);
  expect(supported.length).toBeGreaterThan(25);
  expect(failed.filter((file) => supported.includes(file))).toEqual([]);
});

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
    expect(csv[0]).toBe('kind,group,path,bytes,mediatype,title,unit,distance,closest');
    expect(csv).toHaveLength(7);
    expect(csv[3]).toMatch(
      /^near-duplicates,2,files\/a\.jpg,16503,image\/jpeg,,CONTENT_IMAGE_V0,\d+,files\/more\/c\.png$/,
    );
  });

  it('show control characters and overrides of the direction in names', async () => {
    const cwd = await temporaryFolder();
    await mkdir(path.join(cwd, 'files'));
    await writeFile(path.join(cwd, 'files/a  b\n<i>\u202egpj.pdf'), '%PDF-1.4 damaged');
    const { stdout } = await isccd(['scan', 'files', '--out', 'out'], { cwd });
    expect(stdout).toMatch(/^1 files, .+, 1 failed$/m);
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

  it('are made again on changes with --watch', async () => {
    const cwd = await archive();
    const child = spawn(process.execPath, [MAIN, 'scan', 'files', '--out', 'out', '--watch'], {
      cwd,
      stdio: 'ignore',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    const csv = () => readFile(path.join(cwd, 'out/report.csv'), 'utf8').catch(() => '');
    await vi.waitFor(async () => expect(await csv()).toContain('files/a.jpg'), 60_000);
    await writeFile(path.join(cwd, 'files/copy.html'), await readFile(path.join(cwd, 'files/v1.html')));
    await vi.waitFor(async () => expect(await csv()).toContain('duplicates,2,files/copy.html'), 60_000);
    child.kill('SIGINT');
    expect((await ended)[0]).toBe(130);
  });

  it.each([
    [['scan', 'https://files.example/'], 'scan reads local folders only'],
    [['scan', '.', '--distance', '65'], '--distance must be an integer from 0 to 64'],
    [['scan', '.', '--out', ''], '--out must name a folder'],
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
