/** Embeds every field into every format, and reads the copies with programs that are not part of isccd. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FIELDS, type Field } from '../../../src/services/codes/metadata/places.js';
import { INSTALL_MAX_MS } from '../../support/set-up.js';
import { bodyOf, postJson, sha256, type UploadAnswer, uploaded } from '../support/client.js';
import { temporaryFolder } from '../support/folder.js';
import { exiftool, type Found, ffprobe, python, pythonReaders, type Reader } from '../support/independent.js';
import { sample } from '../support/samples.js';
import { type CodesServer, startCodes } from '../support/server.js';

const VALUES: Readonly<Record<Field, string>> = {
  name: 'Neuer Name ü中 & "more"',
  description: 'New description, second part 🎉',
  meta: 'data:application/json;base64,eyJleHRlbmRlZCI6Im1ldGFkYXRhIn0=',
  creator: 'Joanne, 中文',
  license: 'https://example.com/license?a=1&b=2',
  acquire: 'https://example.com/acquire',
  credit: 'Foto: Agentur / Größe',
  rights: '(c) 2026 Rights & Co.',
  identifier: 'id:12345',
  keywords: 'eins, zwei',
};

/** The name under which an independent reader finds each field. Keywords may be one value or several. */
type Names = Readonly<Record<Field, string>>;

const XMP: Names = {
  name: 'XMP-dc:Title',
  description: 'XMP-dc:Description',
  meta: 'XMP-iscc:Meta',
  creator: 'XMP-dc:Creator',
  license: 'XMP-xmpRights:WebStatement',
  acquire: 'XMP-plus:Licensor',
  credit: 'XMP-photoshop:Credit',
  rights: 'XMP-dc:Rights',
  identifier: 'XMP-dc:Identifier',
  keywords: 'XMP-dc:Subject',
};
const SVG: Names = { ...XMP, name: 'SVG:Title', description: 'SVG:Desc', license: 'XMP-cc:License' };
const ID3: Names = {
  name: 'TIT2',
  description: 'TXXX:ISCC:DESCRIPTION',
  meta: 'TXXX:ISCC:META',
  creator: 'TPE1',
  license: 'WCOP',
  acquire: 'WPAY',
  credit: 'TXXX:ISCC:CREDIT',
  rights: 'TCOP',
  identifier: 'TXXX:ISCC:IDENTIFIER',
  keywords: 'TKWD',
};
const VORBIS: Names = {
  name: 'title',
  description: 'description',
  meta: 'iscc:meta',
  creator: 'artist',
  license: 'license',
  acquire: 'iscc:acquire',
  credit: 'iscc:credit',
  rights: 'copyright',
  identifier: 'iscc:identifier',
  keywords: 'keywords',
};
const ITUNES: Names = {
  name: '©nam',
  description: 'desc',
  meta: '----:com.apple.iTunes:ISCC_META',
  creator: '©ART',
  license: '----:com.apple.iTunes:LICENSE',
  acquire: '----:com.apple.iTunes:ISCC_ACQUIRE',
  credit: '----:com.apple.iTunes:ISCC_CREDIT',
  rights: 'cprt',
  identifier: '----:com.apple.iTunes:ISCC_IDENTIFIER',
  keywords: 'keyw',
};
const APE: Names = {
  name: 'Title',
  description: 'Comment',
  meta: 'ISCC:META',
  creator: 'Artist',
  license: 'ISCC:LICENSE',
  acquire: 'ISCC:ACQUIRE',
  credit: 'ISCC:CREDIT',
  rights: 'Copyright',
  identifier: 'ISCC:IDENTIFIER',
  keywords: 'KEYWORDS',
};
const VIDEO: Names = {
  name: 'iscc_name',
  description: 'iscc_description',
  meta: 'iscc_meta',
  creator: 'author',
  license: 'license',
  acquire: 'acquire',
  credit: 'credit',
  rights: 'copyright',
  identifier: 'identifier',
  keywords: 'keywords',
};
const TITLED: Names = { ...VIDEO, name: 'title', description: 'description', creator: 'artist' };
const PDF: Names = {
  name: '/Title',
  description: '/Subject',
  meta: '/iscc_meta',
  creator: '/Author',
  license: '/iscc_license',
  acquire: '/iscc_acquire',
  credit: '/iscc_credit',
  rights: '/iscc_rights',
  identifier: '/iscc_identifier',
  keywords: '/Keywords',
};
const CUSTOM = Object.fromEntries(FIELDS.map((field) => [field, `custom:iscc_${field}`])) as Names;
const CORE: Names = {
  ...CUSTOM,
  ...{
    name: 'title',
    description: 'comments',
    creator: 'author',
    identifier: 'identifier',
    keywords: 'keywords',
  },
};
const ODF: Names = {
  ...CUSTOM,
  name: 'title',
  description: 'description',
  creator: 'initial-creator',
  keywords: 'keyword',
};
const EPUB: Names = {
  name: 'title',
  description: 'description',
  meta: 'meta:iscc_meta',
  creator: 'creator',
  license: 'meta:iscc_license',
  acquire: 'meta:iscc_acquire',
  credit: 'meta:iscc_credit',
  rights: 'rights',
  identifier: 'identifier',
  keywords: 'subject',
};
const HTML: Names = {
  name: 'title',
  description: 'meta:description',
  meta: 'meta:iscc_meta',
  creator: 'meta:author',
  license: 'meta:dcterms.license',
  acquire: 'meta:iscc_acquire',
  credit: 'meta:iscc_credit',
  rights: 'meta:dcterms.rights',
  identifier: 'meta:dcterms.identifier',
  keywords: 'meta:keywords',
};

const CASES: readonly (readonly [file: string, reader: Reader, names: Names])[] = [
  ['photo-q85_a.jpg', exiftool, XMP],
  ['meta-rich_a.jpg', exiftool, XMP],
  ['meta-iptc_a.jpg', exiftool, XMP],
  ['pngtext_a.png', exiftool, XMP],
  ['lossy_a.webp', exiftool, XMP],
  ['pic_a.tif', exiftool, XMP],
  ['still_a.gif', exiftool, XMP],
  ['pic_a.heic', exiftool, XMP],
  ['pic_a.avif', exiftool, XMP],
  ['picture.jxl', exiftool, XMP],
  ['picture.psd', exiftool, XMP],
  ['vec_a.svg', exiftool, SVG],
  ['song_a.mp3', python, ID3],
  ['sound.mp3', python, ID3],
  ['song_a.aif', python, ID3],
  ['sound.wav', python, ID3],
  ['sound.wav', exiftool, XMP],
  ['song_a.flac', python, VORBIS],
  ['song_a.ogg', python, VORBIS],
  ['song_a.opus', python, VORBIS],
  ['song_a.m4a', python, ITUNES],
  ['sound.wv', python, APE],
  ['test_a.mp4', ffprobe, VIDEO],
  ['tagged_a.mp4', ffprobe, VIDEO],
  ['clip.mov', ffprobe, VIDEO],
  ['clip.3gp', ffprobe, VIDEO],
  ['scenes_a.mkv', ffprobe, TITLED],
  ['mandel_a.webm', ffprobe, TITLED],
  ['clip.webm', ffprobe, TITLED],
  ['live.webm', ffprobe, TITLED],
  ['sound.mka', ffprobe, TITLED],
  ['life_a.avi', exiftool, XMP],
  ['clip.avi', exiftool, XMP],
  ['large.avi', exiftool, XMP],
  ['rgb_a.ogv', ffprobe, VIDEO],
  ['clip.flv', ffprobe, VIDEO],
  ['clip.wmv', ffprobe, { ...VIDEO, creator: 'artist' }],
  ['sound.wma', ffprobe, { ...VIDEO, creator: 'artist' }],
  ['paper_a.pdf', python, PDF],
  ['paper_a.pdf', exiftool, XMP],
  ['report_a.docx', python, CORE],
  ['book_a.xlsx', python, { ...CORE, description: 'description', creator: 'creator' }],
  ['slides_a.pptx', python, CORE],
  ['text_a.odt', python, ODF],
  ['sheet.ods', python, ODF],
  ['show.odp', python, ODF],
  ['text.fodt', python, ODF],
  ['book2_a.epub', python, EPUB],
  ['book3_a.epub', python, EPUB],
  ['page_a.html', python, HTML],
];

const TEST_MAX_MS = 120_000;

let server: CodesServer;
beforeAll(async () => {
  server = await startCodes();
  await pythonReaders();
}, INSTALL_MAX_MS);
afterAll(() => server?.close());

async function saved(name: string, bytes: Uint8Array): Promise<string> {
  const at = path.join(await temporaryFolder(), name);
  await writeFile(at, bytes);
  return at;
}

async function embedded(id: string, fields: object): Promise<UploadAnswer> {
  const response = await postJson(server.url, `/metadata/${id}`, fields);
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return bodyOf(response);
}

async function bytesOf(id: string): Promise<Uint8Array> {
  return new Uint8Array(await (await fetch(`${server.url}/api/v1/media/${id}`)).arrayBuffer());
}

function contentUnits({ units }: UploadAnswer): string[] {
  return units.filter((unit) => unit.startsWith('ISCC:E'));
}

/** Fields that the reader does not find under their names. */
function missing(found: Found, names: Names, values: Readonly<Record<string, string>>): string[] {
  return FIELDS.filter((field) => {
    const all = found[names[field]] ?? [];
    return field === 'keywords' ? all.join(', ') !== values[field] : !all.includes(values[field] ?? '');
  });
}

describe.each(CASES)('%s', (file, read, names) => {
  test(
    'holds every field where other programs look for it',
    async () => {
      const bytes = await sample(file, await temporaryFolder());
      const original = await uploaded(server.url, file, bytes);
      const copy = await embedded(original.media_id, VALUES);
      expect(copy).not.toHaveProperty('not_embedded');
      expect(copy).toMatchObject(VALUES);
      expect(contentUnits(copy)).toEqual(contentUnits(original));
      const { keywords: _, ...returned } = VALUES;
      const extracted = await bodyOf(await fetch(`${server.url}/api/v1/metadata/${copy.media_id}`));
      expect(extracted).toMatchObject(returned);
      expect(sha256(await bytesOf(original.media_id))).toBe(sha256(bytes));

      const first = await bytesOf(copy.media_id);
      const found = await read(await saved(file, first));
      expect({ missing: missing(found, names, VALUES), found }).toEqual({ missing: [], found });
      expect(JSON.stringify(found)).not.toMatch(/"Old\b/);

      const again = await embedded(copy.media_id, VALUES);
      expect(sha256(await bytesOf(again.media_id))).toBe(sha256(first));

      const changed = Object.fromEntries(
        FIELDS.map((field) => [field, CHANGED[field] ?? `${VALUES[field]} changed`]),
      );
      const other = await embedded(again.media_id, changed);
      expect(other).toMatchObject(changed);
      const after = await read(await saved(file, await bytesOf(other.media_id)));
      expect({ missing: missing(after, names, changed), after }).toEqual({ missing: [], after });
      const shown = JSON.stringify(after);
      for (const field of FIELDS) expect(shown).not.toContain(JSON.stringify(VALUES[field]));
    },
    TEST_MAX_MS,
  );
});

const CHANGED: Partial<Record<Field, string>> = {
  meta: 'data:application/json;base64,e30=',
  license: 'https://example.com/other',
  acquire: 'https://example.com/shop',
  keywords: 'drei',
};

test('FFmpeg finds the fields of an AVI file with several RIFF chunks', async () => {
  const bytes = await sample('large.avi', await temporaryFolder());
  const original = await uploaded(server.url, 'large.avi', bytes);
  const copy = await embedded(original.media_id, VALUES);
  const found = await ffprobe(await saved('copy.avi', await bytesOf(copy.media_id)));
  const { name, description, creator, rights } = VALUES;
  expect(found).toMatchObject({
    title: [name],
    subject: [description],
    artist: [creator],
    copyright: [rights],
  });
  expect(JSON.stringify(found)).not.toMatch(/"Old (title|artist|comment|copyright)/);
});

test('EXIF, IPTC, XMP and PNG text are kept in step, also beyond Latin letters', async () => {
  const old = {
    ...{
      'IFD0:Artist': 'Old',
      'IFD0:Copyright': 'Old',
      'IFD0:ImageDescription': 'Old',
      'IFD0:XPTitle': 'Old',
    },
    'IPTC:By-line': 'Old',
    'IPTC:Credit': 'Old',
    'IPTC:CopyrightNotice': 'Old',
    'IPTC:Keywords': 'Old',
    'IPTC:ObjectName': 'Old',
    'IPTC:City': 'Köln',
    'XMP-dc:Title-de': 'Old',
    'XMP-dc:Creator': 'Old',
  };
  const at = await saved('photo.jpg', await sample('photo-q85_a.jpg', await temporaryFolder()));
  const { writeTags } = await import('../../../src/services/codes/metadata/exiftool.js');
  await writeTags(
    at,
    Object.entries(old).map(([tag, value]) => ({ tag, value })),
  );
  const { readFile } = await import('node:fs/promises');
  const original = await uploaded(server.url, 'photo.jpg', new Uint8Array(await readFile(at)));
  const copy = await embedded(original.media_id, VALUES);
  const found = await exiftool(await saved('copy.jpg', await bytesOf(copy.media_id)));
  expect(JSON.stringify(found)).not.toMatch(/"Old"/);
  expect(found['IFD0:Artist']).toEqual([VALUES.creator]);
  expect(found['IPTC:By-line']).toEqual([VALUES.creator]);
  expect(found['IPTC:Keywords']).toEqual(['eins', 'zwei']);
  expect(found['IPTC:City']).toEqual(['Köln']);
  expect(found['IPTC:Credit']).toEqual([VALUES.credit]);
});
