/** Messages between the server and its worker processes. Plain objects only. */
import type { FileRights } from '../../../content/rights.js';
import type { Details, ErrorCode } from '../errors.js';
import type { ContentFacts, EmbeddedMetadata, FeatureSet, FormatName, Mode } from '../result.js';
import type { Note } from './notes.js';
import type { SemanticModels } from './semantic/models.js';
import type { PipelineStep } from './stopwatch.js';

/** Version of iscc-sdk whose results are reproduced. */
export type Compat = '0.9.7' | '0.9.5';

/** The release to follow, and whether to code content that it loses, for a value of `CODESDK_COMPAT`. */
export function profileOf(value: Compat | 'better'): { readonly compat: Compat; readonly better: boolean } {
  return value === 'better' ? { compat: '0.9.7', better: true } : { compat: value, better: false };
}

/** What to do with the Manifest Store that a file embeds. */
export type ManifestUse = 'ignore' | 'read' | 'describe';

interface FileJob {
  readonly path: string;
  /** Name of the upload. The file at `path` has a different name. */
  readonly filename: string;
  readonly mediatype: string;
  readonly format: FormatName;
  /** Folder for temporary files, created on first use. Default: the folder of the file. */
  readonly workFolder?: string | undefined;
}

/** Metadata from the caller. Replaces that of the file, field by field, before the Meta-Code is made. */
export interface GivenMetadata {
  /** Empty: the name comes from the file name. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** A base64 Data-URL, or the text of a JSON object. */
  readonly meta?: string | undefined;
}

export interface ContentJob extends FileJob {
  readonly kind: 'content';
  readonly granular: boolean;
  /** Whether `granular` includes experimental simprints of audio and video. */
  readonly granularMedia?: boolean | undefined;
  readonly compat: Compat;
  /** Whether to code content that the reference loses. */
  readonly better?: boolean | undefined;
  /** Present if a Semantic-Code is requested. */
  readonly semantic?: SemanticModels;
  /** Threads of a video decoder. */
  readonly threads: number;
  /** Whether to report each step as it begins and ends. */
  readonly watched: boolean;
  readonly manifest: ManifestUse;
  readonly given?: GivenMetadata | undefined;
  /** Whether to ignore metadata embedded in the file. */
  readonly ignoresMetadata?: boolean | undefined;
  /** Whether to return the text. */
  readonly keepText?: boolean | undefined;
  /** Whether to read the fields about mining and training. */
  readonly readsRights?: boolean | undefined;
}

export interface ExtractJob extends FileJob {
  readonly kind: 'extract';
}

export interface EmbedJob extends FileJob {
  readonly kind: 'embed';
  readonly fields: EmbeddedMetadata;
}

/** Semantic simprints of a text that is not in a file. */
export interface SimprintJob {
  readonly kind: 'simprint';
  readonly text: string;
  readonly semantic: SemanticModels;
}

export type Job = ContentJob | ExtractJob | EmbedJob | SimprintJob;

/** Why a job failed, for its client. */
export interface JobRefusal {
  readonly code: ErrorCode;
  readonly details: Details;
}

/** Result of a content job. */
export interface FileContent {
  /** Meta-Code, Semantic-Code if requested, and Content-Code: 256 bits each, with prefix. */
  readonly units: readonly string[];
  /** Of images: Image-Codes of the picture mirrored and turned, in the order of the addon. */
  readonly symmetries?: readonly string[];
  /** Of pictures and films of Apple's cameras: what the parts of a Live Photo have in common. */
  readonly contentIdentifier?: string | undefined;
  readonly metahash: string;
  /** `name` is always present: read from the file, or derived from the file name. */
  readonly metadata: EmbeddedMetadata;
  /** Whether `name` was read from the file. */
  readonly nameWasRead: boolean;
  /** Present if the content has another mode than the media type says. */
  readonly mode?: Mode;
  readonly facts: ContentFacts;
  readonly features?: readonly FeatureSet[];
  readonly thumbnail?: string;
  /** Cleaned text of a text document, on request. */
  readonly text?: string;
  /** What the code lacks. */
  readonly notes?: readonly Note[];
}

export type Output =
  | {
      readonly kind: 'content';
      readonly content: FileContent;
      readonly steps: readonly PipelineStep[];
      /** Milliseconds from the arrival of the job in the worker to its result. */
      readonly ms: number;
      readonly manifest?: Uint8Array;
      /** JSON, if the manifest was to be described. */
      readonly credentials?: string;
      /** Present if they were to be read. */
      readonly rights?: FileRights;
    }
  | { readonly kind: 'extract'; readonly metadata: EmbeddedMetadata }
  /** The fields that a fresh extraction does not find. */
  | { readonly kind: 'embed'; readonly missing: readonly (keyof EmbeddedMetadata)[] }
  | { readonly kind: 'simprint'; readonly simprints: readonly string[] };
