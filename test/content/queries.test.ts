/** Queries with an asset, against the store and the resolver of one process. */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { native } from '../../src/native.js';
import { type AllServices, startAllServices } from '../support/all-services.js';
import {
  byContent,
  byReference,
  capabilities,
  codeOf,
  manifestFor,
  picture,
  store,
  withManifest,
} from './support.js';

const WATERMARK = 'com.adobe.trustmark.P';
const ASSET_BYTES_MAX = 1_000_000;
const ALGORITHM_FORM =
  'hintAlg must have the form of the names on the C2PA list of soft-binding algorithms, such as com.adobe.trustmark.P';
const WHOLE_ASSETS =
  'region must be absent or empty: an ISCC describes a whole asset. Send the part as an asset of its own';

let services: AllServices;
let photo: Buffer;
let photoId: string;

beforeAll(async () => {
  services = await startAllServices({
    MSTORE_BY_CONTENT: '1',
    RESOLVER_BY_CONTENT: '1',
    RESOLVER_ENVIRONMENT: 'test',
    RESOLVER_TEST_ALLOW: '127.0.0.1',
    MSTORE_UNTHROTTLED: '127.0.0.1',
    CODEWEB_MEDIA_PATH: 'media',
    CODEWEB_MAX_UPLOAD_SIZE: String(ASSET_BYTES_MAX),
  });
  photo = await picture(1);
  const { units } = await codeOf(services.url.codes, photo);
  photoId = await store(
    services.url.store,
    await manifestFor([{ alg: 'io.iscc.v0', value: native.encodeSeq(units) }], photo),
  );
}, 60_000);
afterAll(() => services.stop());

describe.each(['store', 'resolver'] as const)('byContent of the %s', (name) => {
  const query = (asset: Buffer, parameters?: string, type?: string) =>
    byContent(services.url[name], asset, parameters, type);

  it('finds the manifest of the same bytes with score 100, and returns their code', async () => {
    const { status, body } = await query(photo);
    expect(status).toBe(200);
    expect(body.iscc).toBe((await codeOf(services.url.codes, photo)).iscc);
    expect(body.matches).toMatchObject([{ manifestId: photoId, similarityScore: 100 }]);
  });

  it('makes the Meta-Code from the file name, as the codes service does', async () => {
    const url = services.url[name];
    const named = (filename: string) => ({ 'X-Upload-Filename': Buffer.from(filename).toString('base64') });
    const { body } = await byContent(url, photo, '', 'image/png', named('Ein Schiff.png'));
    const { iscc } = await codeOf(services.url.codes, photo, named('Ein Schiff.png'));
    expect(body.iscc).toBe(iscc);
    expect((await byContent(url, photo, '', 'image/png', named('Ein Boot.png'))).body.iscc).not.toBe(iscc);
    expect((await byContent(url, photo, '?filename=Ein%20Schiff.png', 'image/png')).body.iscc).toBe(iscc);
    const refused = await byContent(url, photo, '', 'image/png', { 'X-Upload-Filename': 'not base64' });
    expect(refused).toMatchObject({ status: 400, body: { code: 'FILENAME_NOT_BASE64' } });
  });

  it('finds the manifest by a smaller copy of the picture', async () => {
    const { body } = await query(await picture(1, 240, 160));
    const [match] = body.matches;
    expect(match?.manifestId).toBe(photoId);
    expect(match?.similarityScore).toBeGreaterThanOrEqual(90);
    expect(match?.similarityScore).toBeLessThan(100);
  });

  it('does not find it by another picture', async () => {
    expect((await query(await picture(2))).body.matches).toEqual([]);
  });

  it('finds a mirrored or turned picture with symmetries=true only', async () => {
    const mirrored = await sharp(photo).flop().png().toBuffer();
    expect(await query(mirrored)).toMatchObject({ status: 200, body: { matches: [] } });
    for (const asset of [mirrored, await sharp(photo).rotate(90).png().toBuffer()]) {
      const { body } = await query(asset, '?symmetries=true');
      expect(body.matches).toMatchObject([{ manifestId: photoId }]);
    }
    const refused = await query(photo, '?symmetries=1');
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toMatch('symmetries must be true or false');
  });

  it('does not match plain pictures by their Image-Codes', async () => {
    const plain = (r: number) =>
      sharp({ create: { width: 200, height: 100, channels: 3, background: { r, g: 60, b: 90 } } })
        .png()
        .toBuffer();
    const [one, other] = [await plain(20 + name.length), await plain(200 + name.length)];
    const { units } = await codeOf(services.url.codes, one);
    const value = native.encodeSeq(units);
    expect(units.filter((unit) => native.isFeatureless(unit))).toHaveLength(1);
    const id = await store(services.url.store, await manifestFor([{ alg: 'io.iscc.v0', value }], one));
    expect((await query(one)).body.matches).toMatchObject([{ manifestId: id, similarityScore: 100 }]);
    expect((await query(other)).body.matches).toEqual([]);
  });

  it('also matches by the soft bindings of the manifest that the asset embeds', async () => {
    const { units } = await codeOf(services.url.codes, photo);
    const embedded = await manifestFor([{ alg: 'io.iscc.v0', value: native.encodeSeq(units) }]);
    const { body } = await query(withManifest(await picture(3), embedded));
    expect(body.matches).toMatchObject([{ manifestId: photoId, similarityScore: 100 }]);
  });

  it('ignores an embedded manifest with a broken signature', async () => {
    const { units } = await codeOf(services.url.codes, photo);
    const embedded = await manifestFor([{ alg: 'io.iscc.v0', value: native.encodeSeq(units) }]);
    const at = embedded.indexOf('picture.png');
    embedded.write('q', at);
    const { status, body } = await query(withManifest(await picture(3), embedded));
    expect([status, body.matches]).toEqual([200, []]);
  });

  it('also matches by a hint', async () => {
    const { units } = await codeOf(services.url.codes, photo);
    const value = encodeURIComponent(native.encodeSeq(units).toString('base64'));
    const { body } = await query(await picture(4), `?hintAlg=io.iscc.v0&hintValue=${value}`);
    expect(body.matches).toMatchObject([{ manifestId: photoId, similarityScore: 100 }]);
  });

  it('returns at most maxResults matches', async () => {
    const asset = await picture(50 + name.length);
    const { units } = await codeOf(services.url.codes, asset);
    const binding = { alg: 'io.iscc.v0', value: native.encodeSeq(units) };
    for (let count = 0; count < 3; count += 1) await store(services.url.store, await manifestFor([binding]));
    expect((await query(asset)).body.matches).toHaveLength(3);
    expect((await query(asset, '?maxResults=2')).body.matches).toHaveLength(2);
  });

  it.each([
    ['?hintAlg=io.iscc.v0', 'hintAlg and hintValue are only valid together'],
    ['?hintValue=AA%3D%3D', 'hintAlg and hintValue are only valid together'],
    ['?hintAlg=io.iscc.v0&hintValue=*', 'hintValue is not valid base64'],
    ['?hintAlg=watermark&hintValue=AAAA', ALGORITHM_FORM],
    ['?hintAlg=com.adobe.trustmark%20P&hintValue=AAAA', ALGORITHM_FORM],
    ['?hintAlg=io.iscc.v0&hintAlg=io.iscc.v0', 'Parameter given more than once: hintAlg'],
    ['?maxResults=0', 'maxResults must be a positive integer'],
  ])('refuses %s', async (parameters, detail) => {
    const { status, body } = await query(photo, parameters);
    expect([status, body.detail]).toEqual([400, detail]);
  });

  it('refuses unknown algorithms', async () => {
    expect((await query(photo, '?alg=no.such')).status).toBe(400);
  });

  it.each([WATERMARK, 'no.such'])('matches by the asset if the hint is one of %s', async (alg) => {
    const { status, body } = await query(photo, `?hintAlg=${alg}&hintValue=AAAA`);
    expect([status, body.matches]).toEqual([200, [expect.objectContaining({ manifestId: photoId })]]);
  });

  it('refuses a hint that is no ISCC-SEQ before it reads the asset', async () => {
    const damaged = readFileSync(path.resolve(import.meta.dirname, '../fixtures/codes/files/corrupt_a.pdf'));
    const { status, body } = await query(damaged, '?hintAlg=io.iscc.v0&hintValue=AAAA', 'application/pdf');
    expect([status, body.detail]).toEqual([
      400,
      expect.stringMatching(/^hintValue is not a valid ISCC-SEQ: /),
    ]);
  });

  it('refuses damaged, empty, large and multipart bodies like the codes service', async () => {
    const damaged = readFileSync(path.resolve(import.meta.dirname, '../fixtures/codes/files/corrupt_a.pdf'));
    const refused = await query(damaged, '', 'application/pdf');
    expect([refused.status, refused.body.code]).toEqual([422, 'FILE_DAMAGED']);
    const empty = await query(Buffer.alloc(0));
    expect([empty.status, empty.body]).toEqual([400, { detail: 'Request body is empty' }]);
    const encoded = await fetch(`${services.url[name]}/v1/matches/byContent`, {
      method: 'POST',
      headers: { 'Content-Type': 'image/png', 'Content-Encoding': 'gzip' },
      body: photo,
    });
    expect([encoded.status, await encoded.json()]).toEqual([
      400,
      { detail: expect.stringMatching(/^Content-Encoding must be absent/) },
    ]);
    expect((await query(Buffer.alloc(ASSET_BYTES_MAX + 1))).status).toBe(413);
    expect((await query(photo, '', 'multipart/form-data; boundary=a')).status).toBe(415);
  });

  it('uses the Content-Type for content without a signature', async () => {
    const words = Buffer.from('# A heading\n\nSome words of a *text* in Markdown, enough for a code.\n');
    const { body } = await query(words, '', 'text/markdown; charset=utf-8');
    expect(native.explainJson(body.iscc, '0.9.7')).toContain('ISCC-TEXT-V0');
  });

  it('reports its capabilities', async () => {
    expect(await capabilities(services.url[name])).toEqual(
      expect.arrayContaining(['queryByContent', 'queryByReference']),
    );
  });

  it('keeps no byte of an asset', async () => {
    await query(photo);
    expect(await readdir(path.join(services.folder, 'media/drafts'))).toEqual([]);
  });
});

describe('byContent with other algorithms', () => {
  it('finds manifests in the store by an embedded watermark, and leaves it out of queries for codes', async () => {
    const value = Buffer.from('a watermark of this picture');
    const id = await store(services.url.store, await manifestFor([{ alg: WATERMARK, value }]));
    const asset = withManifest(await picture(9), await manifestFor([{ alg: WATERMARK, value }]));
    const query = (parameters = '') => byContent(services.url.store, asset, parameters);
    expect((await query()).body.matches).toMatchObject([{ manifestId: id, similarityScore: 100 }]);
    expect((await query(`?alg=${WATERMARK}`)).body.matches).toMatchObject([{ manifestId: id }]);
    expect((await query('?alg=io.iscc.v0')).body.matches).toEqual([]);
  });
});

describe.each(['store', 'resolver'] as const)('byReference of the %s', (name) => {
  let server: http.Server;
  let base: string;
  const served = new Map<string, (response: http.ServerResponse) => void>();
  beforeAll(async () => {
    server = http.createServer((request, response) => {
      const serve = served.get(request.url ?? '');
      if (serve === undefined) response.writeHead(404).end();
      else serve(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    served.set('/photo', (response) => response.end(photo));
    served.set('/moved', (response) => response.writeHead(302, { Location: '/photo' }).end());
    served.set('/inside', (response) => response.writeHead(302, { Location: 'http://10.0.0.1/' }).end());
    served.set('/broken', (response) => response.writeHead(503).end());
    served.set('/cut', (response) => {
      response.writeHead(200, { 'Content-Length': '9000' }).write('cut');
      setTimeout(() => response.destroy(), 20);
    });
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const query = (target: string, rest: object = {}) =>
    byReference(services.url[name], { referenceUrl: base + target, assetLength: photo.length, ...rest });

  it.each(['/photo', '/moved'])('finds the manifest of the asset at %s', async (target) => {
    const { status, body } = await query(target, { assetType: 'image/png', region: [] });
    expect([status, body.detail]).toEqual([200, undefined]);
    expect(body.matches).toMatchObject([{ manifestId: photoId, similarityScore: 100 }]);
  });

  it('refuses an asset of another type, and one larger than announced', async () => {
    const other = await query('/photo', { assetType: 'image/jpeg' });
    expect([other.status, other.body.code]).toEqual([415, 'TYPE_MISMATCH']);
    const larger = await query('/photo', { assetLength: photo.length - 1 });
    expect([larger.status, larger.body.code]).toEqual([413, 'REFERENCE_TOO_LARGE']);
    const announced = await query('/photo', { assetLength: ASSET_BYTES_MAX + 1 });
    expect([announced.status, announced.body.code]).toEqual([413, 'REFERENCE_TOO_LARGE']);
  });

  it.each([
    ['/gone', 400],
    ['/inside', 400],
    ['/broken', 400],
    ['/cut', 502],
  ])('refuses an asset at %s with %i', async (target, status) => {
    expect((await query(target)).status).toBe(status);
  });

  it.each([
    [{ referenceUrl: 'https://10.0.0.1/a.png' }, 'REFERENCE_REFUSED'],
    [{ referenceUrl: 'https://[::ffff:192.168.0.1]/a.png' }, 'REFERENCE_REFUSED'],
    [{ referenceUrl: 'http://example.com/a.png' }, 'REFERENCE_REFUSED'],
    [{ referenceUrl: 'file:///etc/passwd' }, undefined],
    [{ assetLength: 0 }, undefined],
    [{ assetLength: undefined }, undefined],
  ])('refuses %j with 400', async (reference, code) => {
    const { status, body } = await query('/photo', reference);
    expect([status, body.code]).toEqual([400, code]);
  });

  it.each([
    [[{ type: 'frame', frame: {} }]],
    [{ region: [{ type: 'temporal' }] }],
    ['xywh=percent:0,0,50,50'],
  ])('refuses the region %j with the reason', async (region) => {
    const { status, body } = await query('/photo', { region });
    expect([status, body.detail]).toEqual([400, WHOLE_ASSETS]);
  });

  it('says why an asset could not be downloaded', async () => {
    const { status, body } = await query('/photo', { referenceUrl: 'https://no-such-host.invalid/a.png' });
    expect([status, body.code]).toEqual([502, 'REFERENCE_UNREACHABLE']);
    expect(body.detail).toMatch(/its host name is unknown, or its server failed or took too long$/);
  });
});
