/**
 * Where each field of embedded metadata is in each format. Writers take their places from this table, and
 * `docs/reference/file-formats.md` shows it. A place is named as its writer names it.
 */
import type { EmbeddedMetadata, FormatName } from '../result.js';

export type Field = keyof EmbeddedMetadata;

/** In the order of results. */
export const FIELDS = [
  'name',
  'description',
  'meta',
  'creator',
  'license',
  'acquire',
  'credit',
  'rights',
  'identifier',
  'keywords',
] as const satisfies readonly Field[];

type Places = Readonly<Partial<Record<Field, readonly string[]>>>;

/** Formats that store metadata in the same way. */
export interface Family {
  readonly title: string;
  readonly mediatypes: readonly string[];
  /** The module that writes and reads them. */
  readonly format: FormatName;
  /** Places that always get the value. */
  readonly written: Places;
  /** Places that get the value only if the file has them already, so that no reader finds the old value. */
  readonly replaced?: Places;
  /** What the table of the documentation says about the places. */
  readonly note?: string;
}

/** Properties of the reference for formats that name properties freely. */
function own(prefix: string, fields: readonly Field[]): Places {
  return Object.fromEntries(fields.map((field) => [field, [`${prefix}${field}`]]));
}

function merged(...all: readonly Places[]): Places {
  return Object.fromEntries(FIELDS.map((field) => [field, all.flatMap((places) => places[field] ?? [])]));
}

/** XMP properties (ISO 16684-1), as the addon names them. */
export const XMP: Places = {
  name: ['iscc:name', 'dc:title'],
  description: ['iscc:description', 'dc:description'],
  meta: ['iscc:meta'],
  creator: ['dc:creator'],
  license: ['xmpRights:WebStatement'],
  acquire: ['plus:Licensor'],
  credit: ['photoshop:Credit'],
  rights: ['dc:rights'],
  identifier: ['dc:identifier'],
  keywords: ['dc:subject'],
};

/** Whether an XMP property holds each keyword as an item of its own. */
export function isXmpList(property: string): boolean {
  return property === 'dc:subject';
}

const IMAGES: Family = {
  title: 'JPEG, PNG, TIFF, WebP, GIF, HEIC, AVIF, JPEG XL, JPEG 2000, PSD',
  mediatypes: [
    'image/jpeg',
    'image/png',
    'image/tiff',
    'image/webp',
    'image/gif',
    'image/heic',
    'image/avif',
    'image/jxl',
    'image/jp2',
    'image/vnd.adobe.photoshop',
  ],
  format: 'image',
  note: 'Names of ExifTool. Both XMP and, where the file has them, EXIF, IPTC and PNG text.',
  written: {
    name: ['XMP-iscc:Name', 'XMP-dc:Title'],
    description: ['XMP-iscc:Description', 'XMP-dc:Description'],
    meta: ['XMP-iscc:Meta'],
    creator: ['XMP-dc:Creator'],
    license: ['XMP-xmpRights:WebStatement'],
    acquire: ['XMP-plus:LicensorURL'],
    credit: ['XMP-photoshop:Credit'],
    rights: ['XMP-dc:Rights'],
    identifier: ['XMP-dc:Identifier'],
    keywords: ['XMP-dc:Subject'],
  },
  replaced: {
    name: [
      'IPTC:ObjectName',
      'IPTC:Headline',
      'IFD0:XPTitle',
      'PNG:Title',
      'XMP-photoshop:Headline',
      'XMP-xmp:Nickname',
    ],
    description: [
      'IPTC:Caption-Abstract',
      'IFD0:ImageDescription',
      'PNG:Description',
      'XMP-tiff:ImageDescription',
    ],
    creator: ['IPTC:By-line', 'IFD0:Artist', 'IFD0:XPAuthor', 'PNG:Author', 'XMP-tiff:Artist'],
    license: ['XMP-cc:License'],
    credit: ['IPTC:Credit'],
    rights: ['IPTC:CopyrightNotice', 'IFD0:Copyright', 'PNG:Copyright', 'XMP-tiff:Copyright'],
    identifier: ['XMP-xmp:Identifier'],
    keywords: ['IPTC:Keywords', 'IFD0:XPKeywords'],
  },
};

const SVG: Family = {
  title: 'SVG',
  mediatypes: ['image/svg+xml'],
  format: 'image',
  note: 'The elements `title` and `desc`, and an XMP description in `metadata`.',
  written: {
    name: ['title', 'iscc:name'],
    description: ['desc', 'iscc:description'],
    meta: ['iscc:meta'],
    creator: ['dc:creator'],
    license: ['cc:license'],
    acquire: ['plus:Licensor'],
    credit: ['photoshop:Credit'],
    rights: ['dc:rights'],
    identifier: ['dc:identifier'],
    keywords: ['dc:subject'],
  },
};

/** Audio properties have TagLib's names. Names with `ISCC` are those of the reference. */
const AUDIO_CREATORS = ['ALBUMARTIST', 'COMPOSER', 'ORIGINALARTIST'];

const ID3: Family = {
  title: 'MP3, AAC, AIFF, WAV',
  mediatypes: ['audio/mpeg', 'audio/aac', 'audio/aiff', 'audio/wav'],
  format: 'audio',
  note:
    'ID3v2 frames (of the version that the file has, else 2.4; ID3v2.2 has TXX in place of TKWD and WPAY) in TagLib’s names: `TITLE` is TIT2, `ARTIST` TPE1, `COPYRIGHT` TCOP, `COMMENT` COMM, ' +
    '`COPYRIGHTURL` WCOP, `PAYMENTWEBPAGE` WPAY, `KEYWORDS` TKWD, others TXXX. WAV also gets RIFF INFO and, unless its sizes have 64 bits (RF64, BW64), XMP. ' +
    'ID3v1 and APE tags of the same file are kept in step.',
  written: {
    name: ['TITLE', 'ISCC:NAME'],
    description: ['COMMENT', 'ISCC:DESCRIPTION'],
    meta: ['ISCC:META'],
    creator: ['ARTIST'],
    license: ['COPYRIGHTURL', 'ISCC:LICENSE'],
    acquire: ['PAYMENTWEBPAGE', 'ISCC:ACQUIRE'],
    credit: ['ISCC:CREDIT'],
    rights: ['COPYRIGHT'],
    identifier: ['ISCC:IDENTIFIER'],
    keywords: ['KEYWORDS'],
  },
  replaced: { creator: AUDIO_CREATORS, license: ['LICENSE'] },
};

const VORBIS: Family = {
  title: 'FLAC, Ogg Vorbis, Opus, Speex, Ogg FLAC',
  mediatypes: ['audio/x-flac', 'audio/flac', 'audio/ogg', 'audio/opus'],
  format: 'audio',
  note: 'Vorbis comments. ID3 tags of a FLAC file are kept in step.',
  written: {
    name: ['TITLE', 'ISCC:NAME'],
    description: ['DESCRIPTION', 'ISCC:DESCRIPTION'],
    meta: ['ISCC:META'],
    creator: ['ARTIST'],
    license: ['LICENSE', 'ISCC:LICENSE'],
    acquire: ['ISCC:ACQUIRE'],
    credit: ['ISCC:CREDIT'],
    rights: ['COPYRIGHT'],
    identifier: ['ISCC:IDENTIFIER'],
    keywords: ['KEYWORDS'],
  },
  replaced: { creator: AUDIO_CREATORS, description: ['COMMENT'] },
};

const ITUNES: Family = {
  title: 'M4A',
  mediatypes: ['audio/mp4'],
  format: 'audio',
  note:
    'iTunes atoms in TagLib’s names: `TITLE` is ©nam, `ARTIST` ©ART, `DESCRIPTION` desc, `COPYRIGHT` cprt, ' +
    '`KEYWORDS` keyw, others `----:com.apple.iTunes:NAME`.',
  written: {
    name: ['TITLE', 'ISCC_NAME'],
    description: ['DESCRIPTION', 'ISCC_DESCRIPTION'],
    meta: ['ISCC_META'],
    creator: ['ARTIST'],
    license: ['LICENSE', 'ISCC_LICENSE'],
    acquire: ['ISCC_ACQUIRE'],
    credit: ['ISCC_CREDIT'],
    rights: ['COPYRIGHT'],
    identifier: ['ISCC_IDENTIFIER'],
    keywords: ['KEYWORDS'],
  },
  replaced: { creator: AUDIO_CREATORS, description: ['COMMENT'] },
};

const APE: Family = {
  title: 'WavPack',
  mediatypes: ['audio/x-wavpack', 'audio/wavpack'],
  format: 'audio',
  note: 'APEv2 items.',
  written: {
    ...ID3.written,
    license: ['LICENSE', 'ISCC:LICENSE'],
    acquire: ['ISCC:ACQUIRE'],
  },
  replaced: { creator: AUDIO_CREATORS },
};

/** Tags that the reference reads from videos; it has none for credit, identifier and keywords. */
const VIDEO_TAGS: Places = {
  ...own('iscc_', ['name', 'description', 'meta']),
  creator: ['author'],
  license: ['license'],
  acquire: ['acquire'],
  credit: ['credit'],
  rights: ['copyright'],
  identifier: ['identifier'],
  keywords: ['keywords'],
};

/** Older values that readers may find first. */
const VIDEO_REPLACED: Places = {
  name: ['title'],
  description: ['description', 'synopsis', 'comment'],
  creator: ['composer', 'artist', 'album_artist'],
};

/** Keys that Apple's programs write. */
const APPLE_KEYS: Places = {
  name: ['com.apple.quicktime.title', 'com.apple.quicktime.displayname'],
  description: ['com.apple.quicktime.description'],
  creator: ['com.apple.quicktime.author', 'com.apple.quicktime.artist'],
  rights: ['com.apple.quicktime.copyright'],
  keywords: ['com.apple.quicktime.keywords'],
};

const MP4: Family = {
  title: 'MP4, QuickTime, 3GP',
  mediatypes: ['video/mp4', 'video/x-m4v', 'video/quicktime', 'video/3gpp', 'video/3gpp2'],
  format: 'video',
  note:
    'Keys of the `mdta` list, and iTunes atoms (four letters). Keys of Apple (`com.apple.quicktime.`) are only in files of ' +
    'its programs. Samples are not touched.',
  written: merged(VIDEO_TAGS, {
    name: ['©nam'],
    description: ['desc'],
    creator: ['©ART'],
    rights: ['cprt'],
    keywords: ['keyw'],
  }),
  replaced: merged(VIDEO_REPLACED, APPLE_KEYS),
};

const MATROSKA: Family = {
  title: 'Matroska, WebM',
  mediatypes: ['video/x-matroska', 'video/webm', 'audio/x-matroska', 'audio/webm'],
  format: 'video',
  note: 'Matroska tags for the whole file. Clusters are not touched.',
  written: merged(upperCased(VIDEO_TAGS), {
    name: ['TITLE'],
    description: ['DESCRIPTION'],
    creator: ['ARTIST'],
    acquire: ['PURCHASE_INFO'],
  }),
  replaced: upperCased(VIDEO_REPLACED),
};

const AVI: Family = {
  title: 'AVI',
  mediatypes: ['video/avi'],
  format: 'video',
  note: 'RIFF INFO (four letters) and an XMP packet. Frames are not touched.',
  written: merged(
    {
      name: ['INAM'],
      description: ['ISBJ', 'ICMT'],
      creator: ['IART'],
      rights: ['ICOP'],
      keywords: ['IKEY'],
    },
    XMP,
  ),
};

const BY_FFMPEG: Family = {
  title: 'Ogg video, FLV, ASF, WMV, WMA',
  mediatypes: ['video/ogg', 'video/x-flv', 'video/x-ms-asf', 'video/x-ms-wmv', 'audio/x-ms-wma'],
  format: 'video',
  note: 'Names of FFmpeg. Packets are not touched.',
  written: merged(VIDEO_TAGS, { name: ['title'], description: ['description'], creator: ['artist'] }),
  replaced: VIDEO_REPLACED,
};

const PDF: Family = {
  title: 'PDF',
  mediatypes: ['application/pdf'],
  format: 'pdf',
  note: 'Entries of the information dictionary and an XMP packet.',
  written: merged(
    { name: ['Title'], description: ['Subject'], creator: ['Author'], keywords: ['Keywords'] },
    own('iscc_', ['name', 'description', 'meta', 'license', 'acquire', 'credit', 'rights', 'identifier']),
    XMP,
  ),
};

/** Custom properties of documents. */
const CUSTOM = own('custom:iscc_', [
  'name',
  'description',
  'meta',
  'license',
  'acquire',
  'credit',
  'rights',
  'identifier',
]);

const OFFICE_OPEN_XML: Family = {
  title: 'DOCX, XLSX, PPTX',
  mediatypes: [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ],
  format: 'text',
  note: 'Core properties, and custom properties (`custom:`).',
  written: merged(
    {
      name: ['dc:title'],
      description: ['dc:description'],
      creator: ['dc:creator'],
      identifier: ['dc:identifier'],
      keywords: ['cp:keywords'],
    },
    CUSTOM,
  ),
};

const OPEN_DOCUMENT: Family = {
  title: 'ODT, ODS, ODP, ODG, and flat ODF',
  mediatypes: [
    ...['text', 'spreadsheet', 'presentation', 'graphics'].flatMap((kind) => [
      `application/vnd.oasis.opendocument.${kind}`,
      `application/vnd.oasis.opendocument.${kind}-flat-xml`,
    ]),
    'text/xml',
    'application/xml',
  ],
  format: 'text',
  note: 'Elements of `office:meta`, and user-defined properties (`custom:`). Other XML files have no place.',
  written: merged(
    {
      name: ['dc:title'],
      description: ['dc:description'],
      creator: ['meta:initial-creator', 'dc:creator'],
      keywords: ['meta:keyword'],
    },
    CUSTOM,
  ),
};

const EPUB: Family = {
  title: 'EPUB',
  mediatypes: ['application/epub+zip', 'application/x-ibooks+zip'],
  format: 'text',
  note: 'Dublin Core elements of the package document, and its `meta` elements (`custom:`).',
  written: merged(
    {
      name: ['dc:title'],
      description: ['dc:description'],
      creator: ['dc:creator'],
      rights: ['dc:rights'],
      identifier: ['dc:identifier'],
      keywords: ['dc:subject', 'custom:iscc_keywords'],
    },
    CUSTOM,
  ),
};

const HTML: Family = {
  title: 'HTML',
  mediatypes: ['text/html', 'application/xhtml+xml'],
  format: 'text',
  note: 'The title and `meta` elements of the head.',
  written: merged(
    {
      name: ['title'],
      description: ['meta:description'],
      creator: ['meta:author'],
      license: ['meta:dcterms.license'],
      rights: ['meta:dcterms.rights'],
      identifier: ['meta:dcterms.identifier'],
      keywords: ['meta:keywords'],
    },
    own('meta:iscc_', [
      'name',
      'description',
      'meta',
      'license',
      'acquire',
      'credit',
      'rights',
      'identifier',
    ]),
  ),
};

export const FAMILIES: readonly Family[] = [
  IMAGES,
  SVG,
  ID3,
  VORBIS,
  ITUNES,
  APE,
  MP4,
  MATROSKA,
  AVI,
  BY_FFMPEG,
  PDF,
  OFFICE_OPEN_XML,
  OPEN_DOCUMENT,
  EPUB,
  HTML,
];

const BY_MEDIATYPE: ReadonlyMap<string, Family> = new Map(
  FAMILIES.flatMap((family) => family.mediatypes.map((mediatype) => [mediatype, family])),
);

/** `undefined` for formats without a place for metadata. */
export function familyOf(mediatype: string): Family | undefined {
  return BY_MEDIATYPE.get(mediatype);
}

/** A place and the value for it. */
export type PlaceValue = [place: string, value: string];

/** Place and value of each given field. Keywords that `isList` says a place stores one by one are split. */
export function placed(
  places: Places | undefined,
  fields: EmbeddedMetadata,
  isList: (place: string) => boolean = () => false,
): PlaceValue[] {
  return FIELDS.flatMap((field) => {
    const value = fields[field];
    if (!value) return [];
    return (places?.[field] ?? []).flatMap((place): PlaceValue[] =>
      field === 'keywords' && isList(place)
        ? keywordList(value).map((keyword) => [place, keyword])
        : [[place, value]],
    );
  });
}

/** The keywords in a text that separates them by commas. */
export function keywordList(text: string): string[] {
  return text
    .split(',')
    .map((keyword) => keyword.trim())
    .filter((keyword) => keyword !== '');
}

function upperCased(places: Places): Places {
  return Object.fromEntries(
    Object.entries(places).map(([field, names]) => [field, names.map((name) => name.toUpperCase())]),
  );
}
