/** ISCC notes: signed JSON objects that declare content to a hub or withdraw a declaration. */
import { randomBytes } from 'node:crypto';
import { type Signed, signJson } from '../../../platform/signing/iscc-sig.js';
import type { SigningKey } from '../../../platform/signing/key.js';
import type { DeclaredContent } from './declared-content.js';

/** Hubs of 2026 require `$schema`, hubs of August 2025 refuse it. Otherwise their notes are equal. */
export type Dialect = '0.8.0' | '2025-08';

const DECLARE_SCHEMA = 'http://purl.org/iscc/schema/iscc-note-0.8.0.json';
const DELETE_SCHEMA = 'http://purl.org/iscc/schema/iscc-note-delete-0.8.0.json';
export const HUB_ID_MAX = 4095;
const NONCE_BYTES = 16;
const HUB_ID_DIGITS = 3;

/** Signing identity, and the hub it signs for. */
export interface Signer {
  readonly key: SigningKey;
  /** did:web of the store. */
  readonly controller: string;
  /** 0 to {@link HUB_ID_MAX}. Other hubs refuse the note. */
  readonly hubId: number;
}

/** A declaration note. */
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

/** Declares content that can be fetched from `gateway`; signed at `now` (ms). */
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

/** Withdraws the declaration `isccId`; signed at `now` (ms). The key must be the one that declared it. */
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

/** 32 lower-case hexadecimal digits: 3 of the hub id, 29 random. */
export function nonce(hubId: number, random: Uint8Array = randomBytes(NONCE_BYTES)): string {
  const digits = Buffer.from(random).toString('hex');
  return hubId.toString(16).padStart(HUB_ID_DIGITS, '0') + digits.slice(HUB_ID_DIGITS);
}

/** The hub id in a nonce. */
export function hubIdOf(nonce: string): number {
  return Number.parseInt(nonce.slice(0, HUB_ID_DIGITS), 16);
}
