/** Where requests to S3 get their keys: a real S3 store, and a metadata service over real HTTP. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readCodesConfig } from '../../src/platform/config/codes.js';
import { S3Bucket } from '../../src/storage/s3/bucket.js';
import { isccd } from '../support/command.js';
import {
  CONTAINER_PATH,
  CONTAINER_TOKEN,
  LATER_KEYS,
  type RoleKeys,
  startMetadataService,
} from '../support/metadata-service.js';
import { S3_KEYS, type SeaweedServer, startSeaweed } from '../support/seaweed.js';
import { INSTALL_MAX_MS } from '../support/set-up.js';

const TEST_MS_MAX = 120_000;
const WAIT = { timeout: 20_000, interval: 50 };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-credentials-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function written(name: string, text: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
}

const profile = (name: string, keys: RoleKeys) =>
  `[${name}]\naws_access_key_id = ${keys.AWS_ACCESS_KEY_ID}\naws_secret_access_key = ${keys.AWS_SECRET_ACCESS_KEY}\n`;

const isAtInstance = (url: string) => ({
  AWS_EC2_METADATA_DISABLED: 'false',
  AWS_EC2_METADATA_SERVICE_ENDPOINT: url,
});

describe('a real store is used with the credentials', { timeout: TEST_MS_MAX }, () => {
  let s3: SeaweedServer;
  beforeAll(async () => {
    s3 = await startSeaweed();
  }, INSTALL_MAX_MS);
  afterAll(() => s3?.stop());

  /** The command lists, writes, reads and removes objects. */
  async function check(variables: Readonly<Record<string, string>>) {
    const bucket = await s3.createBucket();
    const { AWS_REGION = '', AWS_ENDPOINT_URL_S3 = '' } = s3.variables;
    const place = { CODEWEB_MEDIA_PATH: `s3://${bucket}/media`, AWS_REGION, AWS_ENDPOINT_URL_S3 };
    const env = { ISCCD_DATA_DIR: folder, HOME: folder, ...place, ...variables };
    return isccd(['check', 'config', 'codes'], { cwd: folder, env });
  }

  test('of a profile in a file', async () => {
    const wrong = { ...S3_KEYS, AWS_SECRET_ACCESS_KEY: 'x' };
    const text = profile('default', wrong) + profile('media', S3_KEYS);
    const AWS_SHARED_CREDENTIALS_FILE = await written('credentials', text);
    expect(await check({ AWS_SHARED_CREDENTIALS_FILE, AWS_PROFILE: 'media' })).toMatchObject({ code: 0 });
    const { code, stderr } = await check({ AWS_SHARED_CREDENTIALS_FILE });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/rejects the credentials .*or a profile/)]);
  });

  test('that a profile gets from a program', async () => {
    const { AWS_ACCESS_KEY_ID: AccessKeyId, AWS_SECRET_ACCESS_KEY: SecretAccessKey } = S3_KEYS;
    const json = await written('keys.json', JSON.stringify({ Version: 1, AccessKeyId, SecretAccessKey }));
    const AWS_CONFIG_FILE = await written('config', `[profile media]\ncredential_process = cat ${json}\n`);
    expect(await check({ AWS_CONFIG_FILE, AWS_PROFILE: 'media' })).toMatchObject({ code: 0 });
  });

  test('of variables, before those of a profile', async () => {
    const wrong = profile('default', { ...S3_KEYS, AWS_SECRET_ACCESS_KEY: 'x' });
    const AWS_SHARED_CREDENTIALS_FILE = await written('wrong', wrong);
    expect(await check({ ...S3_KEYS, AWS_SHARED_CREDENTIALS_FILE })).toMatchObject({ code: 0 });
  });

  test.each([
    ['a container', (url: string) => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: url + CONTAINER_PATH })],
    ['an instance', isAtInstance],
  ])('of the role of %s', async (_, variables) => {
    const service = await startMetadataService(S3_KEYS);
    service.token = '';
    const token = { AWS_CONTAINER_AUTHORIZATION_TOKEN: CONTAINER_TOKEN };
    expect(await check({ ...token, ...variables(service.url) })).toMatchObject({ code: 0 });
  });
});

test('keys that a file has later are used when the store rejects the former ones', async () => {
  const { AWS_ACCESS_KEY_ID: first } = S3_KEYS;
  const store = await recordingStore(first);
  const AWS_SHARED_CREDENTIALS_FILE = await written('rotated', profile('default', S3_KEYS));
  const bucket = opened(`s3://media?endpoint=${store.url}`, { AWS_SHARED_CREDENTIALS_FILE });
  await bucket.read('a');
  await written('rotated', profile('default', LATER_KEYS));
  await bucket.read('a');
  const { AWS_ACCESS_KEY_ID: later } = LATER_KEYS;
  store.accepted = later;
  await bucket.read('a');
  expect(store.keys()).toEqual([first, first, first, later]);
});

test('a missing profile is reported by its name', async () => {
  const bucket = opened('s3://media?endpoint=http://127.0.0.1:9', { AWS_PROFILE: 'missing' });
  await expect(bucket.read('a')).rejects.toThrow(/^the profile missing \(AWS_PROFILE\) gives no credentials/);
});

describe('the role', () => {
  test('of a container signs requests, with its token', async () => {
    const store = await recordingStore();
    const service = await startMetadataService(S3_KEYS);
    const AWS_CONTAINER_CREDENTIALS_FULL_URI = service.url + CONTAINER_PATH;
    const tokenFile = await written('token', CONTAINER_TOKEN);
    const variables = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile,
    };
    const bucket = opened(`s3://media?endpoint=${store.url}`, variables);
    await bucket.read('a');
    await bucket.read('b');
    expect(store.keys()).toEqual([S3_KEYS.AWS_ACCESS_KEY_ID, S3_KEYS.AWS_ACCESS_KEY_ID]);
    expect(store.requests[0]?.headers['x-amz-security-token']).toBe('session');
    expect(service.requests).toEqual([`GET ${CONTAINER_PATH}`]);
    expect(await bucket.presigned('a', {}, 60)).toContain('X-Amz-Security-Token=session');
  });

  test('that a container names and does not have is reported', async () => {
    const service = await startMetadataService(S3_KEYS);
    const AWS_CONTAINER_CREDENTIALS_FULL_URI = service.url + CONTAINER_PATH;
    const bucket = opened('s3://media?endpoint=http://127.0.0.1:9', { AWS_CONTAINER_CREDENTIALS_FULL_URI });
    await expect(bucket.read('a')).rejects.toThrow(/^the role of the container .* gives no credentials/);
  });

  test('of an instance is renewed before its keys expire', async () => {
    const store = await recordingStore();
    const service = await startMetadataService(S3_KEYS);
    service.lifetimeMs = 60_000;
    const bucket = opened(`s3://media?endpoint=${store.url}`, isAtInstance(service.url));
    await bucket.read('a');
    expect(store.keys()).toEqual([S3_KEYS.AWS_ACCESS_KEY_ID]);
    expect(service.requests[0]).toBe('PUT /latest/api/token');
    service.keys = LATER_KEYS;
    const newest = async () => {
      await bucket.read('a');
      return store.keys().at(-1);
    };
    await expect.poll(newest, WAIT).toBe(LATER_KEYS.AWS_ACCESS_KEY_ID);
    // The keys are still valid while the service fails.
    service.keys = undefined;
    for (let count = 0; count < 5; count += 1) expect(await newest()).toBe(LATER_KEYS.AWS_ACCESS_KEY_ID);
  });

  test('of an instance is read again if the store rejects its keys', async () => {
    const store = await recordingStore(LATER_KEYS.AWS_ACCESS_KEY_ID);
    const service = await startMetadataService(LATER_KEYS);
    const bucket = opened(`s3://media?endpoint=${store.url}`, isAtInstance(service.url));
    await bucket.read('a');
    store.accepted = S3_KEYS.AWS_ACCESS_KEY_ID;
    service.keys = S3_KEYS;
    const { AWS_ACCESS_KEY_ID: first } = LATER_KEYS;
    await bucket.put('b', 'text');
    expect(store.keys()).toEqual([first, first, S3_KEYS.AWS_ACCESS_KEY_ID]);
    // Keys that are rejected right after that are not.
    store.accepted = 'none';
    await expect(bucket.read('a')).rejects.toThrow(/rejects the credentials/);
    expect(store.keys().length).toBe(4);
  });
});

/** The library reads the process environment, where services find all variables. */
function opened(uri: string, variables: Readonly<Record<string, string>>): S3Bucket {
  for (const [name, value] of Object.entries({ HOME: folder, ...variables })) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { mediaS3 } = readCodesConfig({ ...process.env, CODEWEB_MEDIA_PATH: uri });
  if (mediaS3 === undefined) throw new Error(`${uri} is not in S3`);
  const bucket = new S3Bucket(mediaS3);
  onTestFinished(() => bucket.close());
  return bucket;
}

/** A server that records requests and, if it accepts one key only, rejects the others. */
async function recordingStore(accepted?: string) {
  const requests: IncomingMessage[] = [];
  const keyOf = ({ headers }: IncomingMessage) =>
    /Credential=([^/]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    request.on('end', () => {
      const isAccepted = store.accepted === undefined || keyOf(request) === store.accepted;
      response.writeHead(isAccepted ? 200 : 403).end('<Error><Code>InvalidAccessKeyId</Code></Error>');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = { requests, url, accepted, keys: () => requests.map(keyOf) };
  return store;
}
