/** `npm run check`: lint, format and types of both languages, licences and advisories of dependencies. Changes nothing. */
import { audit } from './audit.mjs';
import { checkCommits } from './commit-message.mjs';
import { bin, root, run } from './lib.mjs';
import { overdueRaces } from './races.mjs';
import { addonProfile, setup } from './setup.mjs';

/** `installTools`: also install tools that take minutes to compile. */
export function check({ installTools = false } = {}) {
  run(bin('biome'), ['check', '--error-on-warnings', '.']);
  run(bin('tsc'), ['-p', 'tsconfig.check.json']);
  run(bin('tsc'), ['-p', 'src/web/tsconfig.json', '--noEmit']);
  run('cargo', ['fmt', '--all', '--check']);
  const clippy = ['clippy', '--workspace', '--all-targets', '--locked', '--quiet', ...addonProfile()];
  run('cargo', [...clippy, '--', '-D', 'warnings']);
  audit({ install: installTools });
  checkCommits();
  const overdue = overdueRaces(root, Date.now());
  if (overdue.length === 0) return;
  console.error(`isccd: races of test/races.md that are older than a week:\n${overdue.join('\n')}`);
  process.exit(1);
}

if (process.argv[1]?.endsWith('check.mjs')) {
  setup();
  check({ installTools: true });
}
