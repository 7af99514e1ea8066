/** Small files that are expensive or dangerous to process. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { zip } from '../../support/zip.js';

type Bytes = Uint8Array<ArrayBuffer>;

const bytes = (...parts: readonly (Uint8Array | string)[]): Bytes =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))),
  );

const u16le = (value: number) => Buffer.from([value & 255, value >> 8]);
const u32be = (value: number) => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
};
const u32le = (value: number) => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
};

/** A one-bit PNG; `packed` is its compressed pixel data. */
function png(width: number, height: number, packed: Uint8Array): Bytes {
  const chunk = (type: string, data: Uint8Array) => {
    const body = bytes(type, data);
    return bytes(u32be(data.length), body, u32be(crc32(body)));
  };
  const header = bytes(u32be(width), u32be(height), new Uint8Array([1, 0, 0, 0, 0]));
  return bytes(
    '\x89PNG\r\n\x1a\n',
    chunk('IHDR', header),
    chunk('IDAT', packed),
    chunk('IEND', new Uint8Array()),
  );
}

/** 900 million pixels in 110 kB. */
export function pngBomb(): Bytes {
  const side = 30_000;
  return png(side, side, deflateSync(Buffer.alloc((side / 8 + 1) * side)));
}

/** Headers of the largest possible image of each format, without data. */
export const GIANTS: readonly (readonly [name: string, file: Bytes])[] = [
  ['png', png(0x7fffffff, 0x7fffffff, deflateSync(Buffer.alloc(100)))],
  [
    'jpg',
    bytes(
      '\xff\xd8\xff\xc0\x00\x0b\x08\xff\xff\xff\xff\x01\x01\x11\x00\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00\xff\xd9',
    ),
  ],
  ['gif', bytes('GIF89a\xff\xff\xff\xff\x80\0\0', Buffer.alloc(6), ',\0\0\0\0\xff\xff\xff\xff\0\x08\x01\0;')],
  [
    'bmp',
    bytes(
      'BM',
      u32le(1e9),
      u32le(0),
      u32le(54),
      u32le(40),
      u32le(0x7fffffff),
      u32le(0x7fffffff),
      '\x01\0\x18\0',
      Buffer.alloc(24),
    ),
  ],
  [
    'psd',
    bytes(
      '8BPS\0\x01\0\0\0\0\0\0\0\x03',
      u32be(0x7fffffff),
      u32be(0x7fffffff),
      '\0\x08\0\x03',
      Buffer.alloc(14),
    ),
  ],
  [
    'webp',
    bytes('RIFF', u32le(30), 'WEBPVP8X', u32le(10), '\0\0\0\0\xff\xff\xff\xff\xff\xff', 'VP8L', u32le(0)),
  ],
  [
    'tif',
    bytes(
      'II*\0',
      u32le(8),
      u16le(2),
      u16le(256),
      u16le(4),
      u32le(1),
      u32le(0x7fffffff),
      u16le(257),
      u16le(4),
      u32le(1),
      u32le(0x7fffffff),
      u32le(0),
    ),
  ],
];

const BLANK = 300 * 1024 ** 2;

/** A DOCX with a part of 300 MB when decompressed. */
export function docxBomb(): Bytes {
  const part = Buffer.alloc(BLANK, ' ');
  part.write('<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>');
  return zip([
    ['[Content_Types].xml', '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'],
    ['word/document.xml', part],
  ]);
}

/** A DOCX with a single word and 60 MB of creators. */
export function talkativeDocx(): Bytes {
  const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const core = 'xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"';
  const creators = '<dc:creator>A creator</dc:creator>'.repeat(1_800_000);
  return zip([
    ['[Content_Types].xml', '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'],
    [
      'word/document.xml',
      `<w:document ${word}><w:body><w:p><w:r><w:t>word</w:t></w:r></w:p></w:body></w:document>`,
    ],
    [
      'docProps/core.xml',
      `<cp:coreProperties ${core} xmlns:dc="http://purl.org/dc/elements/1.1/">${creators}</cp:coreProperties>`,
    ],
  ]);
}

/** An EPUB with 20 001 entries. */
export function epubOfManyParts(): Bytes {
  const parts = Array.from({ length: 20_001 }, (_, index) => [`p${index}`, ''] as const);
  return zip([['mimetype', 'application/epub+zip'], ...parts]);
}

/** Billion laughs: nested entities that expand to 10 GB of "lol". */
export function laughs(root: string, use = '&l9;'): string {
  const entities = Array.from({ length: 9 }, (_, index) => {
    const inside = index === 0 ? 'lol'.repeat(10) : `&l${index};`.repeat(10);
    return `<!ENTITY l${index + 1} "${inside}">`;
  });
  return `<?xml version="1.0"?><!DOCTYPE ${root} [${entities.join('')}]><${root}>${use}</${root}>`;
}

/** A page with 512 MB of spaces, compressed twice. */
export function pdfBomb(): Bytes {
  const content = deflateSync(deflateSync(Buffer.alloc(512 * 1024 ** 2, ' ')));
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << >> >>',
  ].map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`);
  const stream = `4 0 obj\n<< /Length ${content.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n`;
  return bytes(
    '%PDF-1.4\n',
    ...objects,
    stream,
    content,
    '\nendstream\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n',
  );
}

/** 83 minutes of grey in 200 kB: minutes of processing at 5 frame signatures per second. */
export async function longVideo(): Promise<Bytes> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-video-'));
  const [start, video] = [path.join(folder, 'start.mkv'), path.join(folder, 'video.mkv')];
  const gray = ['-f', 'lavfi', '-i', 'color=gray:s=1280x720:r=1:d=100'];
  ffmpeg([...gray, '-c:v', 'libx264', '-g', '1000', start]);
  ffmpeg(['-stream_loop', '49', '-i', start, '-c', 'copy', video]);
  const bytes = new Uint8Array(readFileSync(video));
  await rm(folder, { recursive: true });
  return bytes;
}

function ffmpeg(args: readonly string[]): void {
  execFileSync('ffmpeg', ['-loglevel', 'error', ...args]);
}

/** Drawing it would take minutes: 16 million pixels, each with a thousand octaves of noise and 36 million neighbours. */
export const FILTER_BOMB = `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000"><filter id="f">
<feGaussianBlur stdDeviation="4000"/><feTurbulence baseFrequency="0.01" numOctaves="1000"/><feMorphology radius="3000"/>
</filter><rect width="4000" height="4000" filter="url(#f)"/></svg>`;

/** A WAV file of 8-bit samples. */
export function wav(rateHz: number, samples: number): Bytes {
  const format = bytes(u16le(1), u16le(1), u32le(rateHz), u32le(rateHz), u16le(1), u16le(8));
  const head = bytes('WAVEfmt ', u32le(16), format, 'data', u32le(samples));
  const sound = Uint8Array.from({ length: samples }, (_, at) => 128 + 100 * Math.sin(at / 7));
  return bytes('RIFF', u32le(head.length + samples), head, sound);
}

/** Millions of boxes of eight bytes. */
export function smallBoxes(count = 3_000_000): Bytes {
  const box = Buffer.from('\0\0\0\x08free', 'latin1');
  return bytes('\0\0\0\x18ftypisom\0\0\x02\0isommp41', Buffer.alloc(count * box.length, box));
}

/** Millions of boxes in the movie header. */
export function nestedBoxes(count?: number): Bytes {
  const [type, boxes] = [smallBoxes(0), smallBoxes(count)];
  const inner = boxes.subarray(type.length);
  return bytes(type, u32be(inner.length + 8), 'moov', inner);
}

/** Two seconds of film in which the frames are, by the forged rate, half a day apart. */
export async function filmWithGaps(): Promise<Bytes> {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-video-'));
  const film = path.join(folder, 'film.avi');
  ffmpeg(['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=25:d=2', '-c:v', 'mpeg4', film]);
  const forged = new Uint8Array(readFileSync(film));
  await rm(folder, { recursive: true });
  const header = Buffer.from(forged.buffer);
  const stream = header.indexOf('strh');
  const [SCALE, RATE] = [28, 32];
  header.writeUInt32LE(1_000_000, stream + SCALE);
  header.writeUInt32LE(25, stream + RATE);
  return forged;
}

/** An OpenDocument text whose manifest says that it is encrypted. */
export function encryptedOdt(): Bytes {
  const entry = '<m:file-entry m:full-path="content.xml"><m:encryption-data/></m:file-entry>';
  return zip([
    ['mimetype', 'application/vnd.oasis.opendocument.text'],
    ['content.xml', Buffer.from([7, 200, 255, 1])],
    ['META-INF/manifest.xml', `<m:manifest xmlns:m="urn:manifest">${entry}</m:manifest>`],
  ]);
}

/** A PDF that needs a password. */
export function encryptedPdf(): Bytes {
  const key = `<${'5a'.repeat(32)}>`;
  return bytes(
    '%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n',
    '2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n',
    '3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>\nendobj\n',
    `4 0 obj\n<< /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >>\nendobj\n`,
    'trailer << /Root 1 0 R /Encrypt 4 0 R /ID [<00><00>] >>\n%%EOF\n',
  );
}
