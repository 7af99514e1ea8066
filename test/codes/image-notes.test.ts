/** Pictures that the reference loses or refuses: gray of more than 8 bits, and JPEGs without their last bytes. */
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { upload, uploaded } from './support/client.js';
import { distance } from './support/recorded.js';
import { type CodesServer, startCodes } from './support/server.js';

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes();
});
afterAll(() => server.close());

const [WIDTH, HEIGHT] = [160, 120];

/** A gray picture with soft shapes. */
const levels = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, at) => {
  const [x, y] = [at % WIDTH, Math.floor(at / WIDTH)];
  return 128 + 60 * Math.sin(x / 17 + Math.cos(y / 9)) + 60 * Math.cos(y / 13 - x / 31);
});
const gray = () => sharp(levels, { raw: { width: WIDTH, height: HEIGHT, channels: 1 } }).toColourspace('b-w');

/** A TIFF of one strip, little-endian. */
function tiff(bits: number, sampleFormat: number, samples: Buffer<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const tags = [
    [256, WIDTH],
    [257, HEIGHT],
    [258, bits],
    [259, 1],
    [262, 1],
    [273, 8 + 2 + 12 * 9 + 4],
    [277, 1],
    [279, samples.length],
    [339, sampleFormat],
  ] as const;
  const head = Buffer.alloc(8 + 2 + 12 * tags.length + 4);
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(tags.length, 8);
  for (const [index, [tag, value]] of tags.entries()) {
    const at = 10 + 12 * index;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(4, at + 2);
    head.writeUInt32LE(1, at + 4);
    head.writeUInt32LE(value, at + 8);
  }
  return new Uint8Array(Buffer.concat([head, samples]));
}

const unitOf = ({ units }: { readonly units: string[] }) => units[1] ?? '';

it('gray of more than 8 bits is coded as by the reference, with a note, or with all levels', async () => {
  const plain = unitOf(
    await uploaded(server.url, 'plain.png', new Uint8Array(await gray().png().toBuffer())),
  );
  const wide = Buffer.from(Uint16Array.from(levels, (level) => level * 257).buffer);
  const floats = Buffer.from(Float32Array.from(levels, (level) => level / 255).buffer);
  const deep = await gray().toColourspace('grey16').png().toBuffer();
  const files = {
    'deep.png': new Uint8Array(deep),
    'deep.tif': tiff(16, 1, wide),
    'float.tif': tiff(32, 3, floats),
  };
  for (const [name, bytes] of Object.entries(files)) {
    const exact = await uploaded(server.url, name, bytes);
    expect(exact.note, name).toMatch(/^DEPTH_CLIPPED: /);
    expect(distance(unitOf(exact), plain), name).toBeGreaterThan(60);
    const better = await uploaded(server.url, name, bytes, { query: '?compat=better' });
    expect(better.note, name).toBeUndefined();
    expect(distance(unitOf(better), plain), name).toBeLessThan(4);
  }
});

it('a JPEG without its last bytes is coded with a note, half of one is refused', async () => {
  for (const progressive of [false, true]) {
    const whole = new Uint8Array(await gray().jpeg({ progressive, quality: 90 }).toBuffer());
    const expected = unitOf(await uploaded(server.url, 'whole.jpg', whole));
    for (const missing of [1, 2, 20]) {
      const cut = await uploaded(server.url, 'cut.jpg', whole.subarray(0, -missing));
      expect(cut.note, `${missing}`).toMatch(/^END_MISSING: /);
      if (missing <= 2) expect(unitOf(cut), `${missing}`).toBe(expected);
    }
    if (progressive) continue;
    const half = await upload(server.url, 'half.jpg', whole.subarray(0, whole.length / 2));
    expect(half.status).toBe(422);
    await half.body?.cancel();
  }
});
