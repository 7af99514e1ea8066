/** ISCC-SEQ (IEP-0020): the value of an `io.iscc.v0` soft binding, ISCC-UNITs back to back. */
import { base32nopad } from '@scure/base';
import { native } from '../native.js';

const META = 0;
const SEMANTIC = 1;
const CONTENT = 2;
const INSTANCE = 4;
/** Text, image, audio, video, mixed. */
const CONTENT_SUBTYPE_MAX = 4;

const HEADER_BYTES = 2;
/** Version 0, 256 bits. */
const SECOND_HEADER_BYTE = 0x07;
const BODY_BYTES = 32;

export interface SeqUnit {
  /** Canonical text, `ISCC:…`. */
  readonly unit: string;
  /** Header and body. */
  readonly bytes: Uint8Array;
}

/** A unit that similarity is decided by: 256 bits of a known type other than Meta, version 0. */
export interface SearchableUnit extends SeqUnit {
  /** 1 semantic, 2 content, 3 data, 4 instance. */
  readonly mainType: number;
  readonly subType: number;
  /** 32 bytes. */
  readonly body: Uint8Array;
}

/** The bytes are no ISCC-SEQ; the message says why. */
export class SeqInvalid extends Error {
  override readonly name = 'SeqInvalid';
}

/**
 * The units of an ISCC-SEQ in their order. Unknown SubTypes, versions and lengths are kept.
 *
 * @throws {SeqInvalid}
 */
export function decodeSeq(bytes: Uint8Array): SeqUnit[] {
  try {
    return native
      .decodeSeq(bytes)
      .map((unit) => ({ unit, bytes: base32nopad.decode(unit.slice('ISCC:'.length)) }));
  } catch (error) {
    throw new SeqInvalid(error instanceof Error ? error.message : String(error));
  }
}

/** The searchable ones among units, each once, in their order. */
export function searchableUnits(units: readonly SeqUnit[]): SearchableUnit[] {
  const found = new Map<string, SearchableUnit>();
  for (const unit of units) {
    const searchable = asSearchable(unit);
    if (searchable !== undefined && !found.has(unit.unit)) found.set(unit.unit, searchable);
  }
  return [...found.values()];
}

function asSearchable({ unit, bytes }: SeqUnit): SearchableUnit | undefined {
  // SubTypes from 8 on make longer headers, which neither this length nor this second byte fits.
  const [first = 0, second] = bytes;
  if (bytes.length !== HEADER_BYTES + BODY_BYTES || second !== SECOND_HEADER_BYTE) return undefined;
  const mainType = first >> 4;
  const subType = first & 15;
  const isContent = mainType === SEMANTIC || mainType === CONTENT;
  if (mainType === META || mainType > INSTANCE || subType > (isContent ? CONTENT_SUBTYPE_MAX : 0)) {
    return undefined;
  }
  return { unit, bytes, mainType, subType, body: bytes.subarray(HEADER_BYTES) };
}
