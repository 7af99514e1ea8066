/** HEIC and AVIF without FFmpeg, or with one that lacks the format. */
import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from './support/folder.js';
import { distance } from './support/recorded.js';

const FOLDER = path.resolve(import.meta.dirname, '../fixtures/codes/heif');
/** Of 256: the other decoders leave out filters, or repeat colour samples. */
const BITS_OFF_MAX = 8;

it.each([
  ['is missing', '/nonexistent/ffmpeg'],
  ['can not decode', '/bin/false'],
])('other decoders take over if FFmpeg %s', async (_, ffmpeg) => {
  vi.resetModules();
  // Other files share the process and its modules.
  onTestFinished(() => {
    vi.unstubAllEnvs();
    vi.resetModules();
  });
  vi.stubEnv('CODESDK_FFMPEG', ffmpeg);
  vi.stubEnv('CODESDK_FFPROBE', ffmpeg);
  const { format } = await import('../../src/services/codes/pipeline/formats/image.js');
  const answers: Readonly<Record<string, { readonly iscc: string } | undefined>> = JSON.parse(
    await readFile(path.join(FOLDER, 'reference.json'), 'utf8'),
  );
  for (const [name, mediatype] of [
    ['exif6-irot3.heic', 'image/heic'],
    ['exif6-irot3.avif', 'image/avif'],
  ] as const) {
    const file = path.join(await temporaryFolder(), name);
    await copyFile(path.join(FOLDER, name), file);
    const { unit, facts } = await format.content({
      path: file,
      filename: name,
      mediatype,
      granular: false,
      compat: '0.9.7',
    });
    // The image as displayed; by EXIF it would be turned once more, which changes half of the bits.
    expect(distance(unit, answers[name]?.iscc ?? '')).toBeLessThanOrEqual(BITS_OFF_MAX);
    expect(facts).toMatchObject({ width: 160, height: 120 });
  }
});
