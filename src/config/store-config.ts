/** The manifest store's configuration as a whole: what one variable's rule can't say. */
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../data/folder.js';
import { commonVariables } from './common.js';
import { type StoreConfig, type StoreVariables, storeVariables } from './store.js';
import { BUNDLED_TRUST_ANCHORS } from './trust-list.js';
import { ConfigurationInvalid, type Environment, readVariables } from './variable.js';

export interface StoreStart {
  readonly config: StoreConfig;
  /** What the operator is told at the start. */
  readonly notices: readonly string[];
}

/**
 * Reads everything that `isccd serve store` needs. On a loopback address a missing secret and a missing public
 * address are made up and kept in the data folder; everywhere else they are required.
 *
 * @throws {ConfigurationInvalid} before anything is opened or listened on
 */
export function storeConfig(environment: Environment): StoreStart {
  const { variables, dataDir, trustAnchorsPem } = checkedVariables(environment);
  const { url, secretKey } = variables;
  if (url !== undefined && secretKey !== undefined) {
    return { config: { ...variables, url, secretKey, dataDir, trustAnchorsPem }, notices: [] };
  }
  const { file, kept } = madeUp(dataDir, variables);
  const config = { ...variables, dataDir, trustAnchorsPem, ...kept, ...given({ url, secretKey }) };
  return { config, notices: notices(variables, kept.url, file) };
}

/**
 * The check of {@link storeConfig} alone: nothing is made up or written.
 *
 * @throws {ConfigurationInvalid}
 */
export function checkStoreConfig(environment: Environment): void {
  checkedVariables(environment);
}

function checkedVariables(environment: Environment) {
  const variables = readVariables(storeVariables, environment);
  const { host, url, secretKey } = variables;
  if ((url === undefined || secretKey === undefined) && !isLoopback(host)) {
    const missing = url === undefined ? storeVariables.url.name : storeVariables.secretKey.name;
    throw new ConfigurationInvalid(`${missing} is required when MSTORE_HOST is not a loopback address`);
  }
  const trustAnchorsPem = readAnchors(variables.trustAnchors);
  return { variables, dataDir: storeDataDir(environment), trustAnchorsPem };
}

/** Where the store keeps its files; all that a command beside a running store needs to know. */
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

const FILE_NAME = 'first-try.json';
const SECRET_BYTES = 32;

const keptSchema = z.object({ url: z.string(), secretKey: z.string() });
type Kept = z.infer<typeof keptSchema>;

/** The same values at every start: manifests carry the address, and hashes of uploaders hang on the secret. */
function madeUp(dataDir: string, { host, port }: StoreVariables): { file: string; kept: Kept } {
  const file = path.join(dataDir, FILE_NAME);
  const authority = host.includes(':') ? `[${host}]` : host;
  const fresh: Kept = {
    url: `http://${authority}:${port}`,
    secretKey: randomBytes(SECRET_BYTES).toString('hex'),
  };
  try {
    makeFolder(dataDir);
    keepFirst(file, JSON.stringify(fresh));
    return { file, kept: keptSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) };
  } catch (error) {
    throw new ConfigurationInvalid(
      `${file} can't be used (${error instanceof Error ? error.message : error})`,
    );
  }
}

/** Of several processes that start at once, one writes the file; it appears whole or not at all. */
function keepFirst(file: string, text: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
}

function given<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function notices({ url, secretKey }: StoreVariables, keptUrl: string, file: string): string[] {
  const told: string[] = [];
  if (secretKey === undefined)
    told.push(`APP_SECRET_KEY is not set: for this first try one is kept in ${file}`);
  if (url === undefined) {
    told.push(`MSTORE_URL is not set: for this first try it is ${keptUrl}, kept in ${file}`);
  }
  return told;
}
