/** The interface that each format module in this folder implements. */
import type { ContentFacts, EmbeddedMetadata, FeatureSet, Mode } from '../../result.js';
import type { WorkPlace } from '../../tools/work-folder.js';
import type { Compat } from '../jobs.js';
import type { Note } from '../notes.js';
import type { SemanticModels } from '../semantic/models.js';
import type { Stopwatch } from '../stopwatch.js';

export interface FormatFile extends WorkPlace {
  /** Name of the upload. */
  readonly filename: string;
  readonly mediatype: string;
}

export interface ContentOptions {
  readonly granular: boolean;
  /** Whether `granular` includes experimental simprints of audio and video. */
  readonly granularMedia?: boolean | undefined;
  readonly compat: Compat;
  /** Whether to code content that the reference loses. */
  readonly better?: boolean | undefined;
  /** Present if a Semantic-Code is requested. Audio and video ignore it. */
  readonly semantic?: SemanticModels;
  /** Threads of a video decoder. Default: 1. */
  readonly threads?: number | undefined;
  /** Whether to return the text. Only text formats have one. */
  readonly keepText?: boolean | undefined;
}

export type ContentFile = FormatFile & ContentOptions;

/** What a format module reads from a file. The Meta-Code is made later, from `metadata`. */
export interface FormatContent {
  /** Present if the content has another mode than the media type says. */
  readonly mode?: Mode;
  /** Content-Code of 256 bits, with prefix. */
  readonly unit: string;
  /** Of images: Image-Codes of the picture mirrored and turned, in the order of the addon. */
  readonly symmetries?: readonly string[];
  /** Of pictures and films of Apple's cameras: what the parts of a Live Photo have in common. */
  readonly contentIdentifier?: string | undefined;
  /** Semantic-Code of 256 bits, with prefix. */
  readonly semanticUnit?: string;
  readonly metadata: EmbeddedMetadata;
  readonly facts: ContentFacts;
  readonly features?: readonly FeatureSet[];
  readonly thumbnail?: string;
  /** Cleaned text, on request. */
  readonly text?: string;
  /** What the code lacks. */
  readonly notes?: readonly Note[];
}

/** Each function throws if the file is unreadable, with a message for the operator. */
export interface Format {
  /** Reports its steps to `watch`. */
  content(file: ContentFile, watch?: Stopwatch): Promise<FormatContent>;
  metadata(file: FormatFile): Promise<EmbeddedMetadata>;
  /** Writes into the file itself, which is a copy of the upload. Absent if the format can't hold metadata. */
  embed?(file: FormatFile, fields: EmbeddedMetadata): Promise<void>;
}
