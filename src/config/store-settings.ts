/** The manifest store's configuration as a whole: rules that involve several variables or a file. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commonVariables } from './common.js';
import { type StoreVariables, storeVariables } from './store.js';
import { BUNDLED_TRUST_ANCHORS } from './trust-list.js';
import { ConfigurationInvalid, type Environment, readVariables } from './variable.js';

export interface StoreSettings {
  /** On a loopback address the URL and the secret may be missing. */
  readonly variables: StoreVariables;
  readonly dataDir: string;
  /** PEM; empty: no signer is trusted. */
  readonly trustAnchorsPem: string;
}

/** @throws {ConfigurationInvalid} */
export function readStoreSettings(environment: Environment): StoreSettings {
  const variables = readVariables(storeVariables, environment);
  const { host, url, secretKey } = variables;
  if ((url === undefined || secretKey === undefined) && !isLoopback(host)) {
    const missing = url === undefined ? storeVariables.url.name : storeVariables.secretKey.name;
    throw new ConfigurationInvalid(`${missing} is required when MSTORE_HOST is not a loopback address`);
  }
  const trustAnchorsPem = readAnchors(variables.trustAnchors);
  return { variables, dataDir: storeDataDir(environment), trustAnchorsPem };
}

/** The store's data folder, without checking the rest of its configuration. For offline commands. */
export function storeDataDir(environment: Environment): string {
  const { dataDir } = readVariables(storeVariables, environment);
  return dataDir ?? path.join(readVariables(commonVariables, environment).dataDir, 'store');
}

function readAnchors(file: string | undefined): string {
  if (file === undefined) return BUNDLED_TRUST_ANCHORS;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigurationInvalid(
      `${storeVariables.trustAnchors.name}=${JSON.stringify(file)} can't be read (${code ?? String(error)})`,
    );
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
