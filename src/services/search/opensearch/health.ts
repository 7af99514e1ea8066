/** Whether a cluster serves all indexes of this program. */
import type { Client } from './client.js';
import { OpenSearchError } from './errors.js';
import type { OpenSearchLocation } from './location.js';

interface Health {
  /** `red`: a shard has no copy. */
  readonly status: 'green' | 'yellow' | 'red';
}

/** How long the cluster manager may take. */
const MANAGER_SECONDS_MAX = 2;
const FORBIDDEN = 403;

/**
 * Whether all shards have a copy and the cluster has a manager.
 *
 * @throws {StorageUnavailable} if no node responds, or there is no manager
 */
export async function servesAll(client: Client, { prefix }: OpenSearchLocation): Promise<boolean> {
  const wait = `cluster_manager_timeout=${MANAGER_SECONDS_MAX}s&timeout=${MANAGER_SECONDS_MAX}s`;
  try {
    const { status } = await client.get<Health>(`/_cluster/health/${prefix}-*?${wait}`, { isShort: true });
    return status !== 'red';
  } catch (error) {
    // The user may not see the health of the cluster.
    if (error instanceof OpenSearchError && error.status === FORBIDDEN) return true;
    throw error;
  }
}
