/** The module for browsers in a worker of a page: the same results as in Node.js, where `test/wasm` compares them with the addon's. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Codes, loadCodes } from '../../dist/wasm/index.js';
import { WASM, wasmProblem } from '../../scripts/build-wasm.mjs';
import { LAUNCH_MS_MAX, launchChromium, openPage } from '../support/chromium.js';
import { functionsOf, type Library, vectorsOf } from '../support/vectors.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FILES = [
  'photo_a.png',
  'still_a.gif',
  'lossy_a.webp',
  'pic_a.bmp',
  'pic_a.tif',
  'photo-q85_a.jpg',
  'cmyk_a.jpg',
  'vec_a.svg',
];

/** Runs calls of the library, `[name, arguments]`, and returns their results; of errors, the codes. */
const WORKER = `
import { loadCodes } from '/dist/wasm/index.js';
const codes = loadCodes(fetch('/native/isccd.wasm'));
onmessage = async ({ data }) => {
  const library = await codes;
  postMessage(data.map(([name, args]) => {
    try { return library[name](...args); } catch (error) { return error.code ?? String(error); }
  }));
};`;
/** Passes calls to the worker. Bytes are lists of numbers on their way into and out of the page. */
const SCRIPT = `
const worker = new Worker('/worker.js', { type: 'module' });
const revived = (value) => (value?.bytes === undefined ? value : Uint8Array.from(value.bytes));
const flat = (_, value) => (value instanceof Uint8Array ? [...value] : value);
self.run = (calls) => new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => resolve(JSON.parse(JSON.stringify(data, flat)));
  worker.onerror = (event) => reject(new Error(event.message));
  worker.postMessage(calls.map(([name, args]) => [name, args.map(revived)]));
});`;
const PAGE =
  '<!doctype html><title>Codes</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>';
const CSP =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:";
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

type Call = readonly [name: string, args: readonly unknown[]];

const problem = wasmProblem();
if (problem !== undefined) console.warn(`skipped, no module for browsers: ${problem}`);

describe.skipIf(problem !== undefined)('isccd-wasm in Chromium', () => {
  let server: Server;
  let browser: Browser;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://localhost');
      const text = { '/': PAGE, '/page.js': SCRIPT, '/worker.js': WORKER }[pathname];
      const type = TYPES[path.extname(pathname)] ?? 'text/html';
      response.setHeader('content-type', type).setHeader('content-security-policy', CSP);
      response.end(text ?? readFileSync(path.join(ROOT, pathname)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    browser = await launchChromium();
  }, LAUNCH_MS_MAX);
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  test('computes all vectors of iscc-core and units of pictures as in Node.js', async () => {
    const codes = await loadCodes(readFileSync(WASM));
    const calls: Call[] = [...(await callsOfVectors(codes)), ...FILES.map(pictureCall)];
    expect(calls.length).toBeGreaterThan(50);
    const page = await openPage(browser);
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const passed = JSON.stringify(calls.map(([name, args]) => [name, args.map(plain)]));
    const results = (await page.evaluate(`run(${passed})`)) as unknown[];
    expect(results).toEqual(calls.map(([name, args]) => plainResult(codes, name, args)));
    expect(results.at(-1)).toBe('NO_DECODER');
  });
});

/** The calls that the vectors make. */
async function callsOfVectors(codes: Codes): Promise<Call[]> {
  const calls: Call[] = [];
  const library = new Proxy(codes, {
    get:
      (_, name: string) =>
      (...args: unknown[]) => {
        calls.push([name, args]);
        return invoke(codes, name, args);
      },
  }) as unknown as Library;
  const functions = functionsOf(library);
  for (const [name, cases] of vectorsOf(library))
    for (const { inputs, outputs } of Object.values(cases))
      expect(await functions[name]?.(inputs)).toEqual(outputs);
  return calls;
}

function pictureCall(name: string): Call {
  return ['pictureFile', [readFileSync(path.join(ROOT, 'test/fixtures/codes/files', name))]];
}

function invoke(codes: Codes, name: string, args: readonly unknown[]): unknown {
  const method = Reflect.get(codes, name) as (...passed: readonly unknown[]) => unknown;
  return method.apply(codes, [...args]);
}

function plainResult(codes: Codes, name: string, args: readonly unknown[]): unknown {
  try {
    const result = invoke(codes, name, args);
    return JSON.parse(
      JSON.stringify(result, (_, value) => (value instanceof Uint8Array ? [...value] : value)),
    );
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

function plain(value: unknown): unknown {
  return value instanceof Uint8Array ? { bytes: [...value] } : value;
}
