/** Names and metadata of files that would control a terminal, be formulas in a spreadsheet, or are not text. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { csvField } from '../../src/platform/csv.js';
import { printable, printableText } from '../../src/platform/printable.js';
import { temporaryFolder } from '../codes/support/folder.js';
import { isccd, run } from '../support/command.js';
import { MAIN } from '../support/serve.js';

const WORDS = 'Words of one text. '.repeat(20);
const CONTROLS = ['\u001b', '\u009b', '\u202e'];
const LINUX = process.platform === 'linux';
/** A command that has a terminal as its output. */
const onTerminal = (command: string, cwd: string) =>
  run('script', ['-qec', `${process.execPath} ${MAIN} ${command}`, '/dev/null'], { cwd });

describe('printable', () => {
  it('escapes controls and what reverses the order of text, and nothing else', () => {
    expect(printable('a\u001b[31m\r\n\t\u0000\u007f\u009b\u202e\u2066\u2028z')).toBe(
      'a\\u001b[31m\\r\\n\\t\\u0000\\u007f\\u009b\\u202e\\u2066\\u2028z',
    );
    expect(printable('Größe \u200f שלום 😀\\n')).toBe('Größe \u200f שלום 😀\\n');
  });

  it('keeps the lines of a text', () => {
    expect(printableText('a\tb\r\nc\rd\u001b\n')).toBe('a\tb\nc\\rd\\u001b\n');
  });
});

it('a field of CSV is no formula; numbers stay', () => {
  const texts = ['=1+1', '+1', '-2.jpg', '@SUM(1)', '\tx', '\rx', 'a=b', '', 'a,"b"'];
  expect(texts.map(csvField)).toEqual([
    ...["'=1+1", "'+1", "'-2.jpg", "'@SUM(1)", "'\tx", `"'\rx"`, 'a=b', '', '"a,""b"""'],
  ]);
  expect([-1, 0, undefined, null].map(csvField)).toEqual(['-1', '0', '', '']);
});

/** Equal files in the working folder, with these names. */
async function named(names: readonly (string | Buffer)[]): Promise<string> {
  const cwd = await temporaryFolder();
  for (const name of names)
    await writeFile(Buffer.concat([Buffer.from(`${cwd}/`), Buffer.from(name)]), WORDS);
  return cwd;
}

describe.skipIf(!LINUX)('names of files', () => {
  const HOSTILE = ['\u001b[31mred.txt', 'new\nline.txt', 'rtl\u202etxt.exe.txt', '=1+1.txt', '-2.txt'];

  it('cannot control the terminal, and are unchanged in JSON', async () => {
    const cwd = await named(HOSTILE);
    await writeFile(path.join(cwd, 'bad\u001b\nisccd: forged.pdf'), '%PDF-1.4 damaged');
    const { stdout, stderr } = await isccd(['scan', '.'], { cwd });
    for (const shown of ['\\u001b[31mred.txt', 'new\\nline.txt', 'rtl\\u202etxt.exe.txt'])
      expect(stdout).toMatch(new RegExp(` {2}${shown.replace(/[\\[]/g, '\\$&')}$`, 'm'));
    expect(stderr).toMatch(/^isccd: bad\\u001b\\nisccd: forged\.pdf: /m);
    expect(CONTROLS.filter((one) => (stdout + stderr).includes(one))).toEqual([]);
    const { groups } = JSON.parse((await isccd(['scan', '.', '--json'], { cwd })).stdout);
    expect(groups[0].members.map((member: { path: string }) => member.path).sort()).toEqual(
      [...HOSTILE].sort(),
    );
  });

  it('are no formulas in tables', async () => {
    const cwd = await named(HOSTILE);
    await isccd(['scan', '.'], { cwd });
    const tables = [
      await readFile(path.join(cwd, 'isccd-scan/report.csv'), 'utf8'),
      (await isccd(['code', '.', '--csv', '--exclude', 'isccd-scan/**'], { cwd })).stdout,
    ];
    for (const table of tables) {
      expect(table).toMatch(/(^|,)'=1\+1\.txt,/m);
      expect(table).toMatch(/(^|,)'-2\.txt,/m);
      expect(table).toContain('\u001b[31mred.txt');
    }
  });

  it('of a table are escaped on a terminal', async () => {
    const { stdout } = await onTerminal('code . --csv 2>/dev/null', await named(HOSTILE));
    expect(stdout).toContain('\n\\u001b[31mred.txt,');
    expect(stdout).toContain('\nnew\\nline.txt,');
    expect(CONTROLS.filter((one) => stdout.includes(one))).toEqual([]);
  });

  it('that are not UTF-8 are read by their bytes, in folders and as arguments', async () => {
    const bytes = (first: number) => Buffer.from([0x62, first, 0xfe, 0x2e, 0x74, 0x78, 0x74]);
    const cwd = await named([bytes(0xff), bytes(0xfd), 'b\ufffd.txt']);
    const folder = Buffer.concat([Buffer.from(`${cwd}/f`), Buffer.from([0xe9])]);
    await mkdir(folder);
    await writeFile(Buffer.concat([folder, Buffer.from('/c\\'), Buffer.from([0xff])]), WORDS);
    const ESCAPED = ['b\\xfd\\xfe.txt', 'b\\xff\\xfe.txt', 'b\ufffd.txt', 'f\\xe9/c\\x5c\\xff'];
    const coded = (stdout: string) =>
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { path: string; iscc?: string; filename?: string })
        .map(({ path: file, iscc }) => [file, iscc?.slice(0, 5)]);
    const expected = ESCAPED.map((file) => [file, 'ISCC:']);
    const { code, stdout, stderr } = await isccd(['code', '.'], { cwd });
    expect([code, coded(stdout)]).toEqual([0, expected]);
    expect(stderr).not.toMatch(/UTF-8/);
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ filename: 'b\ufffd\ufffd.txt' });
    const { stdout: given } = await run('sh', ['-c', `"$0" "$1" code b* f*`, process.execPath, MAIN], {
      cwd,
    });
    // The shell may sort otherwise.
    expect(coded(given).sort()).toEqual([...expected].sort());
    await isccd(['code', '.', '--sidecar'], { cwd });
    const sidecar = Buffer.concat([Buffer.from(`${cwd}/`), bytes(0xfd), Buffer.from('.iscc.json')]);
    expect(JSON.parse(await readFile(sidecar, 'utf8'))).toHaveProperty('iscc');
    const scanned = JSON.parse((await isccd(['scan', '.', '--json'], { cwd })).stdout);
    expect(scanned.failures).toEqual([]);
    expect(scanned.groups[0].members.map((member: { path: string }) => member.path)).toEqual(ESCAPED);
    const { stdout: again } = await isccd(['scan', '.'], { cwd });
    expect(again).toMatch(/^4 files, /m);
    expect(again).toMatch(/ {2}b\\xfd\\xfe\.txt$/m);
  });
});

it('metadata of a file cannot control the terminal', async () => {
  const cwd = await temporaryFolder();
  const page = `<html><head><meta name="author" content="A\u001b[31m\u009b\u202eB"></head><body>${WORDS}</body></html>`;
  await writeFile(path.join(cwd, 'a.html'), page);
  const { stdout } = await isccd(['extract', 'a.html'], { cwd });
  expect(stdout).toMatch(/^creator +A\\u001b\[31m\\u009b\\u202eB$/m);
  const { stderr } = await isccd(['extract', '\u001b\nisccd: forged.jpg'], { cwd });
  expect(stderr).toMatch(/^isccd: \\u001b\\nisccd: forged\.jpg: [^\n]+\n$/);
});
