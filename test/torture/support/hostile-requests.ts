/** Requests that once ended, blocked or filled a service, each to all routes that read such bytes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { upload } from '../../codes/support/client.js';
import { fileBytes } from '../../codes/support/reference.js';
import { randomAsset } from '../../search/support/random-assets.js';
import { post } from '../../search/support/search-server.js';
import { bytesOf, sidecar } from '../../store/support/fixtures.js';
import { nestedCbor, withCbor } from '../../support/jumbf.js';
import type { ServedProcess } from '../../support/serve.js';
import { be32, join, pngChunk } from './bytes.js';
import { HOSTILE_FILES, type HostileFile } from './hostile-files.js';
import { codeOf, metadataOf } from './probe.js';

type Urls = ServedProcess['urls'];

export interface HostileRequest {
  readonly name: string;
  /** Sends it and returns what is wrong with the responses. */
  readonly send: (urls: Urls) => Promise<readonly string[]>;
}

/** Indexes of the search service that the requests use. */
export const INDEX = 'hostile';

const file = ({ name, make, isSlow }: HostileFile): HostileRequest => ({
  name,
  send: async ({ codes }) => {
    const bytes = new Uint8Array(make());
    // That may have taken seconds. Kept connections that a service has closed meanwhile are noticed only now.
    await sleep(100);
    const faults: string[] = [];
    for (const use of [codeOf, metadataOf]) {
      const { fault, text = '' } = await use(codes, name, bytes);
      if (fault !== undefined) faults.push(`${use.name}: ${fault}`);
      if (text.includes('FILE_CRASHES_DECODER') || (text.includes('FILE_TOO_SLOW') && isSlow === undefined))
        faults.push(`${use.name}: ${text}`);
    }
    return faults;
  },
});

/** Responses that are not one of the statuses. */
async function unless(statuses: readonly number[], ...responses: readonly Promise<Response>[]) {
  const faults: string[] = [];
  for (const response of await Promise.all(responses)) {
    const text = await response.text();
    const { pathname } = new URL(response.url);
    if (!statuses.includes(response.status))
      faults.push(`${pathname}: ${response.status} ${text.slice(0, 200)}`);
  }
  return faults;
}

const good = bytesOf(sidecar('ok-es256-iscc4'));
const PNG_HEADER_BYTES = 33;

/** A picture that embeds a Manifest Store. */
function picture(manifest: Uint8Array): Buffer {
  const png = fileBytes('photo_a.png');
  const [head, rest] = [png.subarray(0, PNG_HEADER_BYTES), png.subarray(PNG_HEADER_BYTES)];
  return join(head, pngChunk('caBX', manifest), rest);
}

const HEADERS = { 'Content-Type': 'application/c2pa' };
/** A manifest goes to the store, which refuses it, and in a picture to the services that read pictures. */
const manifest = (name: string, bytes: () => Uint8Array): HostileRequest => ({
  name,
  send: async ({ codes, store, resolver }) => {
    const body = new Uint8Array(bytes());
    const embedded = new Uint8Array(picture(body));
    const stored = await unless(
      [400, 413],
      fetch(`${store}/v1/manifests`, { method: 'POST', headers: HEADERS, body }),
    );
    const read = await unless(
      [200, 201, 400, 413, 422],
      fetch(`${resolver}/check`, { method: 'POST', body: embedded }),
      upload(codes, 'picture.png', embedded),
    );
    return [...stored, ...read];
  },
});

const superbox = (contents: Uint8Array) => {
  const uuid = join('c2ma', Buffer.from('00110010800000aa00389b71', 'hex'), '\x03a\0');
  const box = (type: string, inside: Uint8Array) => join(be32(8 + inside.length), type, inside);
  return box('jumb', join(box('jumd', uuid), contents));
};

function superboxes(depth: number): Uint8Array {
  let inner: Uint8Array = good;
  for (let level = 0; level < depth; level += 1) inner = superbox(inner);
  return inner;
}

const manifests: readonly HostileRequest[] = [
  ...['c2cl', 'c2cs', 'cbor'].map((box) =>
    manifest(`tags in tags in ${box}`, () => withCbor(good, box, nestedCbor('tag', 14_000))),
  ),
  manifest('arrays in arrays', () => withCbor(good, 'c2cl', nestedCbor('array', 14_000))),
  manifest('a map of 2^47 elements', () => withCbor(good, 'c2cl', Buffer.from('bb0000800000000000', 'hex'))),
  manifest('boxes in boxes', () => superboxes(5000)),
];

const bodies: readonly HostileRequest[] = [
  {
    name: 'objects in objects of metadata',
    send: async ({ search }) => {
      const { iscc_id, units } = randomAsset(1);
      const depth = 1_000_000;
      const metadata = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
      const body = `[{"iscc_id":"${iscc_id}","units":${JSON.stringify(units)},"metadata":${metadata}}]`;
      const headers = { 'Content-Type': 'application/json' };
      const url = `${search}/indexes/${INDEX}/assets`;
      return unless([422], fetch(url, { method: 'POST', headers, body }));
    },
  },
  {
    name: '100,000 units',
    send: async ({ search }) => {
      const units = randomAsset(2).units ?? [];
      const many = { units: Array.from({ length: 100_000 }, (_, at) => units[at % units.length]) };
      return unless([200, 422], post(`${search}/indexes/${INDEX}/search`, many));
    },
  },
  {
    name: '100,000 queries',
    send: async ({ search }) => {
      const { units } = randomAsset(3);
      const queries = Array.from({ length: 100_000 }, () => ({ units }));
      return unless([422], post(`${search}/indexes/${INDEX}/searches`, { queries }));
    },
  },
  {
    name: 'a line of 60 MB',
    send: async ({ search }) => {
      const headers = { 'Content-Type': 'application/x-ndjson' };
      const body = `{"iscc_id":"${'A'.repeat(60e6)}"}`;
      return unless(
        [200, 413, 422, 503],
        fetch(`${search}/indexes/${INDEX}/assets`, { method: 'POST', headers, body }),
      );
    },
  },
  {
    name: 'clients that hang up while metadata is read',
    send: async ({ codes }) => {
      const source = `<!DOCTYPE svg [<!ENTITY e "x">]><svg xmlns="http://www.w3.org/2000/svg"><title>${'&'.repeat(2e6)}</title></svg>`;
      const stored = await upload(codes, 'x.svg', source, { to: 'media' });
      const { media_id: id } = (await stored.json()) as { media_id: string };
      const address = `${codes}/api/v1/metadata/${id}`;
      const readings = Array.from({ length: 6 }, () => fetch(address, { signal: AbortSignal.timeout(200) }));
      await Promise.allSettled(readings);
      await sleep(0);
      const faults = await unless([201], upload(codes, 'photo_a.png', fileBytes('photo_a.png')));
      await fetch(`${codes}/api/v1/media/${id}`, { method: 'DELETE' });
      return faults;
    },
  },
];

/** All requests, those of the short form first. */
export const HOSTILE_REQUESTS: readonly HostileRequest[] = [
  ...manifests,
  ...bodies,
  ...HOSTILE_FILES.map(file),
];
