/** What browsers find: indexes with assets, and the manifest of an original. */
import { expect } from 'vitest';
import { native } from '../../src/native.js';
import { manifestFor, store } from '../content/support.js';
import type { AllServices } from './all-services.js';

/** Makes an index of the search service, with assets. */
export async function fillIndex(search: string, name: string, assets: readonly unknown[]): Promise<void> {
  await post(`${search}/indexes`, { name });
  await post(`${search}/indexes/${name}/assets`, assets);
}

/** Stores a manifest for a content, and adds it as "The original" to an index. */
export async function keepOriginal(
  { url }: AllServices,
  { iscc, units }: { readonly iscc: string; readonly units: readonly string[] },
  index = 'seen',
): Promise<void> {
  await store(url.store, await manifestFor([{ alg: 'io.iscc.v0', value: native.encodeSeq([...units]) }]));
  const metadata = { name: 'The original' };
  await fillIndex(url.search, index, [
    { iscc_id: 'ISCC:MAIGIIFJRDGEQQAA', iscc_code: iscc, units, metadata },
  ]);
}

async function post(url: string, body: unknown): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  expect((await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status).toBe(201);
}
