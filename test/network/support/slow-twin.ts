/**
 * Judges the entries of a log by the rules of `docs/explanation/network.md`, one after another and without the program under
 * test, except for its codec of ISCC-UNITs. Forms of codes are not checked: the vectors do that.
 */
import { createPublicKey, verify } from 'node:crypto';
import { base32nopad, base58 } from '@scure/base';
import { decodeCode, decomposeCode, encodeUnit } from '../../../src/iscc/codec.js';
import { canonicalize, type Json } from '../../../src/platform/signing/jcs.js';

const NOTE = 'http://purl.org/iscc/schema/iscc-note-0.8.0.json';
const DELETE = 'http://purl.org/iscc/schema/iscc-note-delete-0.8.0.json';
const ENTRY_BYTES_MAX = 16_384;
const INSTANCE = 4;
/** DER of an Ed25519 public key without its last 32 bytes. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

interface Note {
  readonly $schema?: unknown;
  readonly iscc_id?: unknown;
  readonly iscc_code?: string;
  readonly datahash?: string;
  readonly nonce?: unknown;
  readonly units?: readonly string[];
  readonly gateway?: string;
  readonly signature?: Readonly<Record<string, unknown>>;
}

interface Claim {
  readonly key: string;
  readonly leaf: number;
  readonly isInForce: boolean;
}

export class SlowTwin {
  readonly counts: Record<string, number> = {};
  /** By ISCC-ID. */
  readonly assets = new Map<string, object>();
  readonly claims = new Map<string, Claim>();
  readonly #nonces = new Set<unknown>();
  readonly #realm: number;
  readonly #hubId: number;
  #leaf = 0;

  constructor(realm: number, hubId: number) {
    this.#realm = realm;
    this.#hubId = hubId;
  }

  take(record: Buffer): void {
    const reason = this.#judge(record, this.#leaf);
    this.counts[reason] = (this.counts[reason] ?? 0) + 1;
    this.#leaf += 1;
  }

  #judge(record: Buffer, leaf: number): string {
    if (record.length > ENTRY_BYTES_MAX) return 'oversize';
    const { iscc_id: id, note } = parsed(record);
    if (typeof note?.$schema !== 'string') return 'malformed';
    if (note.$schema !== NOTE && note.$schema !== DELETE) return 'unknown_schema';
    if (typeof id !== 'string' || !/^ISCC:M[A-Z2-7]{15}$/.test(id)) return 'malformed';
    const bytes = base32nopad.decode(id.slice('ISCC:'.length));
    if (bytes[1] !== 0x10 || !/^[0-9a-f]{32}$/.test(String(note.nonce))) return 'malformed';
    if (((bytes[0] ?? 0) & 15) !== this.#realm) return 'realm_mismatch';
    const hub = (((bytes[8] ?? 0) & 15) << 8) | (bytes[9] ?? 0);
    const nonceHub = Number.parseInt(String(note.nonce).slice(0, 3), 16);
    if (hub !== this.#hubId || nonceHub !== this.#hubId) return 'hub_mismatch';
    if (!hasForm(note, id)) return 'malformed';
    if (!isSigned(note)) return 'bad_signature';
    if (this.#nonces.has(note.nonce)) return 'nonce_reuse';
    this.#nonces.add(note.nonce);
    return note.$schema === NOTE ? this.#declare(id, note, leaf) : this.#delete(id, note);
  }

  #declare(id: string, note: Note, leaf: number): string {
    const key = String(note.signature?.pubkey);
    const claim = this.claims.get(id);
    if (claim !== undefined && (!claim.isInForce || claim.key !== key)) return 'conflict';
    this.claims.set(id, { key, leaf, isInForce: true });
    this.assets.set(id, assetOf(id, note));
    return 'ok';
  }

  #delete(id: string, note: Note): string {
    const claim = this.claims.get(id);
    if (!claim?.isInForce) return 'orphan';
    if (claim.key !== note.signature?.pubkey) return 'unauthorized';
    this.claims.set(id, { ...claim, isInForce: false });
    this.assets.delete(id);
    return 'deletion';
  }
}

function parsed(record: Buffer): { iscc_id?: unknown; note?: Note } {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(record)) ?? {};
  } catch {
    return {};
  }
}

function hasForm({ signature, datahash, iscc_id, $schema }: Note, id: string): boolean {
  const texts = [signature?.version, signature?.pubkey, signature?.proof];
  if (!texts.every((text) => typeof text === 'string')) return false;
  return $schema === DELETE ? iscc_id === id : /^1e20[0-9a-f]{64}$/.test(String(datahash));
}

function isSigned(note: Note): boolean {
  const { proof, ...signature } = note.signature ?? {};
  if (signature.version !== 'ISCC-SIG v1.0') return false;
  const raw = base58.decode(String(signature.pubkey).slice(1)).slice(2);
  const key = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, raw]),
    format: 'der',
    type: 'spki',
  });
  const text = canonicalize({ ...note, signature } as Json);
  return verify(null, Buffer.from(text), key, base58.decode(String(proof).slice(1)));
}

function assetOf(id: string, { iscc_code: code = '', datahash = '', units = [], gateway }: Note): object {
  const parts = decomposeCode(code).map((part) => {
    const { main, sub, bits } = decodeCode(part);
    if (main === INSTANCE) return encodeUnit(INSTANCE, 0, 0, 256, Buffer.from(datahash.slice(4), 'hex'));
    const same = units.find((unit) => decodeCode(unit).main === main && decodeCode(unit).sub === sub);
    return same !== undefined && decodeCode(same).bits > bits ? same : `ISCC:${part}`;
  });
  const bare = (text: string) => text.slice('ISCC:'.length).toLowerCase();
  const address = gateway
    ?.replaceAll('{iscc_id}', bare(id))
    .replaceAll('{/iscc_code}', `/${bare(code)}`)
    .replaceAll('{.datahash}', `.${datahash}`);
  const metadata = address === undefined ? {} : { metadata: { gateway: address } };
  return { iscc_id: id, iscc_code: code, units: parts, ...metadata };
}
