/** A metadata service as containers and instances at AWS have it: the role's temporary credentials over HTTP. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RoleKeys {
  readonly AWS_ACCESS_KEY_ID: string;
  readonly AWS_SECRET_ACCESS_KEY: string;
}

export interface MetadataService {
  readonly url: string;
  /** Keys of the following responses; `undefined`: the service fails. */
  keys: RoleKeys | undefined;
  /** The token that belongs to the keys. Keys that are no temporary ones of the store have an empty one. */
  token: string;
  /** Lifetime of the following credentials. */
  lifetimeMs: number;
  /** Requests so far: method and path. */
  readonly requests: string[];
}

/** Keys that a role has after others. */
export const LATER_KEYS: RoleKeys = {
  AWS_ACCESS_KEY_ID: 'isccd-later',
  AWS_SECRET_ACCESS_KEY: 'a later secret',
};

export const CONTAINER_PATH = '/v1/credentials';
export const CONTAINER_TOKEN = 'token of the container';
const INSTANCE_TOKEN = 'token of the session';
const ROLES = '/latest/meta-data/iam/security-credentials/';
const ROLE = 'a-role';
const HOUR_MS = 3_600_000;

export async function startMetadataService(keys: RoleKeys): Promise<MetadataService> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const [status, body] = answer(request, service);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const service: MetadataService = { url, keys, token: 'session', lifetimeMs: HOUR_MS, requests };
  return service;
}

function answer({ method, url, headers }: IncomingMessage, service: MetadataService): [number, string] {
  if (url === '/latest/api/token') return method === 'PUT' ? [200, INSTANCE_TOKEN] : [405, ''];
  const isContainer = url === CONTAINER_PATH && headers.authorization === CONTAINER_TOKEN;
  const isInstance = headers['x-aws-ec2-metadata-token'] === INSTANCE_TOKEN;
  if (!isContainer && !isInstance) return [401, ''];
  if (url === ROLES) return [200, ROLE];
  if (!isContainer && url !== ROLES + ROLE) return [404, ''];
  const { keys, token, lifetimeMs } = service;
  if (keys === undefined) return [500, ''];
  const credentials = {
    Code: 'Success',
    AccessKeyId: keys.AWS_ACCESS_KEY_ID,
    SecretAccessKey: keys.AWS_SECRET_ACCESS_KEY,
    Token: token,
    Expiration: new Date(Date.now() + lifetimeMs).toISOString(),
  };
  return [200, JSON.stringify(credentials)];
}
