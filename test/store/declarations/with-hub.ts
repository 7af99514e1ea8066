/** A store with a hub that checks signatures and fetches the did document. */
import { expect, onTestFinished, vi } from 'vitest';
import type { TestDatabases } from '../../support/databases.js';
import { HubServer } from '../../support/hub-server.js';
import { bytesOf, sidecar } from '../support/fixtures.js';
import { type Place, type StoreClient, startStore } from '../support/server.js';
import { DECLARED, hubEnvironment } from './support.js';

export const SETTLE = { timeout: 20_000, interval: 50 };

export interface Setup {
  hub: HubServer;
  store: StoreClient;
  place: Place;
}

export interface UploadAnswer {
  readonly manifestId: string;
  readonly manifestUrl: string;
  readonly declaration: { readonly status: string; readonly isccId?: string; readonly hub?: string };
}

/** Starts both. They stop when the test has finished. */
export async function startWithHub(
  databases: TestDatabases,
  environment: Record<string, string> = {},
): Promise<Setup> {
  let store: StoreClient | undefined;
  const resolveDid = async () => (await fetch(`${store?.url}/.well-known/did.json`)).json();
  const hub = new HubServer({ resolveDid });
  const place = await databases.create();
  store = await startStore(place, { ...hubEnvironment(await hub.listen()), ...environment });
  onTestFinished(async () => {
    await hub.close();
    await store?.stop();
  });
  return { hub, store, place };
}

export async function upload(store: StoreClient, query = ''): Promise<UploadAnswer> {
  return (await store.upload(bytesOf(sidecar(DECLARED)), query)).json() as Promise<UploadAnswer>;
}

/** Waits until the declaration of the manifest that {@link upload} sends is in force. */
export function isDeclared(store: StoreClient): Promise<void> {
  return vi.waitFor(async () => expect((await upload(store)).declaration.status).toBe('declared'), SETTLE);
}
