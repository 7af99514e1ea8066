/** Messages between the server and its worker processes. Plain objects only. */
import type { ContentFacts, EmbeddedMetadata, FeatureSet, Mode } from '../result.js';
import type { SemanticModels } from './semantic/models.js';
import type { PipelineStep } from './stopwatch.js';

/** The module in `formats/` that reads a file. */
export type FormatName = 'text' | 'pdf' | 'image' | 'audio' | 'video';

/** Version of iscc-sdk whose results are reproduced. */
export type Compat = '0.9.7' | '0.9.5';

interface FileJob {
  readonly path: string;
  /** Name of the upload. The file at `path` has a different name. */
  readonly filename: string;
  readonly mediatype: string;
  readonly format: FormatName;
  /** Folder for temporary files, created on first use. Default: the folder of the file. */
  readonly workFolder?: string | undefined;
}

export interface ContentJob extends FileJob {
  readonly kind: 'content';
  readonly granular: boolean;
  readonly compat: Compat;
  /** Present if a Semantic-Code is requested. */
  readonly semantic?: SemanticModels;
  /** Whether to report each step as it begins and ends. */
  readonly watched: boolean;
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

/** Result of a content job. */
export interface FileContent {
  /** Meta-Code, Semantic-Code if requested, and Content-Code: 256 bits each, with prefix. */
  readonly units: readonly string[];
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
}

export type Output =
  | {
      readonly kind: 'content';
      readonly content: FileContent;
      readonly steps: readonly PipelineStep[];
      /** Milliseconds from the arrival of the job in the worker to its result. */
      readonly ms: number;
    }
  | { readonly kind: 'extract'; readonly metadata: EmbeddedMetadata }
  | { readonly kind: 'embed' }
  | { readonly kind: 'simprint'; readonly simprints: readonly string[] };
