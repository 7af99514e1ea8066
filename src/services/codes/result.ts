/** The ISCC result: its fields and their order in responses. */
import { present } from '../../platform/present.js';

export type Mode = 'text' | 'image' | 'audio' | 'video';

/** The module of the pipeline that reads a file. */
export type FormatName = 'text' | 'pdf' | 'image' | 'audio' | 'video';

export interface FeatureSet {
  readonly maintype: 'content' | 'semantic';
  /** Those of audio and video are experimental. */
  readonly subtype: 'text' | 'audio' | 'video';
  readonly version: 0;
  /** Unit of offsets and sizes in a text: UTF-8 bytes if true, else characters. Those in audio and video are milliseconds. */
  readonly byte_offsets?: boolean;
  /** 256 bits each, base64url without padding. */
  readonly simprints: readonly string[];
  readonly offsets: readonly number[];
  readonly sizes: readonly number[];
}

/** Metadata that is embedded in a file or will be. */
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

/** Technical properties of a file's content. */
export interface ContentFacts {
  /** Seconds. */
  readonly duration?: number;
  readonly fps?: number;
  /** Pixels, before EXIF or container rotation. */
  readonly width?: number;
  readonly height?: number;
  /** Code points in the text from which the code is made. */
  readonly characters?: number;
  readonly language?: string;
}

/** A result as stored. Responses add {@link UploadLinks}. */
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
  /** Why a file of a supported type has no Content-Code, or what its Content-Code lacks: a code and its text. */
  readonly note?: string;
}

/** Extension of the response to embedding. */
export interface Embedding {
  /** Submitted fields that the copy does not show. */
  readonly not_embedded?: readonly string[];
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

/** The reference's order, because some clients compare responses as text. */
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
  'note',
  'not_embedded',
] as const satisfies readonly (keyof IsccResult | keyof UploadLinks | keyof Embedding)[];

type ResultParts = Omit<IsccResult, '@context' | '@type' | '$schema'>;

/** Adds the JSON-LD fields. `@type` depends on the mode. */
export function isccResult(parts: ResultParts): IsccResult {
  const type = parts.mode === undefined ? 'CreativeWork' : TYPES[parts.mode];
  return { '@context': CONTEXT, '@type': type, $schema: SCHEMA, ...parts };
}

/**
 * Adds submitted fields that are in the copy to its result. A value read from the copy is kept, a name derived from the
 * file name is replaced. The Meta-Code does not change: it depends on what the copy contains.
 */
export function withSubmitted(
  result: IsccResult,
  fields: EmbeddedMetadata,
  nameWasRead: boolean,
): IsccResult {
  const merged = { ...fields, ...present(result) };
  return nameWasRead || fields.name === undefined ? merged : { ...merged, name: fields.name };
}

/** The result as responses show it: keys in the order of {@link KEYS}, without undefined values. */
export function orderedResult(result: IsccResult): IsccResult;
export function orderedResult(
  result: IsccResult,
  links: UploadLinks & Embedding,
): IsccResult & UploadLinks & Embedding;
export function orderedResult(result: IsccResult, links?: UploadLinks & Embedding): IsccResult {
  const values: Readonly<Record<string, unknown>> = { ...result, ...links };
  return present(Object.fromEntries(KEYS.map((key) => [key, values[key]])) as unknown as IsccResult);
}
