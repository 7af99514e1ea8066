/**
 * Port to the codes pipeline for services that need the code of an asset and do not keep the asset. Limits and refusals
 * are those of the codes service.
 */
import type { FileRights } from './rights.js';
import type { SentFilename } from './sent-filename.js';

export interface Asset {
  readonly body: AsyncIterable<Uint8Array>;
  /** Media type that the sender claims. It names the type of content without a signature, such as Markdown. */
  readonly mediatype?: string | undefined;
  /** The Meta-Code of an asset without a title is made from it. Default: `asset`. */
  readonly sentFilename?: SentFilename | undefined;
  /** Whether content of another type is refused. Default: false. */
  readonly isTypeRequired?: boolean;
  /** Whether to summarise the manifest that the asset embeds, which reads the asset again. Default: false. */
  readonly isDescribed?: boolean;
  /** Clients take turns at the workers. */
  readonly clientAddress: string;
  /** Whether to read the fields about mining and training. Default: false. */
  readonly readsRights?: boolean;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface CodedAsset {
  /** Canonical ISCC-CODE. */
  readonly iscc: string;
  /** ISCC-UNITs of 256 bits, canonical. */
  readonly units: readonly string[];
  /** Of images: Image-Codes of the picture mirrored and turned. */
  readonly symmetries?: readonly string[] | undefined;
  /** Detected, normalised. */
  readonly mediatype: string;
  /** The Manifest Store that the asset embeds, not validated. */
  readonly manifest?: Uint8Array;
  /** What that manifest says, and whether it belongs to these bytes; if wanted. Texts are claims of its signer. */
  readonly credentials?: unknown;
  /** What the metadata of the asset says about mining and training; if wanted. */
  readonly rights?: FileRights;
}

export interface ContentCoder {
  /** Largest asset, in bytes. */
  readonly bytesMax: number;
  /** Computes the code of an asset. When it settles, no byte of the asset is left on disk. @throws {ContentRefused} */
  code(asset: Asset): Promise<CodedAsset>;
  close(): Promise<void>;
}

export type RefusedStatus = 400 | 413 | 415 | 422 | 502 | 503 | 507;

/** The asset can't be coded; `code` and the message are for the client. */
export class ContentRefused extends Error {
  override readonly name = 'ContentRefused';
  readonly status: RefusedStatus;
  /** A constant name, for programs. */
  readonly code: string;
  /** Seconds after which a retry makes sense. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: RefusedStatus,
    code: string,
    message: string,
    { retryAfterSeconds, ...options }: ErrorOptions & { readonly retryAfterSeconds?: number } = {},
  ) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
