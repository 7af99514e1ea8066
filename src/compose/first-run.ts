/** Lets a store start without configuration on a loopback address: generates its secret and address once. */
import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { StoreConfig, StoreVariables } from '../platform/config/store.js';
import type { StoreSettings } from '../platform/config/store-settings.js';
import { ConfigurationInvalid } from '../platform/config/variable.js';
import { makeFolder } from '../storage/data/folder.js';

export interface StoreStart {
  readonly config: StoreConfig;
  /** Warnings for the operator, one per generated value. */
  readonly notices: readonly string[];
}

/**
 * Completes the settings. A missing secret or address is generated at the first start and read from the data folder
 * afterwards: published manifests contain the address, and hashes of uploaders depend on the secret.
 *
 * @throws {ConfigurationInvalid} if the generated values can't be stored or read
 */
export function storeConfig({ variables, dataDir, ...files }: StoreSettings): StoreStart {
  const { url, secretKey } = variables;
  if (url !== undefined && secretKey !== undefined) {
    return { config: { ...variables, url, secretKey, dataDir, ...files }, notices: [] };
  }
  const { file, kept } = generated(dataDir, variables);
  const values = { url: url ?? kept.url, secretKey: secretKey ?? kept.secretKey };
  const config = { ...variables, ...values, dataDir, ...files };
  return { config, notices: notices(variables, kept.url, file) };
}

const FILE_NAME = 'first-try.json';
const SECRET_BYTES = 32;

const keptSchema = z.object({ url: z.string(), secretKey: z.string() });
type Kept = z.infer<typeof keptSchema>;

function generated(dataDir: string, { host, port }: StoreVariables): { file: string; kept: Kept } {
  const file = path.join(dataDir, FILE_NAME);
  const authority = host.includes(':') ? `[${host}]` : host;
  const fresh: Kept = {
    url: `http://${authority}:${port}`,
    secretKey: randomBytes(SECRET_BYTES).toString('hex'),
  };
  try {
    makeFolder(dataDir);
    createOnce(file, JSON.stringify(fresh));
    return { file, kept: keptSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) };
  } catch (error) {
    throw new ConfigurationInvalid(
      `${file} can't be used (${error instanceof Error ? error.message : error})`,
    );
  }
}

/** Creates the file atomically unless it exists: of several processes that start concurrently, one wins. */
function createOnce(file: string, text: string): void {
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

function notices({ url, secretKey }: StoreVariables, keptUrl: string, file: string): string[] {
  const lines: string[] = [];
  if (secretKey === undefined) {
    lines.push(`APP_SECRET_KEY is not set: using a generated one, stored in ${file}`);
  }
  if (url === undefined) lines.push(`MSTORE_URL is not set: using ${keptUrl}, stored in ${file}`);
  return lines;
}
