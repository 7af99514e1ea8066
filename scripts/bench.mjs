/**
 * `npm run bench` lists and runs every benchmark, `npm run bench -- NAME…` the named ones. Arguments after a second `--` go
 * to the benchmark (`npm run bench -- kernels -- --quick minhash`).
 *
 * `kernels` runs the crates' benches; the others are files in `bench/`. Each runs its peers in the same run and prints
 * ratios, because absolute times depend on the machine.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { bin, CARGO_OPTIONS, exists, root, run } from './lib.mjs';
import { setup } from './setup.mjs';

const separator = process.argv.indexOf('--', 2);
const end = separator === -1 ? process.argv.length : separator;
const wanted = process.argv.slice(2, end);
const passed = process.argv.slice(end + 1);

const files = readdirSync(path.join(root, 'bench')).filter((file) => file.endsWith('.ts'));
const benches = new Map([
  ['kernels', () => kernels()],
  ...files.map((file) => [
    file.replace(/\.ts$/, ''),
    () => run(bin('vite-node'), [path.join('bench', file), ...passed]),
  ]),
]);

function kernels() {
  const crates = readdirSync(path.join(root, 'crates')).filter((name) =>
    exists(path.join(root, 'crates', name, 'benches')),
  );
  for (const name of crates)
    run('cargo', ['bench', '--quiet', ...CARGO_OPTIONS, '-p', name, '--benches', '--', ...passed]);
}

const unknown = wanted.filter((name) => !benches.has(name));
console.log(`benchmarks: ${[...benches.keys()].join(', ')}`);
if (unknown.length > 0) {
  console.error(`isccd: unknown benchmark: ${unknown.join(', ')}`);
  process.exit(2);
}
setup();
for (const [name, bench] of benches) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n== ${name}`);
  bench();
}
