/** The variable of Redis, which instances share. */
import { z } from 'zod';
import type { Variable } from './variable.js';

const CLUSTER_RULE =
  'must name one Redis server, because a Redis Cluster is not supported: use redis://HOST:6379 without redis+cluster';
const RULE = 'must be an address like redis://HOST:6379, or rediss://… with TLS';

function redisAddress(): z.ZodType<string, string> {
  return z
    .string()
    .trim()
    .refine((address) => !address.startsWith('redis+cluster:'), { error: CLUSTER_RULE, abort: true })
    .refine((address) => isRedis(address), RULE);
}

function isRedis(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, pathname, search } = new URL(address);
  const isDatabase = /^\/?\d*$/.test(pathname);
  return /^rediss?:$/.test(protocol) && hostname !== '' && isDatabase && search === '';
}

export const redisVariable = {
  name: 'ISCCD_REDIS_URL',
  schema: redisAddress(),
  secret: true,
  defaultShown: 'each process counts for itself',
  description:
    'Address of a Redis or Valkey server with which instances share rate limits, login throttling and upload progress: ' +
    '`redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]`, or `rediss://` with TLS',
} as const satisfies Variable;
