/** Sidecars and the expected results. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { native } from '../../../src/native.js';
import type {
  AcceptedManifest,
  IndexedBinding,
  SeqUnit,
} from '../../../src/services/store/validation/validator.js';

const FOLDER = path.resolve(import.meta.dirname, '../../fixtures/c2pa');

export const TRUST_ANCHORS = path.join(FOLDER, 'certs/trust-anchors.pem');

export interface Sidecar {
  readonly name: string;
  readonly file: string;
  readonly note: string;
  readonly expect: {
    readonly status: number | readonly number[];
    readonly code?: string;
    readonly acceptableCodes?: readonly string[];
    readonly manifestId?: string;
    readonly trusted?: boolean;
    readonly indexed?: readonly { alg: string; value: string; units?: readonly string[] }[];
  };
}

export const SIDECARS = (
  JSON.parse(readFileSync(path.join(FOLDER, 'manifests/index.json'), 'utf8')) as { items: Sidecar[] }
).items;

export function sidecar(name: string): Sidecar {
  const found = SIDECARS.find((item) => item.name === name);
  if (found === undefined) throw new Error(`unknown sidecar ${name}`);
  return found;
}

export function bytesOf({ file }: Sidecar): Buffer {
  return readFileSync(path.join(FOLDER, file));
}

/** Sidecars that a store accepts, one per manifest id. */
export function acceptedSidecars(): Sidecar[] {
  const accepted = SIDECARS.filter(({ expect }) => expect.status === 200 && expect.manifestId !== undefined);
  return accepted.filter(
    ({ expect }, at) => accepted.findIndex((item) => item.expect.manifestId === expect.manifestId) === at,
  );
}

export function vectors<T>(name: string): T {
  return JSON.parse(readFileSync(path.join(FOLDER, 'vectors', `${name}.json`), 'utf8')) as T;
}

/** A report of the validator. */
export function acceptedReport(
  manifestId: string,
  trusted: boolean,
  bindings: readonly IndexedBinding[],
): AcceptedManifest {
  return { outcome: 'accepted', manifestId, trusted, bindings, skipped: [], unlisted: [], summary: '' };
}

/** A binding as the validator reports it. It has no units if `value` is not an ISCC-SEQ. */
export function indexedBinding(alg: string, value: Buffer): IndexedBinding {
  return { alg, value, units: alg === 'io.iscc.v0' ? unitsOf(value) : [] };
}

function unitsOf(value: Buffer): SeqUnit[] {
  try {
    return native.decodeIsccSeq(value);
  } catch {
    return [];
  }
}
