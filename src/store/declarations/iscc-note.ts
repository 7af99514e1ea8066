/** Notes: the signed JSON objects with which a store declares content to a hub, and takes that back. */
import { randomBytes } from 'node:crypto';
import { type Signed, signJson } from '../../signing/iscc-sig.js';
import type { SigningKey } from '../../signing/key.js';
import type { DeclaredContent } from './declared-content.js';

/** Hubs of 2026 demand a `$schema`, those of August 2025 refuse it; in all else their notes are the same. */
export type Dialect = '0.8.0' | '2025-08';

const DECLARE_SCHEMA = 'http://purl.org/iscc/schema/iscc-note-0.8.0.json';
const DELETE_SCHEMA = 'http://purl.org/iscc/schema/iscc-note-delete-0.8.0.json';
export const HUB_ID_MAX = 4095;
const NONCE_BYTES = 16;
const HUB_ID_DIGITS = 3;

/** Who signs, and for which hub. */
export interface Signer {
  readonly key: SigningKey;
  /** did:web of the store. */
  readonly controller: string;
  /** 0 to {@link HUB_ID_MAX}; refused by every other hub than this. */
  readonly hubId: number;
}

/** A declaration as it is sent. */
export type Note = Signed<{
  readonly $schema?: typeof DECLARE_SCHEMA;
  readonly iscc_code: string;
  readonly datahash: string;
  readonly nonce: string;
  readonly timestamp: string;
  readonly gateway: string;
  readonly units: readonly string[];
}>;

export type WithdrawalNote = Signed<{
  readonly $schema: typeof DELETE_SCHEMA;
  readonly iscc_id: string;
  readonly nonce: string;
  readonly timestamp: string;
}>;

/** A declaration of content that is found at `gateway`, signed at `now` (ms). */
export function declarationNote(
  content: DeclaredContent,
  gateway: string,
  dialect: Dialect,
  signer: Signer,
  now: number,
): Note {
  const body = {
    iscc_code: content.isccCode,
    datahash: content.datahash,
    nonce: nonce(signer.hubId),
    timestamp: new Date(now).toISOString(),
    gateway,
    units: content.units,
  };
  const note = dialect === '0.8.0' ? ({ $schema: DECLARE_SCHEMA, ...body } as const) : body;
  return signJson(note, signer.key, signer.controller);
}

/** Takes the declaration `isccId` back, signed at `now` (ms). The key must be the one that declared it. */
export function withdrawalNote(isccId: string, signer: Signer, now: number): WithdrawalNote {
  const note = {
    $schema: DELETE_SCHEMA,
    iscc_id: isccId,
    nonce: nonce(signer.hubId),
    timestamp: new Date(now).toISOString(),
  } as const;
  return signJson(note, signer.key, signer.controller);
}

export function dialectOf(note: Note): Dialect {
  return note.$schema === undefined ? '2025-08' : '0.8.0';
}

/** 32 lower-case hexadecimal digits: three of the hub id, the others random. */
export function nonce(hubId: number, random: Uint8Array = randomBytes(NONCE_BYTES)): string {
  const digits = Buffer.from(random).toString('hex');
  return hubId.toString(16).padStart(HUB_ID_DIGITS, '0') + digits.slice(HUB_ID_DIGITS);
}

/** The hub id that a nonce carries. */
export function hubIdOf(nonce: string): number {
  return Number.parseInt(nonce.slice(0, HUB_ID_DIGITS), 16);
}
