/**
 * Signed receipts: what the store has stored, and when. Anyone with the store's public key can verify one offline. A receipt has the
 * members of the C2PA's form and those of earlier versions; the signature covers all of them.
 */
import { manifestUrl } from '../../c2pa/manifest-url.js';
import { present } from '../../platform/present.js';
import { didOf } from '../../platform/signing/did-web.js';
import { isSignedBy, type Signed, signJson } from '../../platform/signing/iscc-sig.js';
import { canonicalize } from '../../platform/signing/jcs.js';
import { SigningKey } from '../../platform/signing/key.js';
import { StoreRefusal } from './errors.js';
import type { StoredManifest } from './manifests/manifests.js';
import { C2PA_RECEIPT_TYPE, RECEIPT_TYPE } from './schema.js';
import type { StoreService } from './service.js';

const CONTEXT = {
  c2pa: 'https://c2pa.org/ns/',
  receipt: 'https://c2pa.org/ns/manifest-receipt#',
} as const;
const PROOF_ALGORITHM = 'Ed25519';

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
  readonly #url: string;
  readonly #key: SigningKey | undefined;

  /** @param secretSeed `undefined`: the store has no key and issues no receipts */
  constructor(service: StoreService, url: string, secretSeed: Uint8Array | undefined) {
    this.#service = service;
    this.#url = url;
    this.#key = secretSeed && new SigningKey(secretSeed);
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
   * Whether this store issued a receipt for a live manifest, and still has the bytes that the receipt names.
   *
   * @throws {StoreRefusal} like {@link of}
   */
  async verify(manifestId: string, given: GivenReceipt): Promise<Verification> {
    const manifest = await this.#service.live(manifestId);
    if (this.#key === undefined) throw new StoreRefusal('NO_RECEIPTS');
    const error = problemOf(withoutVerification(given), manifest, this.#key.publicKey);
    return { verified: error === undefined, ...present({ error }) };
  }

  /** Signatures are deterministic: the receipt of a manifest is always the same. */
  #sign({ manifestId, sha256, size, uploadedAt }: StoredManifest, key: SigningKey): Receipt {
    const url = manifestUrl(this.#url, manifestId);
    const storedAt = new Date(uploadedAt).toISOString();
    const statement = { type: RECEIPT_TYPE, manifestId, manifestUrl: url, sha256, size, storedAt } as const;
    const value = key.sign(Buffer.from(canonicalize(statement))).toString('base64url');
    const content = {
      '@context': CONTEXT,
      '@type': C2PA_RECEIPT_TYPE,
      repository: { uri: this.#url, manifestId },
      anchor: { uri: `${url}/receipts`, proof: { alg: PROOF_ALGORITHM, publicKey: key.publicKey, value } },
      ...statement,
    } as const;
    return signJson(content, key, didOf(this.#url));
  }
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
