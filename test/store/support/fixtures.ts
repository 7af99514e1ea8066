/** The sidecars and what is expected of them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

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
  if (found === undefined) throw new Error(`there is no sidecar ${name}`);
  return found;
}

export function bytesOf({ file }: Sidecar): Buffer {
  return readFileSync(path.join(FOLDER, file));
}

/** Sidecars that a store surely takes, one per manifest id. */
export function takenSidecars(): Sidecar[] {
  const taken = SIDECARS.filter(({ expect }) => expect.status === 200 && expect.manifestId !== undefined);
  return taken.filter(
    ({ expect }, at) => taken.findIndex((item) => item.expect.manifestId === expect.manifestId) === at,
  );
}

export function vectors<T>(name: string): T {
  return JSON.parse(readFileSync(path.join(FOLDER, 'vectors', `${name}.json`), 'utf8')) as T;
}
