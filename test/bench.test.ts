/**
 * The benchmarks run in their short form, so that none breaks unnoticed. Times are not judged. Those that compile Rust
 * first run only with `ISCCD_TEST_LONG=1`.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from './support/command.js';

const root = path.resolve(import.meta.dirname, '..');
const files = readdirSync(path.join(root, 'bench')).filter((file) => file.endsWith('.ts'));
const COMPILED = ['kernels', 'addon', 'nearest', 'scale'];
const names = ['kernels', ...files.map((file) => file.replace(/\.ts$/, ''))].filter(
  (name) => process.env.ISCCD_TEST_LONG === '1' || !COMPILED.includes(name),
);
/** Cargo may have to compile a bench on a busy machine. */
const TIMEOUT_MS = 15 * 60_000;

describe('npm run bench', () => {
  it.each(names)(
    'runs %s in its short form',
    async (name) => {
      const args = [path.join(root, 'scripts', 'bench.mjs'), name, '--', '--quick'];
      const { code, stdout, stderr } = await run(process.execPath, args, { cwd: root });
      expect(`${stdout}\n${stderr}`).not.toMatch(/\bNaN\b|undefined|Error:/);
      expect(stdout.split(`== ${name}\n`)[1]?.trim()).toMatch(/\d/);
      expect(code).toBe(0);
    },
    TIMEOUT_MS,
  );
});
