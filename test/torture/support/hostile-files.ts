/** Files of one request each that once ended a worker, or held it for its whole time or memory. */
import { deflateSync } from 'node:zlib';
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

export interface HostileFile {
  /** What it does, and the extension that it is uploaded with. */
  readonly name: string;
  readonly make: () => Uint8Array;
  /** Whether only the limit of time ends it, because a decoder of others does the work. */
  readonly isSlow?: true;
}

/** A box with a version and flags. */
const fullBox = (type: string, version: number, content: Uint8Array) =>
  box(type, join(Uint8Array.of(version, 0, 0, 0), content));

/** A HEIF whose items have 65,535 extents each, which take no byte of the file. */
function extentsWithoutBytes(items: number): Buffer {
  const entry = (id: number) => be16(id % 65_536, 0, 0, 0xffff);
  const entries = Array.from({ length: items }, (_, at) => entry(at + 1));
  const iloc = fullBox('iloc', 1, join(be16(0, items), ...entries));
  const meta = fullBox('meta', 0, join(handler(), fullBox('pitm', 0, be16(1)), infos(1), iloc));
  return join(box('ftyp', latin1('heic\0\0\0\0mif1heic')), meta, box('mdat', Buffer.alloc(100)));
}

const handler = () => fullBox('hdlr', 0, latin1('\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0'));
const infos = (items: number) =>
  fullBox(
    'iinf',
    0,
    join(
      be16(items),
      ...Array.from({ length: items }, (_, at) => fullBox('infe', 2, join(be16(at + 1, 0), 'Exif\0'))),
    ),
  );

/** A HEIF with many Exif items, each looked up among as many places of other items. */
function itemsWithoutPlaces(items: number): Buffer {
  const entries = Array.from({ length: items }, () => join(be16(0, 0, 0, 1), be32(0, 0)));
  const iloc = fullBox('iloc', 1, join(Uint8Array.of(0x44, 0), be16(items), ...entries));
  const meta = fullBox('meta', 0, join(handler(), fullBox('pitm', 0, be16(1)), infos(items), iloc));
  return join(box('ftyp', latin1('heic\0\0\0\0mif1heic')), meta, box('mdat', Buffer.alloc(100)));
}

const syncsafe = (value: number) =>
  Uint8Array.of((value >> 21) & 127, (value >> 14) & 127, (value >> 7) & 127, value & 127);
const frame = (id: string, flags: string, content: Uint8Array) =>
  join(id, syncsafe(content.length), flags, content);
const mp3 = (frames: Uint8Array) =>
  join('ID3\x04\0\0', syncsafe(frames.length), frames, fileBytes('song_a.mp3'));

function chaptersInChapters(depth: number): Buffer {
  let inner: Uint8Array = Buffer.alloc(0);
  for (let level = 0; level < depth; level += 1)
    inner = frame('CHAP', '\0\0', join('c\0', be32(0, 1, 0, 0), inner));
  return mp3(inner);
}

/** Frames that are compressed a thousand times. */
function inflatedFrames(count: number, bytes: number): Buffer {
  const packed = deflateSync(Buffer.alloc(bytes, 'a'), { level: 9 });
  const content = join(syncsafe(bytes & 0xfff_ffff), packed);
  return mp3(join(...Array.from({ length: count }, () => frame('TXXX', '\0\x09', content))));
}

const SVG = (more: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000">${more}</svg>`;
const ENTITIES = '<!DOCTYPE svg [<!ENTITY e "x">]>';
const range = (count: number) => Array.from({ length: count }, (_, at) => at);
const eachInNext = (name: string, attribute: string) =>
  SVG(
    `${range(60)
      .map(
        (at) =>
          `<${name} id="c${at}" ${attribute}="url(#c${at + 1})"><rect width="4000" height="4000" fill="#fff"/></${name}>`,
      )
      .join('')}<rect width="4000" height="4000" ${attribute}="url(#c0)"/>`,
  );

const CATALOGUE = '<</Type/Catalog/Pages 2 0 R>>';
const PAGES = '<</Type/Pages/Count 1/Kids[3 0 R]>>';
const page = (more: string) => `<</Type/Page/Parent 2 0 R/MediaBox[0 0 2000 2000]${more}>>`;
const deflated = (data: Uint8Array) => pdfStream(deflateSync(data), '/Filter/FlateDecode');

/** Ten forms, each of which draws the next one ten times. */
function formsInForms(): Buffer {
  const forms = range(10).map((at) =>
    pdfStream(
      latin1(at === 9 ? '0 0 9 9 re f' : '/X Do '.repeat(10)),
      `/Type/XObject/Subtype/Form/BBox[0 0 999 999]/Resources<</XObject<</X ${at + 6} 0 R>>>>`,
    ),
  );
  const first = page('/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>');
  return pdf(CATALOGUE, PAGES, first, pdfStream(latin1('/X Do')), ...forms);
}

/** Many small fills with a pattern of small tiles. */
function tiles(): Buffer {
  const pattern = pdfStream(
    latin1('0 0 1 1 re f'),
    '/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]/XStep 0.5/YStep 0.5/Resources<<>>',
  );
  const fills = repeat('0 0 2000 2000 re f ', 20_000);
  const first = page('/Contents 4 0 R/Resources<</Pattern<</P 5 0 R>>>>');
  return pdf(CATALOGUE, PAGES, first, deflated(join('/Pattern cs /P scn ', fills)), pattern);
}

/** Those that take a worker many seconds, or the test itself gigabytes. */
const large: readonly HostileFile[] = [
  { name: 'clip paths in each other.svg', make: () => latin1(eachInNext('clipPath', 'clip-path')) },
  { name: 'masks in each other.svg', make: () => latin1(eachInNext('mask', 'mask')) },
  { name: 'forms in forms.pdf', make: formsInForms },
  { name: 'tiles.pdf', make: tiles },
  {
    name: 'rows without pixels.bmp',
    make: () => {
      const header = join(le32(40, 16_000, 16_000), le16(1, 8), le32(1, 2, 0, 0, 2, 0));
      return join('BM', le32(64, 0, 62), header, Buffer.alloc(8), '\0\x01');
    },
  },
  { name: 'planes of one bit.png', make: () => png(16_000, 16_000, 1, 0, pngChunk('tEXt', latin1('a\0b'))) },
  {
    name: 'pixels of 16 bits.png',
    make: () => {
      const header = join(be32(14_000, 14_000), Uint8Array.of(16, 6, 0, 0, 0));
      return pngWith(header, deflateSync(Buffer.alloc((14_000 * 8 + 1) * 14_000), { level: 1 }));
    },
  },
  { name: 'compressed frames.mp3', make: () => inflatedFrames(100, 200_000_000) },
  {
    name: 'saved states.pdf',
    make: () => pdf(CATALOGUE, PAGES, page('/Contents 4 0 R'), deflated(repeat('q ', 5e7))),
  },
];

export const HOSTILE_FILES: readonly HostileFile[] = [
  { name: 'extents without bytes.heic', make: () => extentsWithoutBytes(1000) },
  { name: 'many extents without bytes.heic', make: () => extentsWithoutBytes(60_000) },
  { name: 'items without places.heic', make: () => itemsWithoutPlaces(60_000) },
  { name: 'chapters in chapters.mp3', make: () => chaptersInChapters(3000) },
  { name: 'ampersands.svg', make: () => latin1(`${ENTITIES}${SVG(`<title>${'&'.repeat(1e6)}</title>`)}`) },
  { name: 'ampersands.xml', make: () => latin1(`<!DOCTYPE a [<!ENTITY e "x">]><a>${'&'.repeat(1e6)}</a>`) },
  {
    name: 'references in an entity.xml',
    make: () => latin1(`<!DOCTYPE a [<!ENTITY e "${'&#'.repeat(5e5)}">]><a>&e;</a>`),
  },
  {
    name: 'rules and elements.svg',
    make: () => {
      const rules = range(20_000).map((at) => `.a${at} .b${at}{fill:red}`);
      const elements = range(20_000).map((at) => `<rect class="b${at}" width="1" height="1"/>`);
      return latin1(SVG(`<style>${rules.join('')}</style>${elements.join('')}`));
    },
  },
  {
    name: 'long path.svg',
    make: () => {
      const corners = range(400_000).map((at) => `L${(at * 7919) % 4000} ${(at * 104_729) % 4000}`);
      return latin1(SVG(`<path d="M0 0${corners.join('')}"/>`));
    },
  },
  {
    name: 'ends of a path.svg',
    make: () => latin1(SVG(`<path d="M0 0${'Z'.repeat(1e6)}"/>`)),
  },
  {
    name: 'arcs without length.svg',
    make: () => latin1(SVG(`<path d="M5 5${'a1e9 1e9 0 0 0 1e-9 0'.repeat(200_000)}"/>`)),
  },
  {
    name: 'drawings in drawings.svg',
    make: () => latin1(SVG(`${'<svg>'.repeat(1000)}${'</svg>'.repeat(1000)}`)),
  },
  {
    name: 'colours for print.psd',
    make: () => {
      const head = join('8BPS\0\x01', Buffer.alloc(6), be16(4), be32(16_000, 16_000), be16(8, 4));
      const rows = repeat(be16(2), 16_000 * 4);
      return join(head, Buffer.alloc(12), be16(1), rows, Buffer.alloc(100));
    },
  },
  ...large.map((file) => ({ ...file, isSlow: true }) as const),
];
