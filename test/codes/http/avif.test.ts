/** Animated AVIF: an image by its first picture. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, postJson, upload, uploaded } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { hasProgram } from '../support/recorded.js';
import { type CodesServer, startCodes } from '../support/server.js';

let server: CodesServer;

const canEncode =
  hasProgram('ffmpeg') && execFileSync('ffmpeg', ['-hide_banner', '-encoders']).includes('libaom-av1');

describe.skipIf(!canEncode)('animated AVIF', () => {
  beforeAll(async () => {
    server = await startCodes({ config: { maxWorkers: 1 } });
  });
  afterAll(() => server?.close());

  const animated = async () => {
    const file = path.join(await temporaryFolder(), 'animated.avif');
    const pictures = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=5:d=1'];
    execFileSync('ffmpeg', ['-v', 'error', ...pictures, '-c:v', 'libaom-av1', '-cpu-used', '8', file]);
    return new Uint8Array(await readFile(file));
  };
  const changed = (file: Uint8Array, text: string, at: number) => {
    const copy = Buffer.from(file);
    copy.write(text, at, 'latin1');
    return new Uint8Array(copy);
  };
  const brandOf = (file: Uint8Array) => Buffer.from(file).toString('latin1', 4, 12);
  const content = (units: readonly string[]) => units.find((unit) => unit.startsWith('ISCC:E'));
  /** A digest of all packets of each track. */
  const packets = (bytes: Uint8Array) => {
    const input = ['-v', 'error', '-i', 'pipe:0', '-map', '0', '-c', 'copy', '-f', 'streamhash', '-'];
    return execFileSync('ffmpeg', input, { input: bytes }).toString();
  };

  test('has code, size and thumbnail of its first picture', async () => {
    const animation = await animated();
    expect(brandOf(animation)).toBe('ftypavis');
    const result = await uploaded(server.url, 'animated.avif', animation);
    expect(result).toMatchObject({ mode: 'image', mediatype: 'image/avif', width: 320, height: 180 });
    expect(result.thumbnail).toMatch(/^data:image\/webp;base64,/);
    const still = await uploaded(server.url, 'still.avif', changed(animation, 'avif', 8));
    expect(content(result.units)).toBe(content(still.units));
  });

  test('takes metadata and stays an animation', async () => {
    const animation = await animated();
    const { media_id, units } = await uploaded(server.url, 'animated.avif', animation);
    const response = await postJson(server.url, `/metadata/${media_id}`, { name: 'Grüße', creator: 'Ada' });
    const copy = await bodyOf(response);
    expect(copy).toMatchObject({ name: 'Grüße', mode: 'image', mediatype: 'image/avif' });
    expect(content(copy.units)).toBe(content(units));
    const file = await fetch(`${server.url}/api/v1/media/${copy.media_id}`);
    const bytes = new Uint8Array(await file.arrayBuffer());
    expect(brandOf(bytes)).toBe('ftypavis');
    expect(packets(bytes)).toBe(packets(animation));
  });

  test('without a still image is refused as a variant without decoder', async () => {
    const animation = await animated();
    const track = changed(animation, 'free', Buffer.from(animation).indexOf('meta'));
    const response = await upload(server.url, 'track.avif', track);
    expect([response.status, await response.text()]).toEqual([
      422,
      expect.stringContaining('(FORMAT_UNSUPPORTED)'),
    ]);
  });
});
