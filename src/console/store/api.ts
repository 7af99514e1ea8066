/** Client of the manifest store. */

import { send, sendJson } from '../requests.js';
import type { Credentials } from '../resolver/api.js';

export const MANIFEST_TYPE = 'application/c2pa';

export interface Declaration {
  readonly status: string;
  readonly hub?: string;
  readonly isccId?: string;
}

/** What the store and a manifest say. Texts of the manifest are claims of its signer. */
export interface Summary extends Omit<Credentials, 'state' | 'failures' | 'thumbnail'> {
  readonly sha256: string;
  readonly size: number;
  readonly storedAt: string;
  readonly trusted: boolean;
  readonly declaration: Declaration;
  readonly thumbnailUrl?: string;
}

/** The response to an upload. */
export interface Stored {
  readonly manifestId: string;
  readonly bindings?: {
    readonly indexed: number;
    readonly skipped: readonly { readonly alg: string; readonly reason: string }[];
  };
}

/** The path of a manifest, or of a part of it. */
export function pathOf(id: string, part = ''): string {
  return `/v1/manifests/${encodeURIComponent(id)}${part}`;
}

/** @throws {RequestFailed} */
export function summaryOf(id: string, signal: AbortSignal): Promise<Summary> {
  return sendJson('store', pathOf(id), { headers: { Accept: 'application/json' }, signal });
}

/** The thumbnail that a manifest contains, as a data URL. @throws {RequestFailed} */
export async function thumbnailOf(id: string, signal: AbortSignal): Promise<string> {
  const picture = await (await send('store', pathOf(id, '/thumbnail'), { signal })).blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result)));
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(picture);
  });
}

/** @param token of a publisher; the empty text stands for none. @throws {RequestFailed} */
export function storeManifest(file: File, token: string, signal: AbortSignal): Promise<Stored> {
  const headers = {
    'Content-Type': MANIFEST_TYPE,
    ...(token !== '' && { Authorization: `Bearer ${token}` }),
  };
  return sendJson('store', '/v1/manifests', { method: 'POST', headers, file, signal });
}
