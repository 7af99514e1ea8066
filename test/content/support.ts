/** Pictures with and without embedded manifests, and queries with them. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { native } from '../../src/native.js';

export interface Matches {
  readonly iscc: string;
  readonly matches: readonly { manifestId: string; similarityScore: number; endpoint?: string }[];
  readonly detail?: string;
  readonly code?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Matches;
}

/** A picture whose Image-Code depends on `seed` only. */
export async function picture(seed: number, width = 480, height = 320): Promise<Buffer> {
  const digests = [0, 1, 2].map((part) => createHash('sha256').update(`${seed} ${part}`).digest());
  const raw = { width: 12, height: 8, channels: 1 } as const;
  const large = sharp(Buffer.concat(digests), { raw }).resize(480, 320, { kernel: 'cubic' });
  return sharp(await large.png().toBuffer())
    .resize(width, height)
    .png()
    .toBuffer();
}

/** A signed manifest with soft bindings. */
export async function manifestFor(
  bindings: readonly { alg: string; value: Buffer }[],
  asset: Buffer = Buffer.alloc(0),
  signer = 'isccd test',
  thumbnail?: Buffer,
): Promise<Buffer> {
  const { chainPem, keyPem } = await native.makeTestCertificate('es256', signer);
  const assetHash = createHash('sha256').update(asset).digest();
  return native.signManifest({
    chainPem,
    keyPem,
    algorithm: 'es256',
    title: 'picture.png',
    format: 'image/png',
    assetHash,
    bindings: [...bindings],
    ...(thumbnail && { thumbnail }),
  });
}

/** The PNG file with a manifest store in a `caBX` chunk, after its header. */
export function withManifest(png: Buffer, store: Buffer): Buffer {
  const headerEnd = 8 + 12 + 13;
  const typed = Buffer.concat([Buffer.from('caBX'), store]);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(store.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(typed));
  return Buffer.concat([png.subarray(0, headerEnd), size, typed, check, png.subarray(headerEnd)]);
}

export async function byContent(
  url: string,
  asset: Buffer,
  query = '',
  type = 'image/png',
  more: Record<string, string> = {},
): Promise<Answer> {
  const headers = { 'Content-Type': type, ...more };
  return answer(await fetch(`${url}/v1/matches/byContent${query}`, { method: 'POST', headers, body: asset }));
}

export async function byReference(url: string, reference: object, query = ''): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify(reference);
  return answer(await fetch(`${url}/v1/matches/byReference${query}`, { method: 'POST', headers, body }));
}

async function answer(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as Matches };
}

export async function codeOf(
  codes: string,
  asset: Buffer,
  more: Record<string, string> = {},
): Promise<{ iscc: string; units: string[] }> {
  const headers = { 'X-Upload-Filename': Buffer.from('asset').toString('base64'), ...more };
  const response = await fetch(`${codes}/api/v1/iscc?granular=false`, {
    method: 'POST',
    headers,
    body: asset,
  });
  if (response.status !== 201) throw new Error(await response.text());
  return (await response.json()) as { iscc: string; units: string[] };
}

export async function store(url: string, manifest: Buffer): Promise<string> {
  const headers = { 'Content-Type': 'application/c2pa' };
  const response = await fetch(`${url}/v1/manifests`, { method: 'POST', headers, body: manifest });
  if (response.status !== 200) throw new Error(await response.text());
  return ((await response.json()) as { manifestId: string }).manifestId;
}

export async function capabilities(url: string): Promise<string[]> {
  const response = await fetch(`${url}/v1/services/capabilities`);
  return ((await response.json()) as { supportedCapabilities: string[] }).supportedCapabilities;
}
