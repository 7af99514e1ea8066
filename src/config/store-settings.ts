/** The manifest store's configuration as a whole: rules that involve several variables or a file. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commonVariables } from './common.js';
import { type StoreVariables, storeVariables } from './store.js';
import { BUNDLED_TRUST_ANCHORS } from './trust-list.js';
import { ConfigurationInvalid, collectProblems, type Environment, readVariables } from './variable.js';

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
  const [dataDir = '', trustAnchorsPem = ''] = collectProblems([
    () => storeDataDir(environment),
    () => readAnchors(variables.trustAnchors),
    () => requireOffLoopback(variables),
  ]);
  return { variables, dataDir, trustAnchorsPem };
}

/** Other machines reach the store: a generated address or secret would be wrong or easy to lose. */
function requireOffLoopback({ host, url, secretKey }: StoreVariables): string {
  if (isLoopback(host)) return '';
  const missing = [
    ...(url === undefined ? [storeVariables.url] : []),
    ...(secretKey === undefined ? [storeVariables.secretKey] : []),
  ];
  if (missing.length === 0) return '';
  const rule = 'is required when MSTORE_HOST is not a loopback address';
  throw new ConfigurationInvalid(...missing.map(({ name }) => `${name} ${rule}`));
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
