/** The check of bundled dependencies for code that bundling breaks. The build runs it on every bundle. */
import { expect, it } from 'vitest';
import { bundleFaults, bundleProblems } from '../../scripts/bundle-faults.mjs';

it.each([
  ["new Worker(join(__dirname, 'worker.js'))", ['__dirname', 'new Worker']],
  ["const { Worker: W } = threads; new threads.Worker('./a.js')", ['new Worker']],
  ["readFileSync(new URL('a.wasm', import.meta.url))", ['import.meta']],
  ['export const load = (name) => import(name)', ['import(…)']],
  ['__require(folder + "/a.js"); require2("pino-pretty")', ["require('pino-pretty')", 'require(…)']],
  ['const file = require.resolve("./worker.js")', ['require.resolve']],
  ["import { a } from './a.js'; import { b } from 'b';", ["import('./a.js')", "import('b')"]],
  ["export { a } from './a.js'; export * from 'node:fs';", ["import('./a.js')"]],
  ['resolve(__filename)', ['__filename']],
])('finds in %s: %j', (text, faults) => {
  expect(bundleFaults(text)).toEqual(faults);
});

it.each([
  ["import { readFile } from 'node:fs/promises'; import fs from 'fs'; export { fs };"],
  ["require('node:sqlite'); __require('worker_threads'); await import('node:http')"],
  ["const dirname = '__dirname'; // __filename\nobject.resolve(x); worker.new; new WorkerPool()"],
])('finds nothing in %s', (text) => {
  expect(bundleFaults(text)).toEqual([]);
});

it('reports what is new and what is gone', () => {
  const known = { __dirname: 'not used', 'new Worker': 'not used' };
  expect(bundleProblems('a', '__dirname; import(b)', known)).toEqual([
    'the bundle of a has import(…), which may not work there',
    'the bundle of a no longer has new Worker',
  ]);
  expect(bundleProblems('a', '__dirname; new Worker(b)', known)).toEqual([]);
});
