/**
 * Signed receipts: what the store has stored, and when. Anyone with the store's public key can verify one offline. A receipt has the
 * members of the C2PA's form and those of earlier versions, and the proof that the upload is in the log of the store; the signature
 * covers all of them.
 */
import { manifestUrl } from '../../c2pa/manifest-url.js';
import { present } from '../../platform/present.js';
import { didOf } from '../../platform/signing/did-web.js';
import { isSignedBy, type Signed, signJson } from '../../platform/signing/iscc-sig.js';
import { canonicalize } from '../../platform/signing/jcs.js';
import type { SigningKey } from '../../platform/signing/key.js';
import { StoreRefusal } from './errors.js';
import { provenHead } from './log/receipt-proof.js';
import type { EntryProof, StoreLog } from './log/store-log.js';
import type { StoredManifest } from './manifests/manifests.js';
import { C2PA_RECEIPT_TYPE, RECEIPT_TYPE } from './schema.js';
import type { StoreService } from './service.js';

const CONTEXT = {
  c2pa: 'https://c2pa.org/ns/',
  receipt: 'https://c2pa.org/ns/manifest-receipt#',
} as const;
const PROOF_ALGORITHM = 'Ed25519';
const LOG_LOST =
  'the log of this store no longer has the checkpoint of the receipt: entries were dropped or changed';

/** What the store states. */
interface Statement {
  readonly type: typeof RECEIPT_TYPE;
  readonly manifestId: string;
  readonly manifestUrl: string;
  /** Of the Manifest Store, in hex. */
  readonly sha256: string;
  /** Bytes of the Manifest Store. */
  readonly size: number;
  /** RFC 3339, by the clock of the store. */
  readonly storedAt: string;
}

export interface ReceiptContent extends Statement {
  readonly '@context': typeof CONTEXT;
  readonly '@type': typeof C2PA_RECEIPT_TYPE;
  readonly repository: { readonly uri: string; readonly manifestId: string };
  readonly anchor: {
    readonly uri: string;
    readonly proof: {
      readonly alg: typeof PROOF_ALGORITHM;
      /** Multibase. */
      readonly publicKey: string;
      /** Base64url of the signature of the canonical JSON of the statement. */
      readonly value: string;
      readonly log: EntryProof;
    };
  };
}

export type Receipt = Signed<ReceiptContent>;

/** A receipt that a client sends, as far as it matters here: of the C2PA's form, or of an earlier version. */
export type GivenReceipt = Readonly<Record<string, unknown>>;

/** A result of a verification; it is not part of what is signed. */
export interface Verification {
  readonly verified: boolean;
  /** Why not. */
  readonly error?: string;
}

/** Without the members that a verification adds. */
export function withoutVerification({ verified: _, error: __, ...receipt }: GivenReceipt): GivenReceipt {
  return receipt;
}

export class Receipts {
  readonly #service: StoreService;
  readonly #log: StoreLog;
  readonly #url: string;
  readonly #key: SigningKey | undefined;

  /** @param key `undefined`: the store has no key and issues no receipts */
  constructor(service: StoreService, log: StoreLog, url: string, key: SigningKey | undefined) {
    this.#service = service;
    this.#log = log;
    this.#url = url;
    this.#key = key;
  }

  /** The receipt of a live manifest. @throws {StoreRefusal} if the store has no key, or the manifest is not live */
  async of(manifestId: string): Promise<Receipt> {
    const manifest = await this.#service.live(manifestId);
    if (this.#key === undefined) throw new StoreRefusal('NO_RECEIPTS');
    return this.#sign(manifest, this.#key);
  }

  /** The receipt for the response to an upload; `undefined` if the store has no key. */
  async afterUpload(manifestId: string): Promise<Receipt | undefined> {
    return this.#key && this.of(manifestId);
  }

  /**
   * Whether this store issued a receipt for a live manifest, and still has the bytes and the log that the receipt names.
   *
   * @throws {StoreRefusal} like {@link of}
   */
  async verify(manifestId: string, given: GivenReceipt): Promise<Verification> {
    const manifest = await this.#service.live(manifestId);
    if (this.#key === undefined) throw new StoreRefusal('NO_RECEIPTS');
    const receipt = withoutVerification(given);
    const error =
      problemOf(receipt, manifest, this.#key.publicKey) ??
      (await this.#logProblem(receipt, manifest, this.#key.publicKey));
    return { verified: error === undefined, ...present({ error }) };
  }

  /** Signatures are deterministic: the receipt of a manifest is always the same. */
  async #sign(manifest: StoredManifest, key: SigningKey): Promise<Receipt> {
    const { manifestId, sha256, size, uploadedAt } = manifest;
    const url = manifestUrl(this.#url, manifestId);
    const storedAt = new Date(uploadedAt).toISOString();
    const statement = { type: RECEIPT_TYPE, manifestId, manifestUrl: url, sha256, size, storedAt } as const;
    const value = key.sign(Buffer.from(canonicalize(statement))).toString('base64url');
    const log = await this.#log.storedProof(manifest.key, key);
    const content = {
      '@context': CONTEXT,
      '@type': C2PA_RECEIPT_TYPE,
      repository: { uri: this.#url, manifestId },
      anchor: {
        uri: `${url}/receipts`,
        proof: { alg: PROOF_ALGORITHM, publicKey: key.publicKey, value, log },
      },
      ...statement,
    } as const;
    return signJson(content, key, didOf(this.#url));
  }

  /** Why the log of this store is not that of a receipt. */
  async #logProblem(
    receipt: GivenReceipt,
    { manifestId, sha256, size }: StoredManifest,
    publicKey: string,
  ): Promise<string | undefined> {
    const proof = logProofIn(receipt);
    // Those of earlier versions have none.
    if (proof === undefined) return undefined;
    const { storedAt } = receipt as { storedAt: string };
    const head = provenHead({ manifestId, sha256, size, storedAt, storeUrl: this.#url, publicKey, proof });
    if ('problem' in head) return head.problem;
    return (await this.#log.hasHead(head)) ? undefined : LOG_LOST;
  }
}

/** The proof in a receipt that its entry is in the log; `undefined` without one. */
export function logProofIn({ anchor }: GivenReceipt): unknown {
  return (anchor as { proof?: { log?: unknown } } | null | undefined)?.proof?.log;
}

/** Why a receipt is not one of this store for the manifest. */
function problemOf(
  receipt: GivenReceipt,
  { manifestId, sha256 }: StoredManifest,
  publicKey: string,
): string | undefined {
  const { repository } = receipt;
  const names = [receipt.manifestId];
  // Receipts of earlier versions have the first name only.
  if (receipt['@type'] !== undefined) names.push((repository as { manifestId?: unknown } | null)?.manifestId);
  if (!names.every((name) => name === manifestId)) return 'the receipt is of another manifest';
  if (!isSignedBy(receipt, publicKey)) return 'the signature is not valid, or not by the key of this store';
  return receipt.sha256 === sha256 ? undefined : 'the store has other bytes than the receipt names';
}
