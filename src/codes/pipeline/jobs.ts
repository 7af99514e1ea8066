/** What crosses between the server and its workers. Plain objects only. */
import type { ContentFacts, EmbeddedMetadata, FeatureSet } from '../result.js';
import type { FormatName } from './formats/table.js';
import type { SemanticModels } from './semantic/models.js';
import type { Step } from './stopwatch.js';

interface FileJob {
  readonly path: string;
  /** The name of the upload; the file at `path` has another one. */
  readonly filename: string;
  readonly mediatype: string;
  readonly format: FormatName;
  /** For what programs write on the way, made when it is needed; beside the file where none is named. */
  readonly workFolder?: string | undefined;
}

export interface ContentJob extends FileJob {
  readonly kind: 'content';
  readonly granular: boolean;
  readonly compat: Compat;
  /** Given where a Semantic-Code is to be made. */
  readonly semantic?: SemanticModels;
  /** Whether somebody wants to know of each step at once. */
  readonly watched: boolean;
}

export interface ExtractJob extends FileJob {
  readonly kind: 'extract';
}

export interface EmbedJob extends FileJob {
  readonly kind: 'embed';
  readonly fields: EmbeddedMetadata;
}

/** Semantic simprints of a text that is in no file. */
export interface SimprintJob {
  readonly kind: 'simprint';
  readonly text: string;
  readonly semantic: SemanticModels;
}

export type Job = ContentJob | ExtractJob | EmbedJob | SimprintJob;

/** Release of the reference library whose results are reproduced. */
export type Compat = '0.9.7' | '0.9.5';

/** What the content of a file gives. */
export interface Content {
  /** Meta-, perhaps Semantic-, and Content-Code of 256 bits, with prefix. */
  readonly units: readonly string[];
  readonly metahash: string;
  /** `name` is always there: the file's own, or made from the file's name. */
  readonly metadata: EmbeddedMetadata;
  readonly facts: ContentFacts;
  readonly features?: readonly FeatureSet[];
  readonly thumbnail?: string;
}

export type Output =
  | {
      readonly kind: 'content';
      readonly content: Content;
      readonly steps: readonly Step[];
      /** From the job's arrival in the worker to its answer. */
      readonly ms: number;
    }
  | { readonly kind: 'extract'; readonly metadata: EmbeddedMetadata }
  | { readonly kind: 'embed' }
  | { readonly kind: 'simprint'; readonly simprints: readonly string[] };
