/** `npm run check`: lint, format and types of both languages. Changes nothing. */
import { run } from './lib.mjs';
import { bin, setup } from './setup.mjs';

export function check() {
  run(bin('biome'), ['check', '--error-on-warnings', '.']);
  run(bin('tsc'), ['-p', 'tsconfig.check.json']);
  run(bin('tsc'), ['-p', 'src/web/tsconfig.json', '--noEmit']);
  run('cargo', ['fmt', '--all', '--check']);
  run('cargo', ['clippy', '--workspace', '--all-targets', '--locked', '--quiet', '--', '-D', 'warnings']);
}

if (process.argv[1]?.endsWith('check.mjs')) {
  setup();
  check();
}
