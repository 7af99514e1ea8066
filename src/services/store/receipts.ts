/** Signed receipts: what the store has stored, and when. Anyone with the store's public key can verify one offline. */
import { manifestUrl } from '../../c2pa/manifest-url.js';
import { didOf } from '../../platform/signing/did-web.js';
import { type Signed, signJson } from '../../platform/signing/iscc-sig.js';
import { SigningKey } from '../../platform/signing/key.js';
import { StoreRefusal } from './errors.js';
import type { StoredManifest } from './manifests.js';
import type { StoreService } from './service.js';

export const RECEIPT_TYPE = 'IsccdStoreReceipt';

export interface ReceiptContent {
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

export type Receipt = Signed<ReceiptContent>;

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
    const receipt = this.#sign(await this.#service.live(manifestId));
    if (receipt === undefined) throw new StoreRefusal('NO_RECEIPTS');
    return receipt;
  }

  /** The receipt for the response to an upload; `undefined` if the store has no key. */
  async afterUpload(manifestId: string): Promise<Receipt | undefined> {
    return this.#key && this.of(manifestId);
  }

  /** Signatures are deterministic: the receipt of a manifest is always the same. */
  #sign({ manifestId, sha256, size, uploadedAt }: StoredManifest): Receipt | undefined {
    if (this.#key === undefined) return undefined;
    const content = {
      type: RECEIPT_TYPE,
      manifestId,
      manifestUrl: manifestUrl(this.#url, manifestId),
      sha256,
      size,
      storedAt: new Date(uploadedAt).toISOString(),
    } as const;
    return signJson(content, this.#key, didOf(this.#url));
  }
}
