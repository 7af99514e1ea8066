/** Reads trust anchors. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { ConfigurationInvalid } from './variable.js';

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
