/** Messages between a service and the processes that read Manifest Stores for it. Plain objects only. */
import type {
  ManifestReport,
  NativeErrorCode,
  OcspResponse,
  TrustList,
  ValidatorOptions,
} from '../native.js';

/** What a validator is made of. */
export interface ValidatorTexts {
  readonly trustLists: TrustList[];
  readonly options: ValidatorOptions;
}

export type ManifestTask =
  /** `validator`: key of its texts. */
  | {
      readonly kind: 'validate';
      readonly bytes: Uint8Array;
      readonly validator: string;
      readonly fetched?: OcspResponse[];
    }
  | { readonly kind: 'details'; readonly bytes: Uint8Array; readonly validator: string }
  | { readonly kind: 'describe'; readonly bytes: Uint8Array }
  | { readonly kind: 'label'; readonly bytes: Uint8Array };

/** Several tasks in one message, because a message costs as much processor time as a small validation. */
export interface ManifestJob {
  readonly tasks: readonly ManifestTask[];
  /** By key: validators that a worker has lacked. They are large, so a worker keeps them. */
  readonly texts: Readonly<Record<string, ValidatorTexts>>;
}

export type TaskResult =
  | { readonly kind: 'report'; readonly report: ManifestReport }
  /** JSON, or the label of the active manifest. `null`: not readable. */
  | { readonly kind: 'text'; readonly text: string | null }
  | { readonly kind: 'failed'; readonly code: NativeErrorCode; readonly message: string }
  /** Send the texts of the validator. */
  | { readonly kind: 'validator-unknown' };
