/** Objects in S3: `s3://BUCKET/KEY`, `s3://BUCKET/PREFIX/`, and patterns such as `s3://BUCKET/photos/*.jpg`. */
import picomatch from 'picomatch';
import { environment } from '../../platform/config/env.js';
import { type S3Config, s3Variables } from '../../platform/config/s3.js';
import { readVariables } from '../../platform/config/variable.js';
import { outgoingFetch } from '../../platform/egress/fetch.js';
import { bucketAddress, encodedKey } from '../../storage/s3/address.js';
import { CredentialSource } from '../../storage/s3/credentials.js';
import { decodedKey, element, elements, isListing } from '../../storage/s3/xml.js';
import { download, type Request, repeated, succeeded } from './remote.js';
import { type Source, SourceFailed, type Unreadable } from './source.js';

/** The sources of an `s3://` argument, in the order of their keys. */
export async function* s3Sources(argument: string): AsyncGenerator<Source | Unreadable> {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/?(.*)$/s.exec(argument) ?? [];
  if (bucket === '') {
    const error = new SourceFailed('ADDRESS_INVALID', 'an address in S3 has the form s3://BUCKET/KEY');
    yield { path: argument, error };
    return;
  }
  const config = readVariables(s3Variables, environment());
  const store: Store = { bucket, base: bucketAddress(config, bucket), request: await requests(config) };
  const { isGlob, base = '' } = picomatch.scan(key);
  if (!isGlob && key !== '' && !key.endsWith('/')) {
    yield object(store, key);
    return;
  }
  const prefix = isGlob ? base && `${base}/` : key;
  const matches = isGlob ? picomatch(key, { dot: true }) : () => true;
  // Keys may contain the characters of patterns.
  const isMatch = (one: string) => one === key || matches(one);
  yield* listed(store, argument, prefix, isMatch);
}

interface Store {
  readonly bucket: string;
  /** Address of the bucket, with a slash. */
  readonly base: string;
  readonly request: Request;
}

async function requests(config: S3Config): Promise<Request> {
  const source = new CredentialSource(config);
  const { AwsV4Signer } = await import('aws4fetch');
  return async (url) => {
    const keys = await source.get().catch((error: Error) => {
      throw new SourceFailed('FETCH_FAILED', error.message);
    });
    if (keys === undefined) return outgoingFetch(url);
    const { accessKeyId, secretAccessKey, sessionToken } = keys;
    const given = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
    const signer = new AwsV4Signer({ ...given, url, region: config.region, service: 's3' });
    const { headers } = await signer.sign();
    return outgoingFetch(url, { headers: Object.fromEntries(headers) });
  };
}

function object({ bucket, base, request }: Store, key: string, size?: number): Source {
  const url = base + encodedKey(key);
  return {
    path: `s3://${bucket}/${key}`,
    filename: key.slice(key.lastIndexOf('/') + 1),
    ...(size !== undefined && { size }),
    fetch: (folder) => download(url, folder, request),
  };
}

async function* listed(
  store: Store,
  argument: string,
  prefix: string,
  isMatch: (key: string) => boolean,
): AsyncGenerator<Source | Unreadable> {
  let found = false;
  try {
    for await (const { key, size } of objectsBelow(store, prefix)) {
      // Consoles mark folders by empty objects with a slash.
      if (key.endsWith('/') || !isMatch(key)) continue;
      found = true;
      yield object(store, key, size);
    }
  } catch (error) {
    const failure = error instanceof SourceFailed ? error : undefined;
    yield {
      path: argument,
      error: failure ?? new SourceFailed('FETCH_FAILED', "the bucket can't be listed"),
    };
    return;
  }
  if (!found) yield { path: argument, error: new SourceFailed('NO_MATCH', 'the bucket has no such object') };
}

interface ListedObject {
  readonly key: string;
  readonly size: number;
}

/** `ListObjectsV2`, page by page. */
async function* objectsBelow({ base, request }: Store, prefix: string): AsyncGenerator<ListedObject> {
  for (let token: string | undefined = ''; token !== undefined; ) {
    const query = new URLSearchParams({ 'list-type': '2', 'encoding-type': 'url', prefix });
    if (token !== '') query.set('continuation-token', token);
    const xml = await repeated(async () => (await succeeded(request(`${base}?${query}`))).text());
    if (!isListing(xml)) throw new SourceFailed('FETCH_FAILED', 'the response is no listing of a bucket');
    for (const content of elements(xml, 'Contents')) {
      const key = decodedKey(element(content, 'Key'));
      yield { key, size: Number(element(content, 'Size') ?? 0) };
    }
    token = element(xml, 'NextContinuationToken');
  }
}
