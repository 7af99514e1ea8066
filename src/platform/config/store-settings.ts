/** The manifest store's configuration as a whole: rules that involve several variables or a file. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type CommonConfig, commonVariables } from './common.js';
import { isLoopback } from './listen.js';
import { type S3Settings, s3Settings } from './s3.js';
import { type StoreVariables, storeVariables } from './store.js';
import { inSetting, readTrustAnchors, readTrustUpdates, type TrustTexts } from './trust-list.js';
import { ConfigurationInvalid, collectProblems, type Environment, readVariables } from './variable.js';

/** What manifests are judged by, from files. */
interface JudgedBy extends TrustTexts {
  /** JSON; `undefined`: the bundled list. */
  readonly algorithmList: string | undefined;
}

export interface StoreSettings extends JudgedBy {
  /** On a loopback address the URL and the secret may be missing. */
  readonly variables: StoreVariables & { readonly debug: boolean };
  readonly dataDir: string;
  /** The bucket of the manifests' bytes; `undefined`: the data folder. */
  readonly blobsS3?: S3Settings | undefined;
  /** Where instances share rate limits. */
  readonly redisUrl?: string | undefined;
  /** Reads the files of trust lists and algorithms again. @throws {ConfigurationInvalid} */
  reread(): JudgedBy;
}

/** @throws {ConfigurationInvalid} */
export function readStoreSettings(environment: Environment): StoreSettings {
  const [variables, common] = collectProblems<StoreVariables | CommonConfig | undefined>([
    () => readVariables(storeVariables, environment),
    () => readVariables(commonVariables, environment),
    () => requireOffLoopback(environment),
    () => requireSecret(environment),
  ]) as [StoreVariables, CommonConfig];
  const debug = variables.debug ?? common.environment === 'development';
  const blobsS3 = storeBlobsS3(variables, environment);
  const dataDir = storeDataDir(environment);
  const reread = () => judgedBy(variables, dataDir);
  return {
    variables: { ...variables, debug },
    dataDir,
    blobsS3,
    redisUrl: common.redisUrl,
    ...reread(),
    reread,
  };
}

function judgedBy({ trustAnchors, algorithmList: file }: StoreVariables, dataDir: string): JudgedBy {
  const [trustAnchorsPem, trustUpdates, algorithmList] = collectProblems<unknown>([
    () => readTrustAnchors(storeVariables.trustAnchors.name, trustAnchors),
    () => readTrustUpdates(dataDir),
    () => file && readSetting(storeVariables.algorithmList.name, file),
  ]) as [string, TrustTexts['trustUpdates'], string | undefined];
  return { trustAnchorsPem, trustUpdates, algorithmList };
}

/** Other machines reach the store: a generated address or secret would be wrong or easy to lose. */
function requireOffLoopback(environment: Environment): undefined {
  const { host, url, secretKey } = storeVariables;
  if (isLoopback(environment[host.name]?.trim() || host.default)) return;
  const missing = [url, secretKey].filter(({ name }) => !environment[name]?.trim());
  if (missing.length === 0) return;
  const rule = 'is required when MSTORE_HOST is not a loopback address';
  throw new ConfigurationInvalid(...missing.map(({ name }) => `${name} ${rule}`));
}

/** Events without a signature can be forged. */
function requireSecret(environment: Environment): undefined {
  const { webhookUrl, webhookKey } = storeVariables;
  if (!environment[webhookUrl.name]?.trim() || environment[webhookKey.name]?.trim()) return;
  throw new ConfigurationInvalid(`${webhookKey.name} is required when ${webhookUrl.name} is set`);
}

/** The store's data folder, without checking the rest of its configuration. For offline commands. */
export function storeDataDir(environment: Environment): string {
  const { dataDir } = readVariables({ dataDir: storeVariables.dataDir }, environment);
  const { dataDir: folder } = readVariables({ dataDir: commonVariables.dataDir }, environment);
  return dataDir ?? path.join(folder, 'store');
}

/** The bucket of the manifests' bytes, if there is one. @throws {ConfigurationInvalid} */
export function storeBlobsS3(
  { blobs }: Pick<StoreVariables, 'blobs'>,
  environment: Environment,
): S3Settings | undefined {
  return blobs && s3Settings(blobs, storeVariables.blobs.name, environment);
}

function readSetting(name: string, file: string): string {
  return inSetting(name, file, () => readFileSync(file, 'utf8'));
}
