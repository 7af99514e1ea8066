/** Says in one line why Redis did not serve a command, so that an operator knows what to change. */
import { failureReason } from '../failure-reason.js';

export function redisReason(error: unknown, url: string): string {
  const { host } = new URL(url);
  const reason = failureReason(error);
  if (/^(NOAUTH|WRONGPASS|ERR AUTH)/.test(reason)) return `Redis at ${host} rejects the user or password`;
  if (reason.startsWith('NOPERM')) return `Redis at ${host} does not allow the user a command: ${reason}`;
  if (/^(MOVED|ASK|CLUSTERDOWN|CROSSSLOT) /.test(reason)) return clusterReason(host);
  if (/^[A-Z]+ /.test(reason)) return `Redis at ${host} responds with an error: ${reason}`;
  return `Redis at ${host} is unreachable: ${reason}`;
}

/** That the server is a node of a cluster. */
export function clusterReason(host: string): string {
  return `Redis at ${host} is a node of a Redis Cluster, which is not supported: use one server, with a replica for a failover`;
}
