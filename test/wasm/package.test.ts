/** The package `isccd-wasm` as its users get it: in a folder of its own, without a bundler. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { wasmJpegProblem } from '../../scripts/build-wasm.mjs';
import { textCode } from '../../src/library/index.js';
import { run } from '../support/command.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PROGRAM = `
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { loadCodes } from 'isccd-wasm';
const codes = await loadCodes(await readFile(fileURLToPath(import.meta.resolve('isccd-wasm/isccd.wasm'))));
console.log(codes.textCode('Some text').iscc);
`;

it.skipIf(wasmJpegProblem() !== undefined)('is complete: its files are enough for a program', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'isccd-wasm-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const target = path.join(folder, 'node_modules', 'isccd-wasm');
  await mkdir(path.dirname(target));
  const pack = `import { readFileSync } from 'node:fs';
    import { packWasm } from ${JSON.stringify(path.join(ROOT, 'scripts/pack-wasm.mjs'))};
    packWasm(${JSON.stringify(target)}, JSON.parse(readFileSync('package.json', 'utf8')));`;
  const packed = await run(process.execPath, ['--input-type=module', '-e', pack], { cwd: ROOT });
  expect(packed.code, packed.stderr).toBe(0);
  expect(await readdir(target)).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'index.d.ts']));
  await writeFile(path.join(folder, 'program.mjs'), PROGRAM);
  const { stdout, stderr } = await run(process.execPath, ['program.mjs'], { cwd: folder });
  expect(stdout.trim(), stderr).toBe((await textCode('Some text')).iscc);
});
