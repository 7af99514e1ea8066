/** `isccd scan`: groups equal a comparison of all pairs, also after kills; reports; watching. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, link, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { groupsOf } from '../../src/cli/scan/groups.js';
import type { ScannedFile } from '../../src/cli/scan/records.js';
import { decodeCode } from '../../src/iscc/codec.js';
import { native } from '../../src/native.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { RECORDED, recorded } from '../codes/support/recorded.js';
import { isccd } from '../support/command.js';
import { MAIN } from '../support/serve.js';

/** `ISCCD_TEST_SCAN_FILES=100000` is the long form. */
const FILES = Number(process.env.ISCCD_TEST_SCAN_FILES ?? 1500);
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

/** Connected components of all pairs of files with similar Content-Codes, else Data-Codes, compared one by one. */
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
    const codes = units.map((unit) => decodeCode(unit));
    const compared = codes.some(({ main }) => main === 2) ? 2 : 3;
    for (const { main, sub, body } of codes) {
      if (main !== compared) continue;
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

/** A file whose only unit is a Data-Code of equal bytes. */
function scanned(name: string, byte: number): ScannedFile {
  const units = [native.encodeUnit(3, 0, 0, 256, Buffer.alloc(32, byte))];
  return {
    path: name,
    bytes: 1,
    modifiedMs: 0,
    scannedMs: undefined,
    mode: 'text',
    mediatype: 'text/plain',
    title: undefined,
    iscc: '',
    datahash: name,
    allUnits: units,
    units,
    place: { offset: 0, bytes: 0 },
  };
}

const near = (folder: string) => ({
  distance: DISTANCE,
  folder: path.join(folder, 'work'),
  file: path.join(folder, '../near-units.ndjson'),
});

it.skipIf(process.platform === 'win32')('keeps its temporary index private', async () => {
  const folder = path.join(await temporaryFolder(), 'work');
  const files = [scanned('a', 1), scanned('b', 0xfe)];
  expect(await groupsOf(files, { ...near(folder), folder })).toEqual([]);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

it('counts hard links as one file', async () => {
  const cwd = await temporaryFolder();
  await mkdir(path.join(cwd, 'files'));
  await copyFile(recorded('photo-q85_a.jpg').path, path.join(cwd, 'files/photo.jpg'));
  await link(path.join(cwd, 'files/photo.jpg'), path.join(cwd, 'files/second.jpg'));
  await copyFile(recorded('photo-q85_a.jpg').path, path.join(cwd, 'files/third.jpg'));
  const { stdout } = await isccd(['scan', 'files', '--out', 'out', '--json'], { cwd });
  const report = JSON.parse(stdout) as Report;
  expect(report.files).toBe(2);
  expect(ofKind(report, 'duplicates')).toEqual(['files/photo.jpg\nfiles/third.jpg']);
});

it('leaves out the folders of earlier scans', async () => {
  const cwd = await temporaryFolder();
  await writeFile(path.join(cwd, 'a.txt'), 'A text that is long enough to be coded.');
  await isccd(['scan', '.', '--out', 'first'], { cwd });
  const { stdout } = await isccd(['scan', '.', '--out', 'second', '--json'], { cwd });
  expect((JSON.parse(stdout) as Report).files).toBe(1);
});

it('finds duplicates among files that cannot be coded, and that are empty', async () => {
  const cwd = await temporaryFolder();
  const photo = await readFile(recorded('photo-q85_a.jpg').path);
  const contents: readonly (readonly [string, Buffer])[] = [
    ['cut.jpg', photo.subarray(0, photo.length / 2)],
    ['bad.pdf', Buffer.from('%PDF-1.4 damaged')],
    ['noise.mp4', Buffer.alloc(5000, 0x5a)],
    ['noise.mp3', Buffer.alloc(5000, 0x5b)],
  ];
  for (const folder of ['files', 'files/copies']) {
    await mkdir(path.join(cwd, folder));
    for (const [name, bytes] of contents) await writeFile(path.join(cwd, folder, name), bytes);
  }
  const empty = ['empty', 'empty.bin', 'empty.jpg', 'empty.txt'];
  for (const name of empty) await writeFile(path.join(cwd, 'files', name), '');
  const scan = () => isccd(['scan', 'files', '--out', 'out', '--json'], { cwd });
  const { stdout, code } = await scan();
  const report = JSON.parse(stdout) as Report;
  expect([code, report.files, report.failures.length]).toEqual([1, 12, 12]);
  expect(ofKind(report, 'duplicates')).toEqual(
    sets([
      ...contents.map(([name]) => [`files/${name}`, `files/copies/${name}`]),
      empty.map((name) => `files/${name}`),
    ]),
  );
  expect(report.failures.filter((failure) => failure.path.startsWith('files/empty'))).toEqual(
    empty.map((name) => expect.objectContaining({ path: `files/${name}`, code: 'FILE_EMPTY' })),
  );
  expect((await scan()).stdout).toBe(stdout);
  expect(await lines(cwd)).toHaveLength(12);
});

describe('Data-Codes', () => {
  /** Letters from one template: the same large logo, and other words. */
  async function letters(): Promise<string> {
    const cwd = await temporaryFolder();
    await mkdir(path.join(cwd, 'files'));
    const logo = createHash('shake256', { outputLength: 300_000 }).update('logo').digest('base64');
    for (const name of ['one', 'two', 'three']) {
      const text = createHash('shake256', { outputLength: 900 }).update(name).digest('base64');
      const page = `<html><head><style>.logo{background:url(data:${logo})}</style></head><body>${text}</body></html>`;
      await writeFile(path.join(cwd, `files/${name}.html`), page);
      await writeFile(path.join(cwd, `files/${name}.bin`), logo + text);
    }
    return cwd;
  }

  const near = async (args: readonly string[], cwd: string) =>
    ofKind(
      JSON.parse((await isccd(['scan', 'files', '--json', ...args], { cwd })).stdout),
      'near-duplicates',
    );
  const all = (extension: string) => ['one', 'three', 'two'].map((name) => `files/${name}.${extension}`);

  it('join files without Content-Code only', async () => {
    const cwd = await letters();
    expect(await near([], cwd)).toEqual(sets([all('bin')]));
    expect(await near(['--units', 'content'], cwd)).toEqual([]);
    expect(await near(['--units', 'data'], cwd)).toEqual(sets([[...all('bin'), ...all('html')]]));
    expect(await near([], cwd)).toEqual(sets([all('bin')]));
  });
});

it('compares only what is new, with the groups of a comparison of all', async () => {
  const folder = await temporaryFolder();
  const kept = path.join(folder, 'kept.ndjson');
  const random = (at: number) => createHash('sha256').update(`${at}`).digest();
  // Chains: each unit is 20 bits from the next, so that a file in the middle connects both sides.
  const files = Array.from({ length: 60 }, (_, at) => {
    const bits = random(at - (at % 6));
    for (let step = 0; step < (at % 6) * 20; step += 1)
      bits[step >> 3] = (bits[step >> 3] ?? 0) ^ (1 << (step & 7));
    const unit = native.encodeUnit(3, 0, 0, 256, bits);
    return { ...scanned(`f${at}`, 0), allUnits: [unit], units: [unit] };
  });
  const groups = async (some: readonly ScannedFile[], file: string) =>
    sets(
      (await groupsOf(some, { ...near(folder), file })).map(({ members }) =>
        members.map((member) => member.file.path),
      ),
    );
  const rounds = [
    files.slice(0, 40),
    files.filter((_, at) => at % 6 !== 2),
    files.filter((_, at) => at % 5 !== 3),
    files.slice(10),
    files,
    files.slice(0, 1),
    files,
  ];
  for (const [at, some] of rounds.entries())
    expect(await groups(some, kept)).toEqual(await groups(some, path.join(folder, `fresh${at}.ndjson`)));
  expect(await groups(files, kept)).toHaveLength(10);
  const before = await stat(kept);
  expect(await groups(files, kept)).toHaveLength(10);
  expect((await stat(kept)).ino).toBe(before.ino);
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
