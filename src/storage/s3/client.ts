/** Signed requests to one bucket, with time limits and retries. Import it only if S3 is configured. */
import { setTimeout as pause } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { type Dispatcher, request } from 'undici';
import type { Credentials, S3Settings } from '../../platform/config/s3.js';
import { operatorAgent } from '../../platform/egress/agents.js';
import { StorageUnavailable } from '../data/unavailable.js';
import { bucketAddress, encodedKey } from './address.js';
import { CredentialSource } from './credentials.js';
import { S3Refused, type Target, unreachable } from './failure.js';

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Without the prefix of the bucket. Absent for requests about the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes the body for each attempt. */
  readonly body?: () => Dispatcher.DispatchOptions['body'];
  readonly bytes?: number;
  /** Statuses that are results, in addition to 2xx. A 404 is one if S3 says that the object is missing, or to a HEAD. */
  readonly allowed?: readonly number[];
  /** Time without progress until the response begins. Default: 10 s. After twice this time no attempt starts. */
  readonly timeoutMs?: number;
  /** Default: 3. */
  readonly attempts?: number;
}

export interface S3Response {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly body: Dispatcher.ResponseData['body'];
  /** Whether an earlier attempt may have had its effect. */
  readonly isRepeated: boolean;
}

const CONNECT_MS_MAX = 5_000;
/** Until the response to a small request begins. */
export const RESPONSE_MS_MAX = 10_000;
/** Longest pause in a body. */
const BODY_MS_MAX = 30_000;
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 100;

export class S3Client {
  readonly #settings: S3Settings;
  readonly #base: string;
  readonly #target: Target;
  readonly #region: string;
  readonly #credentials: CredentialSource;
  readonly #keys = new Map<string, ArrayBuffer>();
  readonly #agent = operatorAgent(CONNECT_MS_MAX, { bodyTimeout: BODY_MS_MAX });

  constructor(settings: S3Settings) {
    this.#settings = settings;
    const { bucket, config, style } = settings;
    this.#region = settings.region ?? config.region;
    const endpoint = settings.endpoint ?? config.endpoint;
    this.#base = bucketAddress({ endpoint, region: this.#region }, bucket, style);
    this.#target = { bucket, endpoint: new URL(this.#base).origin };
    this.#credentials = new CredentialSource(config);
  }

  get settings(): S3Settings {
    return this.#settings;
  }

  /** The response. @throws {StorageUnavailable} without one, or if it has another status */
  async send(wanted: S3Request): Promise<S3Response> {
    const { attempts = ATTEMPTS, timeoutMs = RESPONSE_MS_MAX } = wanted;
    // A store that accepts connections and does not respond would take the time of all attempts.
    const endMs = performance.now() + 2 * timeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      const credentials = await this.#credentials.get();
      try {
        return { ...(await this.#attempt(wanted, credentials)), isRepeated: attempt > 1 };
      } catch (error) {
        const isRefused = error instanceof S3Refused;
        if (isRefused && error.isKeyRejected && this.#credentials.isRenewable(credentials)) continue;
        const isFinal = (isRefused && !error.isTemporary) || performance.now() >= endMs;
        if (isFinal || attempt >= attempts || !(error instanceof StorageUnavailable)) throw error;
        await pause(FIRST_PAUSE_MS * 4 ** (attempt - 1) * (0.5 + Math.random()));
      }
    }
  }

  /** The text of the response to a request. */
  async text(wanted: S3Request): Promise<string> {
    return this.textOf(await this.send(wanted));
  }

  /** The text of a response. @throws {StorageUnavailable} if the connection ends before */
  async textOf({ body }: Pick<S3Response, 'body'>): Promise<string> {
    try {
      return await body.text();
    } catch (error) {
      throw unreachable(error, this.#target);
    }
  }

  /** The address of an object, for messages. */
  placeOf(key: string): string {
    return this.#url(key);
  }

  /** An address with which anyone can send the request for a time. */
  async presigned(key: string, query: Readonly<Record<string, string>>, seconds: number): Promise<string> {
    const parameters = { ...query, 'X-Amz-Expires': String(seconds) };
    const credentials = await this.#credentials.get();
    const request = { method: 'GET', url: this.#url(key, parameters), headers: {} };
    return (await this.#signed(request, credentials, true)).url;
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #attempt(
    wanted: S3Request,
    credentials: Credentials | undefined,
  ): Promise<Omit<S3Response, 'isRepeated'>> {
    const { method, key, query, headers = {}, body, bytes, allowed = [] } = wanted;
    const signed = await this.#signed({ method, url: this.#url(key, query), headers }, credentials);
    const length = bytes === undefined ? {} : { 'content-length': String(bytes) };
    try {
      const response = await request(signed.url, {
        method,
        headers: { ...signed.headers, ...length },
        body: body?.() ?? null,
        dispatcher: this.#agent,
        headersTimeout: wanted.timeoutMs ?? RESPONSE_MS_MAX,
      });
      const { statusCode: status } = response;
      if (status < 300) return { status, headers: response.headers, body: response.body };
      const text = await response.body.text();
      const refused = new S3Refused(status, text, this.#target, credentials !== undefined);
      // The 404 of a missing bucket or of a proxy is not a missing object. Responses to HEAD have no code.
      const isOther = status === 404 && method !== 'HEAD' && !refused.isObjectMissing;
      if (!allowed.includes(status) || isOther) throw refused;
      return { status, headers: response.headers, body: response.body };
    } catch (error) {
      throw error instanceof StorageUnavailable ? error : unreachable(error, this.#target);
    }
  }

  #url(key: string | undefined, query: Readonly<Record<string, string>> = {}): string {
    const path = key === undefined ? '' : encodedKey(this.#settings.prefix + key);
    const parameters = new URLSearchParams(query).toString();
    return this.#base + path + (parameters === '' ? '' : `?${parameters}`);
  }

  async #signed(
    { method, url, headers }: { method: string; url: string; headers: Readonly<Record<string, string>> },
    credentials: Credentials | undefined,
    signQuery = false,
  ): Promise<{ url: string; headers: Record<string, string> }> {
    if (credentials === undefined) return { url, headers: { ...headers } };
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const signer = new AwsV4Signer({
      method,
      url,
      headers,
      accessKeyId,
      secretAccessKey,
      signQuery,
      ...(sessionToken && { sessionToken }),
      service: 's3',
      region: this.#region,
      cache: this.#keys,
    });
    const signed = await signer.sign();
    return { url: signed.url.href, headers: Object.fromEntries(signed.headers) };
  }
}
