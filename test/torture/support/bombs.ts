/**
 * Small files that ask for much work or memory, or lead readers astray. Each is made when it is needed, because some are
 * large. The time limit holds for a response on a busy machine; the memory limit for the largest process.
 */
import { deflateSync } from 'node:zlib';
import { smallBoxes, wav } from '../../codes/support/hostile.js';
import { fileBytes } from '../../codes/support/reference.js';
import {
  be16,
  be32,
  box,
  join,
  latin1,
  le16,
  le32,
  pdf,
  pdfStream,
  png,
  pngChunk,
  pngWith,
  repeat,
} from './bytes.js';
import { documentBombs } from './document-bombs.js';

export interface Bomb {
  readonly name: string;
  readonly make: () => Uint8Array;
  /** One of those that once took a service's worker for seconds or gigabytes: part of the short form. */
  readonly wasSlow?: true;
}

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
const original = (name: string) => Buffer.from(fileBytes(name));

/** A copy of a file with bytes overwritten after each place of `mark`. */
function forged(name: string, mark: string, offset: number, bytes: Uint8Array): Buffer {
  const file = original(name);
  for (let at = file.indexOf(mark, 0, 'latin1'); at >= 0; at = file.indexOf(mark, at + 4, 'latin1'))
    file.set(bytes.subarray(0, Math.max(0, file.length - at - offset)), at + offset);
  return file;
}

/** A directory of a TIFF file; entries are tag, type, count and value. */
const directory = (entries: readonly (readonly [number, number, number, number])[], next: number) =>
  join(
    le16(entries.length),
    ...entries.map(([tag, type, count, value]) => join(le16(tag, type), le32(count, value))),
    le32(next),
  );
const tiff = (side: number, more: readonly (readonly [number, number, number, number])[], next: number) =>
  join(
    'II*\0',
    le32(8),
    directory(
      [[256, 4, 1, side], [257, 4, 1, side], [258, 3, 1, 8], [259, 3, 1, 1], [262, 3, 1, 1], ...more],
      next,
    ),
    Buffer.alloc(300),
  );

const GIF = (side: number, frames: number) => {
  const screen = join('GIF89a', le16(side, side), '\x80\0\0\0\0\0\xff\xff\xff');
  const frame = join('\x21\xf9\x04\0\x01\0\0\0,', le16(0, 0, side, side), '\0\x02\x02\x44\x01\0');
  return join(screen, repeat(frame, frames), ';');
};

const JPEG_START = 2;
/** A JPEG with application segments before its own. */
const jpegWith = (...segments: readonly Uint8Array[]) => {
  const file = original('photo-q85_a.jpg');
  return join(file.subarray(0, JPEG_START), ...segments, file.subarray(JPEG_START));
};
const segment = (marker: number, content: Uint8Array) =>
  join(Uint8Array.of(0xff, marker), be16(Math.min(content.length, 65_533) + 2), content.subarray(0, 65_533));

const images: readonly Bomb[] = [
  { name: '2500-megapixels.png', make: () => png(50_000, 50_000, 1, 0) },
  { name: '225-megapixels.png', make: () => png(15_000, 15_000, 8, 0) },
  { name: '98-megapixels.png', make: () => png(9900, 9900, 8, 2), wasSlow: true },
  {
    name: 'text-of-300-mb.png',
    make: () => png(10, 10, 8, 2, pngChunk('zTXt', join('Title\0\0', deflateSync(repeat('A', 3e8))))),
  },
  {
    name: 'profile-of-300-mb.png',
    make: () => png(10, 10, 8, 2, pngChunk('iCCP', join('x\0\0', deflateSync(repeat('A', 3e8))))),
  },
  {
    name: 'largest-header.png',
    make: () =>
      pngWith(join(be32(2 ** 31 - 1, 2 ** 31 - 1), '\x08\x02\0\0\0'), deflateSync(Buffer.alloc(1000))),
  },
  { name: 'largest-header.jpg', make: () => forged('photo-q85_a.jpg', '\xff\xc0', 5, be16(65_500, 65_500)) },
  {
    name: 'progressive-256-megapixels.jpg',
    make: () => forged('photo progressive a.jpg', '\xff\xc2', 5, be16(16_000, 16_000)),
    wasSlow: true,
  },
  { name: '10000-frames.gif', make: () => GIF(1000, 10_000) },
  { name: '100000-frames.gif', make: () => GIF(1000, 100_000) },
  { name: 'largest.gif', make: () => GIF(65_535, 1) },
  {
    name: 'loop-of-directories.tif',
    make: () =>
      tiff(
        10,
        [
          [273, 4, 1, 200],
          [279, 4, 1, 100],
        ],
        8,
      ),
  },
  {
    name: 'loop-of-subdirectories.tif',
    make: () =>
      tiff(
        10,
        [
          [330, 4, 1, 8],
          [34_665, 4, 1, 8],
        ],
        8,
      ),
  },
  {
    name: 'largest.tif',
    make: () =>
      tiff(
        200_000,
        [
          [273, 4, 1, 200],
          [278, 4, 1, 200_000],
          [279, 4, 1, 100],
        ],
        0,
      ),
  },
  {
    name: 'largest.psd',
    make: () =>
      join(
        '8BPS\0\x01',
        Buffer.alloc(6),
        be16(3),
        be32(30_000, 30_000),
        be16(8, 3),
        Buffer.alloc(12),
        '\0\x01',
        Buffer.alloc(100),
      ),
  },
  {
    name: 'entries.ico',
    make: () =>
      join('\0\0\x01\0', le16(65_535), repeat(join('\0\0\0\0\x01\0\x18\0', le32(0xffff_ffff, 22)), 1000)),
  },
  {
    name: 'deep.svg',
    make: () => latin1(`${SVG} width="10" height="10">${'<g>'.repeat(2e5)}${'</g>'.repeat(2e5)}</svg>`),
  },
  {
    name: 'largest.svg',
    make: () => latin1(`${SVG} width="1000000" height="1000000"><rect width="9" height="9"/></svg>`),
  },
  {
    name: 'references-in-references.svg',
    make: () => {
      const groups = Array.from(
        { length: 9 },
        (_, n) => `<g id="a${n + 1}">${`<use xlink:href="#a${n}"/>`.repeat(10)}</g>`,
      );
      return latin1(
        `${SVG} width="10" height="10"><defs><rect id="a0" width="1" height="1"/>${groups.join('')}</defs><use xlink:href="#a9"/></svg>`,
      );
    },
    wasSlow: true,
  },
  {
    name: 'filter.svg',
    make: () =>
      latin1(
        `${SVG} width="4000" height="4000"><filter id="f"><feGaussianBlur stdDeviation="4000"/><feTurbulence numOctaves="1000" baseFrequency="0.9"/><feMorphology radius="3000"/></filter><rect width="4000" height="4000" filter="url(#f)"/></svg>`,
      ),
    wasSlow: true,
  },
  {
    name: 'exif-loop.jpg',
    make: () => {
      const loop = directory(
        [
          [0x8769, 4, 1, 8],
          [0x9286, 7, 0x7fff_ffff, 8],
          [0x010e, 2, 0x7fff_ffff, 8],
        ],
        8,
      );
      return jpegWith(segment(0xe1, join('Exif\0\0II*\0', le32(8), loop)));
    },
  },
  {
    name: 'deep-xmp.jpg',
    make: () =>
      jpegWith(segment(0xe1, join('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>', repeat('<a>', 21_800)))),
  },
  {
    name: 'profiles.jpg',
    make: () => jpegWith(repeat(segment(0xe2, join('ICC_PROFILE\0\x01\xff', repeat('A', 65_519))), 255)),
  },
  {
    name: 'iptc-lengths.jpg',
    make: () =>
      jpegWith(
        segment(
          0xed,
          join(
            'Photoshop 3.0\x008BIM\x04\x04\0\0\xff\xff\xff\xff',
            repeat('\x1c\x02\x78\x84\x7f\xff\xff\xff', 8180),
          ),
        ),
      ),
  },
  ...['heic', 'avif'].map((extension) => ({
    name: `largest-header.${extension}`,
    make: () => forged(`pic_a.${extension}`, 'ispe', 8, be32(60_000, 60_000)),
  })),
  {
    name: 'deep-boxes.heic',
    make: () => {
      const boxes = Array.from({ length: 29_000 }, (_, n) => join(be32(240_000 - 8 * n), 'iprp'));
      return join(box('ftyp', latin1('heic\0\0\0\0mif1heic')), be32(240_012), 'meta\0\0\0\0', ...boxes);
    },
  },
];

const FTYP = box('ftyp', latin1('isom\0\0\0\0isom'));
const WAVE = (rate: number) =>
  join(
    'RIFF\xff\xff\xff\xffWAVEfmt ',
    le32(16),
    le16(1, 2),
    le32(rate, rate * 4),
    le16(4, 16),
    'data\xff\xff\xff\xff',
  );

const soundAndFilm: readonly Bomb[] = [
  { name: 'endless.wav', make: () => join(WAVE(44_100), repeat('\x01\x02', 5e5)) },
  { name: 'one-sample-per-second.wav', make: () => wav(1, 1e7), wasSlow: true },
  {
    name: 'chunks.wav',
    make: () => join('RIFF\xff\xff\xff\xffWAVE', repeat('abcd\0\0\0\0', 2e6)),
    wasSlow: true,
  },
  { name: 'endless.mp4', make: () => join(FTYP, be32(1), 'mdat', be32(0x4000_0000, 0), Buffer.alloc(1e5)) },
  {
    name: 'deep-boxes.mp4',
    make: () => join(FTYP, ...Array.from({ length: 29_000 }, (_, n) => join(be32(240_000 - 8 * n), 'moov'))),
  },
  {
    name: 'boxes-to-the-end.mp4',
    make: () => join(FTYP, be32(0), 'moov', be32(0), 'udta', Buffer.alloc(1000)),
  },
  { name: 'small-boxes.mp4', make: () => smallBoxes(), wasSlow: true },
  { name: 'forged-sizes.mp4', make: () => forged('test_a.mp4', 'stsz', 8, be32(0, 0x7fff_ffff)) },
  {
    name: 'forged-times.mp4',
    make: () => forged('test_a.mp4', 'stts', 8, be32(1, 0x7fff_ffff, 1)),
    wasSlow: true,
  },
  { name: 'forged-width.mp4', make: () => forged('test_a.mp4', 'tkhd', 80, be16(65_000, 0, 65_000, 0)) },
  {
    name: 'frames.mp3',
    make: () => join('ID3\x04\0\0\x7f\x7f\x7f\x7f', repeat('TXXX\0\0\x7f\x7f\0\0', 2e5)),
  },
  {
    name: 'extended-headers.mp3',
    make: () => join('ID3\x04\0\x40\x7f\x7f\x7f\x7f', repeat('\0\0\0\x0a', 1e5)),
  },
  {
    name: 'ape-tag.mp3',
    make: () =>
      join(original('song_a.mp3'), 'APETAGEX\xd0\x07\0\0\xff\xff\xff\x7f\xff\xff\xff\x7f', Buffer.alloc(12)),
  },
  {
    name: 'pages.ogg',
    make: () =>
      repeat(
        join('OggS\0\x02', Buffer.alloc(8), '\x01', Buffer.alloc(11), '\xff', repeat('\xff', 255)),
        20_000,
      ),
  },
  { name: 'comments.flac', make: () => join('fLaC\x04\xff\xff\xff', le32(0xffff_fff0), repeat('a', 1e5)) },
  {
    name: 'deep.mkv',
    make: () =>
      join(
        original('scenes_a.mkv').subarray(0, 60),
        repeat('\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff', 50_000),
      ),
  },
  {
    name: 'playlist.mp4',
    make: () =>
      latin1('#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10.0,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n'),
  },
  { name: 'list-of-files.mp4', make: () => latin1("ffconcat version 1.0\nfile '/etc/passwd'\n") },
  {
    name: 'session.mp4',
    make: () =>
      latin1(
        'v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n',
      ),
  },
];

const CATALOGUE = '<</Type/Catalog/Pages 2 0 R>>';
const PAGES = '<</Type/Pages/Count 1/Kids[3 0 R]>>';
const page = (more: string) => `<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]${more}>>`;
const FONT = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>';
const FONT_RESOURCE = '/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>';
const WORD = pdfStream(latin1('BT /F1 12 Tf 10 10 Td (One word) Tj ET'));

const pdfs: readonly Bomb[] = [
  {
    name: '100000-pages.pdf',
    make: () =>
      pdf(
        CATALOGUE,
        `<</Type/Pages/Count 100000/Kids[${'3 0 R '.repeat(1e5)}]>>`,
        page(FONT_RESOURCE),
        WORD,
        FONT,
      ),
    wasSlow: true,
  },
  {
    name: 'forged-count.pdf',
    make: () => pdf(CATALOGUE, '<</Type/Pages/Count 2147483647/Kids[3 0 R]>>', page('')),
  },
  {
    name: 'form-in-itself.pdf',
    make: () =>
      pdf(
        CATALOGUE,
        PAGES,
        page('/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>'),
        pdfStream(latin1('/X Do')),
        pdfStream(
          latin1('/X Do /Y Do'),
          '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R/Y 5 0 R>>>>',
        ),
      ),
    wasSlow: true,
  },
  {
    name: 'words-of-330-mb.pdf',
    make: () =>
      pdf(
        CATALOGUE,
        PAGES,
        page(FONT_RESOURCE),
        pdfStream(deflateSync(repeat('BT /F1 12 Tf (A) Tj ET ', 1.5e7)), '/Filter/FlateDecode'),
        FONT,
      ),
    wasSlow: true,
  },
  {
    name: 'deflated-three-times.pdf',
    make: () => {
      const data = deflateSync(deflateSync(deflateSync(Buffer.alloc(1e9))));
      return pdf(
        CATALOGUE,
        PAGES,
        page('/Contents 4 0 R'),
        pdfStream(data, '/Filter[/FlateDecode/FlateDecode/FlateDecode]'),
      );
    },
    wasSlow: true,
  },
  {
    name: 'largest-page.pdf',
    make: () => pdf(CATALOGUE, PAGES, '<</Type/Page/Parent 2 0 R/MediaBox[0 0 100000000 100000000]>>'),
  },
];

/** All bombs, those of the short form first. */
export const BOMBS: readonly Bomb[] = [...images, ...soundAndFilm, ...pdfs, ...documentBombs].sort(
  (a, b) => Number(b.wasSlow ?? false) - Number(a.wasSlow ?? false),
);
