/** Operations on the objects of a bucket below its prefix. Keys are without the prefix. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { S3Settings } from '../../platform/config/s3.js';
import { monotonicMs } from '../../platform/time-limit.js';
import { StorageUnavailable } from '../data/unavailable.js';
import { RESPONSE_MS_MAX, S3Client, type S3Request, type S3Response } from './client.js';
import { decodedKey, element, elements, isListing } from './xml.js';

export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  /** Milliseconds since the epoch, by the clock of the store. */
  readonly modifiedAt: number;
}

export interface ObjectHead {
  readonly bytes: number;
  /** The name that the object was stored with. */
  readonly name: string | undefined;
}

export interface PutOptions {
  /** Refuses to replace an object. */
  readonly onlyNew?: boolean;
  /** Kept with the object. */
  readonly name?: string | undefined;
}

/** A part of a local file. */
export interface FilePart {
  readonly file: string;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** An upload in parts that has not been completed. */
export interface OpenUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly startedAt: number;
}

/** Sending a megabyte may take 4 s longer than other requests. */
const SEND_MS_PER_MIB = 4_000;
/** Joining the parts of a large object takes time. */
const COMPLETE_MS_MAX = 60_000;
const READ_BYTES = 256 * 1024;
const NAME_HEADER = 'x-amz-meta-name';
const PROBE_MS_MAX = 2_000;
/** How long the result of a probe holds. */
const PROBE_VALID_MS = 500;

export class S3Bucket {
  readonly #client: S3Client;
  readonly #prefix: string;
  readonly #encryption: Readonly<Record<string, string>>;
  /** `at` is on the monotonic clock. */
  #probe: { readonly at: number; readonly problem: Promise<string | undefined> } | undefined;
  readonly #now: () => number;

  /** @param now monotonic time in ms */
  constructor(settings: S3Settings, now: () => number = monotonicMs) {
    this.#now = now;
    this.#client = new S3Client(settings);
    this.#prefix = settings.prefix;
    const { sse, kmsKey } = settings;
    this.#encryption = {
      ...(sse !== undefined && { 'x-amz-server-side-encryption': sse }),
      ...(kmsKey !== undefined && { 'x-amz-server-side-encryption-aws-kms-key-id': kmsKey }),
    };
  }

  /** Text of an object; `undefined` if it does not exist. */
  async read(key: string): Promise<string | undefined> {
    const response = await this.#client.send({ method: 'GET', key, allowed: [404] });
    return response.status === 404 ? undefined : this.#client.textOf(response);
  }

  /** The address of an object, for messages. */
  placeOf(key: string): string {
    return this.#client.placeOf(key);
  }

  /** Bytes of an object from `start` to `end` (exclusive); `undefined` if it does not exist. */
  async open(key: string, range?: { start: number; end: number }): Promise<Readable | undefined> {
    const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end - 1}` };
    const { status, body } = await this.#client.send({ method: 'GET', key, headers, allowed: [404] });
    return status === 404 ? undefined : body;
  }

  /** Size and name of an object; `undefined` if it does not exist. */
  async head(key: string): Promise<ObjectHead | undefined> {
    let response = await this.#client.send({ method: 'HEAD', key, allowed: [404] });
    // Without a body, it may be the 404 of a missing bucket or of a proxy.
    if (response.status === 404) response = await this.#client.send({ method: 'GET', key, allowed: [404] });
    const { status, headers, body } = response;
    if (status === 404) return undefined;
    await drained(body);
    const name = headers[NAME_HEADER];
    return {
      bytes: Number(headers['content-length']),
      name: typeof name === 'string' ? decodeURIComponent(name) : undefined,
    };
  }

  /** Stores text or bytes. @returns `false` if `onlyNew` and the object exists */
  put(key: string, content: string | Uint8Array, options: PutOptions = {}): Promise<boolean> {
    const bytes = Buffer.from(content);
    return this.#put(key, options, { body: () => bytes, bytes: bytes.length });
  }

  /** Stores a local file, or a part of it. */
  putFile(key: string, part: FilePart, options: PutOptions = {}): Promise<boolean> {
    return this.#put(key, options, fileBody(part));
  }

  async #put(key: string, options: PutOptions, content: Pick<S3Request, 'body' | 'bytes'>): Promise<boolean> {
    const headers = {
      ...this.#objectHeaders(options),
      ...(options.onlyNew === true && { 'if-none-match': '*' }),
    };
    const wanted = { method: 'PUT', key, headers, ...content, timeoutMs: sendMs(content) } as const;
    const { status, body } = await this.#client.send({ ...wanted, allowed: CONFLICTS });
    await drained(body);
    return status < 300;
  }

  /** Removes an object. A missing one is not an error. */
  async remove(key: string): Promise<void> {
    await this.#client.send({ method: 'DELETE', key, allowed: [404] }).then(({ body }) => drained(body));
  }

  /** Objects whose keys begin with `folder` and come after `after`, in the order of their keys. */
  async *list(folder: string, after?: string): AsyncGenerator<ListedObject> {
    for (let token: string | undefined = ''; token !== undefined; ) {
      const xml: string = await this.#client.text({
        method: 'GET',
        query: this.#listing(folder, after, token),
      });
      // An empty listing would mean that no object is there.
      if (!isListing(xml)) throw new StorageUnavailable('S3 sent no listing of the bucket');
      for (const content of elements(xml, 'Contents')) {
        yield {
          key: decodedKey(element(content, 'Key')).slice(this.#prefix.length),
          bytes: Number(element(content, 'Size') ?? 0),
          modifiedAt: Date.parse(element(content, 'LastModified') ?? ''),
        };
      }
      token = element(xml, 'NextContinuationToken');
    }
  }

  #listing(folder: string, after: string | undefined, token: string): Record<string, string> {
    return {
      'list-type': '2',
      'encoding-type': 'url',
      prefix: this.#prefix + folder,
      ...(token === '' && after !== undefined && { 'start-after': this.#prefix + after }),
      ...(token !== '' && { 'continuation-token': token }),
    };
  }

  /** Begins an upload in parts and returns its id. */
  async begin(key: string, options: PutOptions): Promise<string> {
    const headers = this.#objectHeaders(options);
    const xml = await this.#client.text({ method: 'POST', key, query: { uploads: '' }, headers });
    const id = element(xml, 'UploadId');
    if (id === undefined) throw new StorageUnavailable('S3 began an upload without an id');
    return id;
  }

  /** Sends a part, counted from 1, and returns its tag. */
  async sendPart(key: string, uploadId: string, number: number, part: FilePart): Promise<string> {
    const query = { partNumber: String(number), uploadId };
    const content = fileBody(part);
    const wanted = { method: 'PUT', key, query, ...content, timeoutMs: sendMs(content) } as const;
    const { headers, body } = await this.#client.send(wanted);
    await drained(body);
    return String(headers.etag);
  }

  /** Makes the object of all parts. @returns `false` if an object with the key exists, or the upload was aborted */
  async complete(key: string, uploadId: string, tags: readonly string[]): Promise<boolean> {
    const parts = tags.map(
      (tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
    );
    const xml = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    const response = await this.#client.send({
      method: 'POST',
      key,
      query: { uploadId },
      body: () => xml,
      bytes: xml.length,
      headers: { 'if-none-match': '*' },
      allowed: [...CONFLICTS, 404],
      timeoutMs: COMPLETE_MS_MAX,
    });
    if (response.status >= 300) return false;
    const text = await this.#client.textOf(response);
    // A failure after the status was sent.
    const code = /<Error>/.test(text) ? element(text, 'Code') : undefined;
    if (code === undefined) return true;
    if (code === 'PreconditionFailed' || code === 'NoSuchUpload') return false;
    throw new StorageUnavailable(`S3 could not complete an upload: ${code}`);
  }

  /** Forgets an upload and its parts. A missing one is not an error. */
  async abort(key: string, uploadId: string): Promise<void> {
    const { body } = await this.#client.send({
      method: 'DELETE',
      key,
      query: { uploadId },
      allowed: [404],
    });
    await drained(body);
  }

  /** Uploads in parts below `folder` that are neither completed nor aborted. */
  async *openUploads(folder: string): AsyncGenerator<OpenUpload> {
    for (let marker: Record<string, string> | undefined = {}; marker !== undefined; ) {
      const query = { uploads: '', 'encoding-type': 'url', prefix: this.#prefix + folder, ...marker };
      const xml: string = await this.#client.text({ method: 'GET', query });
      for (const upload of elements(xml, 'Upload')) {
        const key = decodedKey(element(upload, 'Key')).slice(this.#prefix.length);
        const startedAt = Date.parse(element(upload, 'Initiated') ?? '');
        yield { key, uploadId: element(upload, 'UploadId') ?? '', startedAt };
      }
      const isLast = element(xml, 'IsTruncated') !== 'true';
      const keyMarker = decodedKey(element(xml, 'NextKeyMarker'));
      const idMarker = element(xml, 'NextUploadIdMarker') ?? '';
      marker = isLast ? undefined : { 'key-marker': keyMarker, 'upload-id-marker': idMarker };
    }
  }

  /** The time of the store in ms since the epoch, to a second; that of this machine if the store sends none. */
  async now(): Promise<number> {
    const { headers, body } = await this.#client.send({ method: 'GET', query: this.#probeQuery });
    await drained(body);
    const time = Date.parse(String(headers.date));
    return Number.isNaN(time) ? Date.now() : time;
  }

  /** An address for downloading an object without credentials; `query` are headers that the response shall have. */
  presigned(key: string, query: Readonly<Record<string, string>>, seconds: number): Promise<string> {
    return this.#client.presigned(key, query, seconds);
  }

  /** Why the bucket can't be used now; `undefined` if it can. Concurrent calls share a request. */
  problem(): Promise<string | undefined> {
    const now = this.#now();
    if (this.#probe === undefined || now - this.#probe.at > PROBE_VALID_MS) {
      this.#probe = { at: now, problem: this.#problem() };
    }
    return this.#probe.problem;
  }

  async #problem(): Promise<string | undefined> {
    try {
      await this.#client.text({
        method: 'GET',
        query: this.#probeQuery,
        attempts: 1,
        timeoutMs: PROBE_MS_MAX,
      });
      return undefined;
    } catch (error) {
      if (error instanceof StorageUnavailable) return error.message;
      throw error;
    }
  }

  get #probeQuery(): Record<string, string> {
    return { 'list-type': '2', 'max-keys': '1', prefix: this.#prefix };
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #objectHeaders({ name }: PutOptions): Record<string, string> {
    const named = name === undefined ? {} : { [NAME_HEADER]: encodeURIComponent(name) };
    return { ...this.#encryption, ...named };
  }
}

/** The object exists, or another request with the same condition is going on. */
const CONFLICTS = [409, 412];

function fileBody({ file, start, end }: FilePart): Pick<S3Request, 'body' | 'bytes'> {
  const bytes = end - start;
  if (bytes === 0) return { body: () => null, bytes };
  const options = { start, end: end - 1, highWaterMark: READ_BYTES };
  return { body: () => createReadStream(file, options), bytes };
}

function sendMs({ bytes = 0 }: Pick<S3Request, 'bytes'>): number {
  return RESPONSE_MS_MAX + (bytes / 1024 ** 2) * SEND_MS_PER_MIB;
}

/** Frees the connection. */
async function drained(body: S3Response['body']): Promise<void> {
  await body.dump().catch(() => undefined);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
