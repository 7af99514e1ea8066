/** `npm run check`: lint, format and types of both languages, and what is known of the packages in use. Changes nothing. */
import { audit } from './audit.mjs';
import { run } from './lib.mjs';
import { asTheAddon, bin, setup } from './setup.mjs';

/** `installTools`: also fetch the tools of the checks that take minutes to compile. */
export function check({ installTools = false } = {}) {
  run(bin('biome'), ['check', '--error-on-warnings', '.']);
  run(bin('tsc'), ['-p', 'tsconfig.check.json']);
  run(bin('tsc'), ['-p', 'src/web/tsconfig.json', '--noEmit']);
  run('cargo', ['fmt', '--all', '--check']);
  const clippy = ['clippy', '--workspace', '--all-targets', '--locked', '--quiet', ...asTheAddon()];
  run('cargo', [...clippy, '--', '-D', 'warnings']);
  audit({ install: installTools });
}

if (process.argv[1]?.endsWith('check.mjs')) {
  setup();
  check({ installTools: true });
}
