/** The four clients against the four running services. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AccessDenied,
  CodesClient,
  Conflict,
  InvalidRequest,
  NotFound,
  type Progress,
  ResolverClient,
  SearchClient,
  StoreClient,
} from '../../src/client/index.js';
import { type AllServices, startAllServices } from '../support/all-services.js';
import { MAIN } from '../support/serve.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PHOTO = path.join(ROOT, 'test/fixtures/codes/files/photo-q85_a.jpg');
const MANIFESTS = path.join(ROOT, 'test/fixtures/c2pa/manifests');
const TOKEN = 'token of the operator';
const MIB = 2 ** 20;
const STREAM_BYTES = 192 * MIB;

const run = promisify(execFile);

let services: AllServices;
let codes: CodesClient;
let search: SearchClient;
let store: StoreClient;
let resolver: ResolverClient;

beforeAll(async () => {
  services = await startAllServices({
    INDEXSVC_API_SECRET: 'key',
    MSTORE_OPERATOR_TOKEN_SHA256: createHash('sha256').update(TOKEN).digest('hex'),
    MSTORE_RATE_WRITE: '1000/s',
  });
  codes = new CodesClient(services.url.codes);
  search = new SearchClient(services.url.search, { apiKey: 'key' });
  store = new StoreClient(services.url.store, { operatorToken: TOKEN });
  resolver = new ResolverClient(services.url.resolver);
});

afterAll(() => services.stop());

describe('every operation of the OpenAPI documents', () => {
  it.each([
    ['codes', CodesClient],
    ['search', SearchClient],
    ['store', StoreClient],
    ['resolver', ResolverClient],
  ])('of %s is a method', async (name, client) => {
    const document = JSON.parse(await readFile(path.join(ROOT, 'openapi', `${name}.json`), 'utf8'));
    const rows = Object.values(document.paths as Record<string, Record<string, { operationId: string }>>);
    const ids = rows.flatMap((row) => Object.values(row)).map(({ operationId }) => operationId);
    expect(ids.length).toBeGreaterThan(5);
    expect(ids.filter((id) => !(methodOf(id) in client.prototype))).toEqual([]);
  });
});

/** Where the reference's id of an operation says less than our method does. */
const METHODS: Readonly<Record<string, string>> = {
  'upload-file': 'uploadMedia',
  'download-file': 'downloadMedia',
  'delete-file': 'deleteMedia',
  uploadFile: 'queryByContent',
  listAssets: 'assetLines',
  searchPost: 'search',
  searchGet: 'searchByCode',
};

function methodOf(id: string): string {
  return METHODS[id] ?? id.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

describe('CodesClient', () => {
  it('reports the progress of an upload', async () => {
    const progress = 'progress-of-a-test';
    const upload = codes.createIscc(PHOTO, { progress });
    let seen = await codes.getProgress(progress);
    while (!seen.done) seen = await codes.getProgress(progress, { after: seen.changes });
    expect(seen.steps.map(({ name }) => name)).toContain('image');
    expect((await upload).mode).toBe('image');
  });

  it('uploads a path, bytes or a stream with equal results', async () => {
    const seen: Progress[] = [];
    const onProgress = (progress: Progress) => void seen.push(progress);
    const byPath = await codes.createIscc(PHOTO, { onProgress });
    expect(byPath).toMatchObject({ filename: 'photo-q85_a.jpg', mode: 'image' });
    expect(seen.at(-1)).toEqual({ sent: byPath.filesize, total: byPath.filesize });
    const byBytes = await codes.createIscc(await readFile(PHOTO), { filename: 'ö.jpg' });
    expect(byBytes.filename).toBe('ö.jpg');
    const byStream = await codes.createIscc(createReadStream(PHOTO), { filename: 'a.jpg' });
    expect([byBytes.datahash, byStream.datahash]).toEqual([byPath.datahash, byPath.datahash]);
    expect((await codes.getIscc(byPath.media_id)).units).toEqual(byPath.units);
  });

  it('extracts and embeds metadata, explains codes and creates simprints', async () => {
    const { media_id, iscc } = await codes.uploadMedia(PHOTO).then(async (media) => ({
      ...media,
      iscc: (await codes.createIscc(PHOTO)).iscc,
    }));
    const copy = await codes.embedMetadata(media_id, { name: 'A title' });
    expect(await codes.extractMetadata(copy.media_id)).toMatchObject({ name: 'A title' });
    expect((await codes.explainIscc(iscc)).units.length).toBeGreaterThan(2);
    expect(Object.keys(await codes.createSimprints('Some words of a text'))).toEqual(['CONTENT_TEXT_V0']);
    expect(await codes.liveness()).toBeDefined();
  });

  it('downloads a file or a range of it as a stream, and deletes it', async () => {
    const { media_id } = await codes.uploadMedia(PHOTO);
    const bytes = await readFile(PHOTO);
    const whole = await codes.downloadMedia(media_id);
    expect(whole).toMatchObject({ bytes: bytes.length, contentType: expect.any(String) });
    expect((await buffer(whole.stream)).equals(bytes)).toBe(true);
    const part = await codes.downloadMedia(media_id, { range: { first: 10, last: 19 } });
    expect((await buffer(part.stream)).equals(bytes.subarray(10, 20))).toBe(true);
    await codes.deleteMedia(media_id);
    const deleted = await codes.downloadMedia(media_id).catch((error: unknown) => error);
    expect(deleted).toBeInstanceOf(NotFound);
    expect(deleted).toMatchObject({
      status: 404,
      body: 'File metadata not found',
      requestId: expect.any(String),
    });
  });

  it('throws typed errors', async () => {
    const failure = await codes.explainIscc('no code').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidRequest);
    expect(failure).toMatchObject({ status: 400, message: expect.stringContaining('Invalid ISCC') });
    await expect(codes.createIscc('no/such/file')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(codes.createIscc(Readable.from(failing()))).rejects.toThrow('the disk failed');
  });

  it('uploads a long stream in bounded memory', { timeout: 120_000 }, async () => {
    let [last, reports, resident] = [0, 0, 0];
    const before = process.memoryUsage.rss();
    const media = await codes.uploadMedia(long(), {
      onProgress: ({ sent, total }) => {
        expect(sent).toBeGreaterThan(last);
        expect(total).toBeUndefined();
        [last, reports] = [sent, reports + 1];
        resident = Math.max(resident, process.memoryUsage.rss() - before);
      },
    });
    expect(last).toBe(STREAM_BYTES);
    expect(reports).toBe(STREAM_BYTES / MIB);
    // Includes garbage of the sent pieces.
    expect(resident).toBeLessThan(STREAM_BYTES / 2);
    const back = await codes.downloadMedia(media.media_id, { range: { first: STREAM_BYTES - 3 } });
    expect(await buffer(back.stream)).toEqual(Buffer.alloc(3, STREAM_BYTES / MIB - 1));
    await codes.deleteMedia(media.media_id);
  });

  it('can abort an upload, which leaves no file', async () => {
    const abort = new AbortController();
    const onProgress = ({ sent }: Progress) => {
      if (sent > 8 * MIB) abort.abort(new Error('changed my mind'));
    };
    const upload = codes.uploadMedia(long(), { onProgress, signal: abort.signal });
    await expect(upload).rejects.toThrow('changed my mind');
    await expect.poll(() => filesOver(services.folder, MIB)).toEqual([]);
  });
});

describe('SearchClient', () => {
  it('fills an index and searches it', async () => {
    const { iscc } = await codes.createIscc(PHOTO);
    const id = 'ISCC:MAIGBISBQHSEJW52';
    expect(await search.createIndex('photos')).toMatchObject({ name: 'photos', assets: 0 });
    await expect(search.createIndex('photos')).rejects.toThrow(Conflict);
    expect(await search.addAssets('photos', [{ iscc_id: id, iscc_code: iscc }])).toEqual([
      { iscc_id: id, status: 'created' },
    ]);
    expect((await search.getAsset('photos', id)).iscc_code).toBe(iscc);
    const [byPost, byGet] = [
      await search.search('photos', { iscc_code: iscc }, 5),
      await search.searchByCode('photos', iscc, 5),
    ];
    expect(byPost.global_matches).toMatchObject([{ iscc_id: id, score: 1 }]);
    expect(byGet).toEqual(byPost);
    await search.deleteAsset('photos', id);
    expect(await search.getIndex('photos')).toMatchObject({ assets: 0 });
    expect((await search.listIndexes()).map(({ name }) => name)).toContain('photos');
    await search.deleteIndex('photos');
    expect([await search.status(), await search.liveness(), await search.readiness()]).toHaveLength(3);
    await expect(new SearchClient(services.url.search).listIndexes()).rejects.toThrow(AccessDenied);
  });
});

describe('SearchClient with watches', () => {
  it('watches an index and reads the events', async () => {
    const { iscc } = await codes.createIscc(PHOTO);
    await search.createIndex('watched');
    const watch = await search.putWatch('watched', 'photo', { query: { iscc_code: iscc } });
    expect(await search.getWatch('watched', 'photo')).toEqual(watch);
    expect(await search.listWatches('watched')).toEqual({ watches: [watch], next: null });
    const id = 'ISCC:MAIGBISBQHSEJW52';
    await search.addAssets('watched', [{ iscc_id: id, iscc_code: iscc }]);
    const stop = new AbortController();
    const seen: unknown[] = [];
    for await (const event of search.watchEvents('watched', 'photo', undefined, { signal: stop.signal })) {
      seen.push(event);
      stop.abort();
    }
    const data = { index: 'watched', watch: 'photo', iscc_id: id, matches: true };
    expect(seen).toMatchObject([{ id: expect.stringMatching(/^evt_/), type: 'asset.added', data }]);
    const gap = await search.watchEvents('watched', 'photo', 'evt_unknown').next();
    expect(gap.value).toEqual({ type: 'gap' });
    await search.deleteWatch('watched', 'photo');
    await expect(search.getWatch('watched', 'photo')).rejects.toThrow(NotFound);
    await expect(search.watchEvents('watched', 'photo').next()).rejects.toThrow(NotFound);
    await search.deleteIndex('watched');
  });
});

describe('StoreClient and ResolverClient', () => {
  it('store a manifest, find it and fetch it, until it is deleted', async () => {
    const file = path.join(services.folder, 'photo.c2pa');
    const { stdout } = await run(process.execPath, [MAIN, 'store', 'sample', PHOTO, '--output', file]);
    const { alg, value } = JSON.parse(stdout);
    const bytes = await readFile(file);
    const { manifestId, declaration } = await store.storeManifest(file, { declare: false });
    expect(declaration.status).toBe('disabled');
    expect((await buffer((await store.getManifestById(manifestId)).stream)).equals(bytes)).toBe(true);

    const inStore = await store.queryByLargeBinding({ alg, value }, { maxResults: 3 });
    expect(inStore.matches).toMatchObject([{ manifestId, similarityScore: 100 }]);
    expect(await store.queryByBinding({ alg, value })).toEqual(inStore);

    const { matches } = await resolver.queryByLargeBinding({ alg, value });
    expect(matches).toMatchObject([{ manifestId, similarityScore: 100 }]);
    expect((await resolver.queryByBinding({ alg, value })).matches).toEqual(matches);
    const [match] = matches;
    if (match?.isccId === undefined) throw new Error('the match has no ISCC-ID');
    const ways = [
      resolver.manifestOf(match),
      resolver.getManifestById(manifestId),
      resolver.getManifestByIsccId(match.isccId, manifestId),
    ];
    for (const way of ways) expect((await buffer((await way).stream)).equals(bytes)).toBe(true);

    await expect(new StoreClient(services.url.store).deleteManifest(manifestId)).rejects.toThrow(
      AccessDenied,
    );
    await store.deleteManifest(manifestId);
    await expect(store.getManifestById(manifestId)).rejects.toMatchObject({ name: 'NotFound', status: 410 });
  });

  it('throw errors with the code of the service', async () => {
    const refused = store.storeManifest(path.join(MANIFESTS, 'bad-expired.c2pa'));
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'signingCredential.expired' });
  });

  it('query the service documents', async () => {
    expect(await store.getSupportedBindings()).toMatchObject({ fingerprints: [{ alg: 'io.iscc.v0' }] });
    expect((await store.getServiceCapabilities()).supportedCapabilities).toEqual([
      'storeManifests',
      'storeBindings',
    ]);
    expect((await store.getServiceStatus()).status).toBe('ok');
    expect((await store.getWellKnown()).apiEndpoint).toContain('http');
    await expect(store.getDidDocument()).rejects.toThrow(NotFound);
    expect([await store.liveness(), await store.readiness()]).toHaveLength(2);
    expect(await resolver.getSupportedBindings()).toMatchObject({ watermarks: [] });
    expect((await resolver.getServiceCapabilities()).supportedCapabilities).toEqual([]);
    expect((await resolver.getServiceStatus()).status).toBe('ok');
    expect((await resolver.getWellKnown()).statusEndpoint).toContain('/status');
    expect([await resolver.liveness(), await resolver.readiness()]).toHaveLength(2);
  });
});

describe('the built client', () => {
  it('needs no native addon', async () => {
    const script = `await import(${JSON.stringify(path.join(ROOT, 'dist/client/index.js'))});
      console.log(JSON.stringify(process.report.getReport().sharedObjects))`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
    const loaded: string[] = JSON.parse(stdout);
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.filter((file) => file.endsWith('.node'))).toEqual([]);
  });
});

async function* long(): AsyncGenerator<Buffer> {
  for (let at = 0; at < STREAM_BYTES / MIB; at += 1) yield Buffer.alloc(MIB, at);
}

async function* failing(): AsyncGenerator<Buffer> {
  yield Buffer.from('a beginning');
  throw new Error('the disk failed');
}

async function filesOver(folder: string, bytes: number): Promise<string[]> {
  const files = await readdir(path.join(folder, 'codes'), { recursive: true });
  const large: string[] = [];
  for (const file of files) {
    const { size } = await stat(path.join(folder, 'codes', file)).catch(() => ({ size: 0 }));
    if (size > bytes && !file.includes('.mdb')) large.push(file);
  }
  return large;
}
