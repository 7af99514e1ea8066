/** The keys that sign requests to S3: those of the variables, else of the standard files and roles. */
import type { Credentials, S3Config } from '../../platform/config/s3.js';
import { failureReason } from '../../platform/failure-reason.js';
import { StorageUnavailable } from '../data/unavailable.js';

/** How long a machine without credentials is not searched again, and refused ones are not read again. */
const SEARCH_MS = 60_000;

export class CredentialSource {
  readonly #config: S3Config;
  readonly #fixed: Credentials | undefined;
  #chain: (() => Promise<Credentials>) | undefined;
  #current: Credentials | undefined;
  #missingAt = Number.NEGATIVE_INFINITY;
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(config: S3Config) {
    this.#config = config;
    const { accessKeyId, secretAccessKey, sessionToken } = config;
    const isFixed = accessKeyId !== undefined && secretAccessKey !== undefined;
    this.#fixed = isFixed ? { accessKeyId, secretAccessKey, sessionToken } : undefined;
  }

  /**
   * `undefined` without credentials: then requests are not signed.
   *
   * @throws {StorageUnavailable} if a configured source, or the one of earlier requests, has none
   */
  async get(): Promise<Credentials | undefined> {
    if (this.#fixed !== undefined) return this.#fixed;
    if (performance.now() - this.#missingAt < SEARCH_MS) return undefined;
    try {
      this.#chain ??= (await import('./default-chain.js')).defaultChain(this.#config);
      this.#current = await this.#chain();
      return this.#current;
    } catch (error) {
      const source = namedSource(this.#config) ?? (this.#current && 'the role of this machine');
      if (source !== undefined) {
        const reason = failureReason(error);
        throw new StorageUnavailable(`${source} gives no credentials for S3: ${reason}`, { cause: error });
      }
      this.#missingAt = performance.now();
      return undefined;
    }
  }

  /** Whether another attempt is worthwhile after the store rejected these: files and roles may have new ones. */
  isRenewable(refused: Credentials | undefined): boolean {
    if (this.#fixed !== undefined || refused === undefined) return false;
    // Another request has renewed them.
    if (refused !== this.#current) return true;
    if (performance.now() - this.#renewedAt < SEARCH_MS) return false;
    this.#renewedAt = performance.now();
    this.#chain = undefined;
    return true;
  }
}

/** The source that the configuration names, for messages. */
function namedSource(config: S3Config): string | undefined {
  const { profile, webIdentityTokenFile, containerPath, containerAddress, credentialsFile } = config;
  if (profile !== undefined) return `the profile ${profile} (AWS_PROFILE)`;
  if (webIdentityTokenFile !== undefined) return 'the web identity (AWS_WEB_IDENTITY_TOKEN_FILE)';
  if (containerPath !== undefined)
    return 'the role of the container (AWS_CONTAINER_CREDENTIALS_RELATIVE_URI)';
  if (containerAddress !== undefined) return 'the role of the container (AWS_CONTAINER_CREDENTIALS_FULL_URI)';
  if (credentialsFile !== undefined) return `the file ${credentialsFile} (AWS_SHARED_CREDENTIALS_FILE)`;
  return undefined;
}
