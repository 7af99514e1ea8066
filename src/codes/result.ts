/** The ISCC result: which fields it has, and in which order they are written. */
import { titleFromFilename } from './filename.js';

export type Mode = 'text' | 'image' | 'audio' | 'video';

export interface FeatureSet {
  readonly maintype: 'content' | 'semantic';
  readonly subtype: 'text';
  readonly version: 0;
  /** Whether offsets and sizes count UTF-8 bytes; characters otherwise. */
  readonly byte_offsets: boolean;
  /** 256 bits each, base64url without padding. */
  readonly simprints: readonly string[];
  readonly offsets: readonly number[];
  readonly sizes: readonly number[];
}

/** What is embedded in a file, or to be embedded. */
export interface EmbeddedMetadata {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** A base64 Data-URL. */
  readonly meta?: string | undefined;
  readonly creator?: string | undefined;
  readonly license?: string | undefined;
  readonly acquire?: string | undefined;
  readonly credit?: string | undefined;
  readonly rights?: string | undefined;
  readonly identifier?: string | undefined;
  readonly keywords?: string | undefined;
}

/** What the content of a file says about itself beyond its codes. */
export interface ContentFacts {
  /** Seconds. */
  readonly duration?: number;
  readonly fps?: number;
  /** Pixels, before any rotation that the file asks for. */
  readonly width?: number;
  readonly height?: number;
  /** Code points of the text that the code is made of. */
  readonly characters?: number;
  readonly language?: string;
}

/** A result as it is stored and, with {@link UploadLinks}, answered. */
export interface IsccResult extends EmbeddedMetadata, ContentFacts {
  readonly '@context': string;
  readonly '@type': string;
  readonly $schema: string;
  readonly iscc: string;
  readonly mode?: Mode;
  readonly filename: string;
  readonly filesize: number;
  readonly mediatype: string;
  readonly features?: readonly FeatureSet[];
  readonly units: readonly string[];
  readonly generator: string;
  /** A Data-URL. */
  readonly thumbnail?: string;
  readonly metahash?: string;
  readonly datahash: string;
}

export interface UploadLinks {
  readonly media_id: string;
  readonly content: string;
}

const CONTEXT = 'http://purl.org/iscc/context/0.8.0.jsonld';
const SCHEMA = 'http://purl.org/iscc/schema/0.8.0.json';

const TYPES: Readonly<Record<Mode, string>> = {
  text: 'TextDigitalDocument',
  image: 'ImageObject',
  audio: 'AudioObject',
  video: 'VideoObject',
};

/** Clients compare answers as text now and then: the order is the reference's. */
const KEYS = [
  '@context',
  '@type',
  '$schema',
  'iscc',
  'name',
  'description',
  'meta',
  'creator',
  'license',
  'acquire',
  'credit',
  'rights',
  'media_id',
  'identifier',
  'content',
  'keywords',
  'mode',
  'filename',
  'filesize',
  'mediatype',
  'duration',
  'fps',
  'width',
  'height',
  'characters',
  'language',
  'features',
  'units',
  'generator',
  'thumbnail',
  'metahash',
  'datahash',
] as const satisfies readonly (keyof IsccResult | keyof UploadLinks)[];

type ResultParts = Omit<IsccResult, '@context' | '@type' | '$schema'>;

/** Adds what follows from the mode and puts the keys in order. */
export function isccResult(parts: ResultParts): IsccResult {
  const type = parts.mode === undefined ? 'CreativeWork' : TYPES[parts.mode];
  return ordered({ '@context': CONTEXT, '@type': type, $schema: SCHEMA, ...parts });
}

export function withLinks(result: IsccResult, links: UploadLinks): IsccResult & UploadLinks {
  return ordered({ ...result, ...links });
}

/**
 * Submitted fields stand where the format had no place for them; what was read back is never replaced. A name that
 * was made from the file's was not read: it gives way, while the Meta-Code stays what the file itself gives.
 */
export function withSubmitted(result: IsccResult, fields: EmbeddedMetadata): IsccResult {
  const { name, ...rest } = result;
  const wasRead = name !== undefined && !isMadeFrom(result.filename, name);
  return ordered({
    ...(name !== undefined && { name }),
    ...given(fields),
    ...rest,
    ...(wasRead && { name }),
  });
}

/** Names are cut to so many bytes, and not inside a character. */
const CUT_NAME_BYTES_MIN = 124;

/** Whether a name is what the Meta-Code makes of a file's name: in normal form, on one line, perhaps cut. */
function isMadeFrom(filename: string, name: string): boolean {
  const title = titleFromFilename(filename).normalize('NFKC').replace(/\p{C}/gu, '');
  const line = title.replace(/\s+/g, ' ').trim();
  return line === name || (Buffer.byteLength(name) >= CUT_NAME_BYTES_MIN && line.startsWith(name));
}

function given(fields: EmbeddedMetadata): EmbeddedMetadata {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Keys in the order of {@link KEYS}, without those that have no value. */
function ordered<T extends object>(fields: T): T {
  const values = fields as Record<string, unknown>;
  const present = KEYS.filter((key) => values[key] !== undefined);
  return Object.fromEntries(present.map((key) => [key, values[key]])) as T;
}
