/** Reads Manifest Stores in processes of their own: no other process of a service decodes their CBOR, COSE or certificates. */
import { createHash } from 'node:crypto';
import {
  type ManifestReport,
  native,
  type OcspResponse,
  type TrustList,
  type ValidatorOptions,
} from '../native.js';
import { lazily } from '../platform/lazily.js';
import type { Logger } from '../platform/observe/log.js';
import { warnWithoutSandbox } from '../platform/workers/sandbox.js';
import type { ManifestTask, ValidatorTexts } from './manifest-jobs.js';
import { ManifestWorkers, nativeError, ReaderLost, type TaskOutput } from './manifest-workers.js';

/** Tasks of one reader that may wait or run. Each holds the bytes of its store. */
const WAITING_MAX = 64;

/** Refusal of a store that no reader survives. */
const CRASHES_READER = 'manifest.crashesReader';

/** Of this process. They start with the first task, and end with this process. */
const shared = lazily(() => new ManifestWorkers());

/** A reader whose first process starts before a Manifest Store arrives. */
export function warmReader(log: Logger): ManifestReader {
  const reader = new ManifestReader(log);
  shared()
    .warm()
    .then(() => warnWithoutSandbox(log, reader.sandbox))
    .catch((error: unknown) => log.error({ err: error }, 'the processes that read manifests fail to start'));
  return reader;
}

/** Reads Manifest Stores for one service. */
export class ManifestReader {
  readonly #log: Logger | undefined;
  readonly #workers: ManifestWorkers;
  /** Trusts no signer, and indexes the bundled list of algorithms. */
  readonly trustingNone = lazily(() =>
    this.validator(native.bundledTrustLists().filter(({ kind }) => kind === 'time-stampers')),
  );
  #waiting = 0;

  /** @param workers for tests */
  constructor(log: Logger | undefined, workers = shared()) {
    this.#log = log;
    this.#workers = workers;
  }

  /** Of those processes: `on`, or what is missing and why. */
  get sandbox(): string {
    return this.#workers.sandbox;
  }

  /**
   * A validator in those processes.
   *
   * @throws {NativeError} `INVALID_ARGUMENT` if a trust list or the list of algorithms is invalid
   */
  validator(lists: readonly TrustList[], options: ValidatorOptions = {}): ManifestValidation {
    const trustLists = lists.map(({ name, kind, pem }) => ({ name, kind, pem }));
    // Both are the operator's. The addon checks them here, so that a start with wrong ones fails.
    new native.ManifestValidator(trustLists, options);
    return new ManifestValidation(this, { trustLists, options });
  }

  /** What a Manifest Store says about its asset, as JSON; `null` if it is not readable. @throws {NativeError} `BUSY` */
  async describe(bytes: Uint8Array): Promise<string | null> {
    return this.text({ kind: 'describe', bytes });
  }

  /**
   * Label of the active manifest; `null` if the bytes are not exactly one Manifest Store whose active manifest has a claim
   * signature. Nothing else of it is checked. @throws {NativeError} `BUSY` and `TIMEOUT`
   */
  label(bytes: Uint8Array): Promise<string | null> {
    return this.text({ kind: 'label', bytes });
  }

  /** @internal */
  async text(task: ManifestTask, texts?: ValidatorTexts): Promise<string | null> {
    try {
      return (await this.run(task, texts)) as string | null;
    } catch (error) {
      if (error instanceof ReaderLost) return null;
      throw error;
    }
  }

  /** @internal Logs stores that end their reader. */
  async run(task: ManifestTask, texts?: ValidatorTexts): Promise<TaskOutput> {
    if (this.#waiting >= WAITING_MAX) throw nativeError('BUSY', 'too many manifests are waiting');
    this.#waiting += 1;
    try {
      return await this.#workers.run(task, texts);
    } catch (error) {
      if (error instanceof ReaderLost) {
        const sha256 = createHash('sha256').update(task.bytes).digest('hex');
        const size = task.bytes.byteLength;
        this.#log?.error({ err: error.cause, sha256, size }, 'a manifest ended the process that read it');
      }
      throw error;
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** Validates against some trust lists, like `ManifestValidator` of the addon. */
export class ManifestValidation {
  readonly #reader: ManifestReader;
  readonly #texts: ValidatorTexts;
  /** Workers keep validators by it. */
  readonly #key: string;

  constructor(reader: ManifestReader, texts: ValidatorTexts) {
    this.#reader = reader;
    this.#texts = texts;
    this.#key = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  }

  /** @throws {NativeError} `BUSY` and `TIMEOUT` */
  async validate(bytes: Uint8Array, fetched?: OcspResponse[]): Promise<ManifestReport> {
    const task = { kind: 'validate', bytes, validator: this.#key, ...(fetched && { fetched }) } as const;
    try {
      return (await this.#reader.run(task, this.#texts)) as ManifestReport;
    } catch (error) {
      if (!(error instanceof ReaderLost)) throw error;
      return { outcome: 'refused', code: CRASHES_READER, text: 'reading it needs too much memory or fails' };
    }
  }

  /** The detailed JSON of a C2PA reader; `null` if the store is not readable. @throws {NativeError} `BUSY` */
  details(bytes: Uint8Array): Promise<string | null> {
    return this.#reader.text({ kind: 'details', bytes, validator: this.#key }, this.#texts);
  }
}
