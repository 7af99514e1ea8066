/** Removes indexes in OpenSearch that no index needs: those of deleted ones, and of creations that did not end. */
import type { Client } from './client.js';
import type { OpenSearchLocation } from './location.js';
import { physicalPattern } from './mapping.js';
import { removed } from './names.js';
import type { Registry } from './registry.js';

/** A creation that did not end in this time never will. */
const SPARED_MS = 60 * 60_000;

interface Listed {
  readonly index: string;
  readonly 'creation.date': string;
}

export async function sweep(client: Client, location: OpenSearchLocation, registry: Registry): Promise<void> {
  const uids = new Set(Object.values(registry.indexes).map(({ uid }) => uid));
  const pattern = physicalPattern(location);
  const path = `/_cat/indices/${location.prefix}-u_*?format=json&h=index,creation.date`;
  for (const { index, 'creation.date': created } of await client.get<readonly Listed[]>(path)) {
    const uid = pattern.exec(index)?.[1];
    if (uid === undefined || uids.has(uid) || Date.now() - Number(created) < SPARED_MS) continue;
    await removed(client, `/${index}`);
  }
}
