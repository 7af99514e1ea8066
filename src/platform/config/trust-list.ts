/** Reads trust anchors, and trust lists that replace the bundled ones. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ConfigurationInvalid } from './variable.js';

/** Whom the certificates of a list vouch for: signers of manifests, of CAWG identities or of time-stamps. */
export const TRUST_KINDS = ['signers', 'identities', 'time-stampers'] as const;
export type TrustKind = (typeof TRUST_KINDS)[number];

const trustUpdate = z.object({
  kind: z.enum(TRUST_KINDS),
  name: z.string(),
  /** Day of the list, as `2026-08-13`. */
  date: z.iso.date(),
  /** File or address that the list came from. */
  source: z.string(),
  pem: z.string(),
});

/** A list of `isccd store trust update`. */
export type TrustUpdate = z.infer<typeof trustUpdate>;

/** What the trust lists are made of. */
export interface TrustTexts {
  /** PEM; empty: the bundled C2PA trust list. */
  readonly trustAnchorsPem: string;
  /** At most one of each kind. */
  readonly trustUpdates: readonly TrustUpdate[];
}

/** Name of the file in the data folder of the store that has the updated list of a kind. */
export function trustUpdateFile(kind: TrustKind): string {
  return `trust-${kind}.json`;
}

/** The updated lists in the data folder of a store. @throws {ConfigurationInvalid} if one can't be read */
export function readTrustUpdates(dataDir: string): TrustUpdate[] {
  return TRUST_KINDS.flatMap((kind) => readTrustUpdate(path.join(dataDir, trustUpdateFile(kind)), kind));
}

function readTrustUpdate(file: string, kind: TrustKind): TrustUpdate[] {
  try {
    const update = trustUpdate.parse(JSON.parse(readFileSync(file, 'utf8')));
    if (update.kind === kind) return [update];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    if (code !== undefined) throw new ConfigurationInvalid(`${file} can't be read (${code})`);
  }
  const wayOut = `isccd store trust update makes it again, isccd store trust reset ${kind} removes it`;
  throw new ConfigurationInvalid(`${file} is not a trust list of ${kind}: ${wayOut}`);
}

/** Stands for the bundled C2PA trust list, if `MSTORE_TRUST_ANCHORS` is not set. */
export const BUNDLED_TRUST_ANCHORS = '';

/**
 * The text of a PEM file, or of all files of a folder in the order of their names.
 *
 * @param name of the variable that names the place
 * @throws {ConfigurationInvalid} if it can't be read, or has no certificate
 */
export function readTrustAnchors(name: string, place: string | undefined): string {
  if (place === undefined) return BUNDLED_TRUST_ANCHORS;
  const text = inSetting(name, place, () => textAt(place));
  // A file without text is an empty list: no signer is trusted.
  if (text.trim() === '') return '\n';
  if (!text.includes(CERTIFICATE))
    throw new ConfigurationInvalid(`${name}=${JSON.stringify(place)} contains no certificate in PEM form`);
  return text;
}

const CERTIFICATE = '-----BEGIN CERTIFICATE-----';

function textAt(place: string): string {
  if (!statSync(place).isDirectory()) return readFileSync(place, 'utf8');
  const files = readdirSync(place).filter((file) => /\.(?:pem|crt|cer)$/i.test(file));
  return files
    .sort()
    .map((file) => readFileSync(path.join(place, file), 'utf8'))
    .join('\n');
}

/** @throws {ConfigurationInvalid} if reading fails */
export function inSetting<T>(name: string, place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigurationInvalid(
      `${name}=${JSON.stringify(place)} can't be read (${code ?? String(error)})`,
    );
  }
}
