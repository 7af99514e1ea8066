/** `scripts/pack.mjs` while another one runs in the same checkout. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { wasmProblem } from '../../scripts/build-wasm.mjs';
import { run } from '../support/command.js';
import { ROOT } from './support/dockerfile.js';

const PACK_MS_MAX = 300_000;

it('several packs at the same time each get all packages, and leave nothing in the checkout', {
  timeout: PACK_MS_MAX,
}, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-packs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const targets = ['first', 'second', 'third'].map((name) => path.join(folder, name));
  const script = path.join(ROOT, 'scripts/pack.mjs');
  const ended = await Promise.all(targets.map((target) => run(process.execPath, [script, target])));
  expect(
    ended.map(({ code, stdout, stderr }) => ({ code, output: code === 0 ? '' : stdout + stderr })),
  ).toEqual(targets.map(() => ({ code: 0, output: '' })));
  const [first, ...others] = await Promise.all(targets.map((target) => readdir(target)));
  expect(first?.some((name) => name.startsWith('isccd-client-'))).toBe(true);
  expect(first?.some((name) => name.startsWith('isccd-wasm-'))).toBe(wasmProblem() === undefined);
  for (const names of others) expect(names).toEqual(first);
  expect((await readdir(ROOT)).filter((name) => name.startsWith('.napi-rs'))).toEqual([]);
});
