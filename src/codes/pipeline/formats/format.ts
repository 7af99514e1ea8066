/** What a file format does for the pipeline. One module here implements it per family of formats. */
import type { ContentFacts, EmbeddedMetadata, FeatureSet } from '../../result.js';
import type { Compat } from '../jobs.js';
import type { SemanticModels } from '../semantic/models.js';
import type { Stopwatch } from '../stopwatch.js';

export interface FormatFile {
  /** Of a file whose name says nothing. */
  readonly path: string;
  /** What the upload is called. */
  readonly filename: string;
  readonly mediatype: string;
  /** For what programs write on the way, made when it is needed; beside the file where none is named. */
  readonly workFolder?: string | undefined;
}

export interface ContentOptions {
  readonly granular: boolean;
  readonly compat: Compat;
  /** Given where a Semantic-Code is to be made; formats of sound and film ignore it. */
  readonly semantic?: SemanticModels;
}

/** What a file's content gives; the pipeline makes the Meta-Code from its metadata. */
export interface FormatContent {
  /** Content-Code of 256 bits, with prefix. */
  readonly unit: string;
  /** Semantic-Code of 256 bits, with prefix. */
  readonly semanticUnit?: string;
  readonly metadata: EmbeddedMetadata;
  readonly facts: ContentFacts;
  readonly features?: readonly FeatureSet[];
  readonly thumbnail?: string;
}

/** Each function throws when the file can't be read, with a message for whoever runs the service. */
export interface Format {
  /** Steps worth telling apart are measured with `watch`. */
  content(file: FormatFile, options: ContentOptions, watch?: Stopwatch): Promise<FormatContent>;
  metadata(file: FormatFile): Promise<EmbeddedMetadata>;
  /** Writes into the file itself, which is a copy. Absent where the format has no place for metadata. */
  embed?(file: FormatFile, fields: EmbeddedMetadata): Promise<void>;
}
