/** HEIC and AVIF without FFmpeg, or with one that lacks the format. */
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from './support/folder.js';

const FOLDER = path.resolve(import.meta.dirname, '../fixtures/codes/heif');

it.each([
  ['is missing', '/nonexistent/ffmpeg'],
  ['can not decode', '/bin/false'],
])('other decoders take over if FFmpeg %s', async (_, ffmpeg) => {
  vi.resetModules();
  vi.stubEnv('CODESDK_FFMPEG', ffmpeg);
  vi.stubEnv('CODESDK_FFPROBE', ffmpeg);
  const { format } = await import('../../src/codes/pipeline/formats/image.js');
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
    // The image as displayed; by EXIF it would be turned once more.
    expect(unit).toMatch(/^ISCC:EED/);
    expect(facts).toMatchObject({ width: 160, height: 120 });
  }
});
