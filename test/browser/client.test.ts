/** The package `isccd-client` in a browser: bundled by esbuild, and used from a page of another origin. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TSC } from '../../scripts/lib.mjs';
import { type AllServices, startAllServices } from '../support/all-services.js';
import { LAUNCH_MS_MAX, launchChromium, openPage } from '../support/chromium.js';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');
const PHOTO = path.join(ROOT, 'test/fixtures/codes/files/photo-q85_a.jpg');

/** What an application has; its types are checked, too. */
const PROGRAM = `
import { CodesClient, NotFound, SearchClient } from 'isccd-client';

interface Given { readonly codes: string; readonly search: string; readonly photo: string }

export async function use({ codes: codesUrl, search: searchUrl, photo }: Given): Promise<unknown> {
  const codes = new CodesClient(codesUrl);
  const file = new File([Uint8Array.from(atob(photo), (one) => one.charCodeAt(0))], 'Straße & 1.jpg');
  const progress: number[] = [];
  const result = await codes.createIscc(file, { onProgress: ({ sent }) => progress.push(sent) });
  const { stream, bytes } = await codes.downloadMedia(result.media_id);
  let received = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    received += value.byteLength;
  }
  const parts = new Blob([file.slice(0, 1000), file.slice(1000)]).stream();
  const streamed = await codes.createIscc(parts as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>);
  await codes.deleteMedia(result.media_id);
  const gone = await codes.getIscc(result.media_id).catch((error: unknown) => error);
  const search = new SearchClient(searchUrl);
  await search.createIndex('browser');
  const asset = { iscc_id: 'ISCC:MAIGIIFJRDGEQQAA', iscc_code: result.iscc, units: result.units };
  await search.addAssets('browser', [asset]);
  const { lines } = await search.assetLines('browser', undefined, 10);
  const { global_matches } = await search.search('browser', { units: result.units }, 5);
  const controller = new AbortController();
  controller.abort(new Error('stopped'));
  const aborted = await codes.liveness({ signal: controller.signal }).catch((error: Error) => error.message);
  // @ts-expect-error: there are no paths.
  const path = await codes.createIscc('photo.jpg').catch((error: Error) => error.message);
  return {
    filename: result.filename,
    progress,
    sizes: [file.size, bytes, received],
    isSame: streamed.datahash === result.datahash,
    isGone: gone instanceof NotFound,
    listed: JSON.parse(new TextDecoder().decode(lines)).iscc_id,
    found: global_matches.map(({ iscc_id, score }) => [iscc_id, score]),
    aborted,
    path,
  };
}
`;

let folder = '';
let origin = '';
let services: AllServices;
let browser: Browser;
const page = createServer((_, response) =>
  response.setHeader('Content-Type', 'text/html').end('<title>App</title>'),
);

beforeAll(async () => {
  await new Promise<void>((listening) => page.listen(0, '127.0.0.1', listening));
  origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-web-client-'));
  const client = path.join(folder, 'node_modules', 'isccd-client');
  const script = `import { packClient } from ${JSON.stringify(path.join(ROOT, 'scripts/pack-client.mjs'))};
    packClient(${JSON.stringify(client)}, JSON.parse(${JSON.stringify(await readFile(path.join(ROOT, 'package.json'), 'utf8'))}));`;
  await run(process.execPath, ['--input-type=module', '--eval', script]);
  await writeFile(path.join(folder, 'app.ts'), PROGRAM);
  services = await startAllServices({ CODEWEB_CORS_ORIGINS: origin, INDEXSVC_CORS_ORIGINS: origin });
  browser = await launchChromium();
}, LAUNCH_MS_MAX);

afterAll(async () => {
  page.close();
  await browser?.close();
  await services?.stop();
  await rm(folder, { recursive: true, force: true });
});

const bundled = () =>
  build({
    absWorkingDir: folder,
    entryPoints: ['app.ts'],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'app',
  });

it('is bundled without modules of Node.js', async () => {
  const { outputFiles, warnings } = await bundled();
  expect(warnings).toEqual([]);
  expect(outputFiles[0]?.text).not.toMatch(/\brequire\(|["']node:|\bBuffer\b/);
  const packed = await readFile(path.join(folder, 'node_modules/isccd-client/web/index.js'), 'utf8');
  expect(packed).not.toMatch(/["']node:|\bfrom ?["']/);
});

it('has types that need none of Node.js', async () => {
  const options = { strict: true, noEmit: true, target: 'es2022', lib: ['es2022', 'dom'], types: [] };
  const resolution = { module: 'esnext', moduleResolution: 'bundler', customConditions: ['browser'] };
  const config = { compilerOptions: { ...options, ...resolution }, files: ['app.ts'] };
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
  const checked = run(process.execPath, [TSC, '-p', folder]);
  expect(await checked.catch(({ stdout }: { stdout: string }) => ({ stdout }))).toMatchObject({ stdout: '' });
});

it('codes, downloads, indexes and finds in Chromium', async () => {
  const photo = await readFile(PHOTO);
  const { outputFiles } = await bundled();
  const tab = await openPage(browser, { expected: /status of 404/ });
  await tab.goto(origin);
  await tab.addScriptTag({ content: outputFiles[0]?.text ?? '' });
  const { codes, search } = services.url;
  const given = { codes, search, photo: photo.toString('base64') };
  const result = await tab.evaluate(`app.use(${JSON.stringify(given)})`);
  expect(result).toEqual({
    filename: 'Straße & 1.jpg',
    progress: [photo.length],
    sizes: [photo.length, photo.length, photo.length],
    isSame: true,
    isGone: true,
    listed: 'ISCC:MAIGIIFJRDGEQQAA',
    found: [['ISCC:MAIGIIFJRDGEQQAA', 1]],
    aborted: 'stopped',
    path: expect.stringContaining('source: must be bytes, a Blob, a File or a stream of bytes'),
  });
});
