/** `isccd selftest` and `isccd extract`. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { recorded } from '../codes/support/recorded.js';
import { isccd } from '../support/command.js';

const OPTIONS = path.resolve(import.meta.dirname, '../fixtures/codes/options_sdk_0_9_7.json');
const VECTORS = path.resolve(import.meta.dirname, '../fixtures/codes/conformance_iscc_core_1_5_0.json');

it('selftest runs every vector at every level of kernels', async () => {
  for (const level of ['portable', undefined]) {
    const env = level === undefined ? {} : { ISCCD_SIMD: level };
    const { code, stdout } = await isccd(['selftest', '--json'], { env });
    const { machine, functions, tools } = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(machine).toMatchObject({ kernels: level ?? expect.any(String), vectors: 'iscc-core 1.5.0' });
    const published = JSON.parse(await readFile(VECTORS, 'utf8'));
    const { _metadata, ...vectors } = published as Record<string, object>;
    expect(
      Object.fromEntries(
        functions.map((one: { function: string; vectors: number }) => [one.function, one.vectors]),
      ),
    ).toEqual(
      Object.fromEntries(Object.entries(vectors).map(([name, cases]) => [name, Object.keys(cases).length])),
    );
    expect(functions.flatMap((one: { failed: string[] }) => one.failed)).toEqual([]);
    expect(tools.map((one: { tool: string }) => one.tool)).toContain('ffmpeg');
  }
});

it('selftest names missing tools', async () => {
  const { code, stdout } = await isccd(['selftest'], { env: { CODESDK_FFMPEG: '/nowhere/ffmpeg' } });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ffmpeg +missing \(audio and video\)$/m);
  expect(stdout).toMatch(/^gen_meta_code_v0 +20 vectors, ok$/m);
});

it('extract prints metadata and text, and saves the thumbnail', async () => {
  const target = path.join(await temporaryFolder(), 'small.webp');
  const picture = recorded('meta-rich_a.jpg');
  const shown = await isccd(['extract', picture.path, '--thumbnail', target]);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(/^mediatype +image\/jpeg\nmode +image\nname +\S/);
  expect((await readFile(target)).subarray(8, 12).toString()).toBe('WEBP');
  const json = JSON.parse((await isccd(['extract', picture.path, '--json'])).stdout);
  expect(json).toMatchObject({
    path: picture.path,
    name: picture.result?.name,
    thumbnail: expect.stringMatching(/^data:image\/webp/),
  });

  const { path: text } = recorded('short_a.txt');
  const { code_iscc: cases } = JSON.parse(await readFile(OPTIONS, 'utf8')) as {
    code_iscc: { result: { text?: string } }[];
  };
  const recordedText = cases.find(({ result }) => result.text !== undefined)?.result.text;
  expect((await isccd(['extract', '--text', text])).stdout.trim()).toBe(recordedText?.trim());
  const plain = JSON.parse((await isccd(['extract', '--json', text])).stdout);
  // The file has no title; the file name is no metadata.
  expect(plain).not.toHaveProperty('name');
  expect(plain.text.trim()).toBe(recordedText?.trim());
});

it.each([
  ['corrupt_a.pdf', [], 'ISCC processing error. The file is damaged'],
  ['photo_a.png', ['--text'], 'only text documents have a text'],
  ['short_a.txt', ['--thumbnail', 'x.webp'], 'the file has no thumbnail'],
])('extract of %s with %j fails with the reason', async (name, options, message) => {
  const { path: file } = recorded(name);
  const { code, stdout, stderr } = await isccd(['extract', ...options, file]);
  expect([code, stdout, stderr.startsWith(`isccd: ${file}: ${message}`)]).toEqual([1, '', true]);
});
