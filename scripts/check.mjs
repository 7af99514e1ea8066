/** `npm run check`: lint, format and types of both languages, licences and advisories of dependencies. Changes nothing. */
import { audit } from './audit.mjs';
import { checkCommits } from './commit-message.mjs';
import { attempt, bin, CARGO_OPTIONS, root, run, tsc } from './lib.mjs';
import { overdueRaces } from './races.mjs';
import { innerProfile, setup } from './setup.mjs';

/** `installTools`: also install tools that take minutes to compile. */
export function check({ installTools = false } = {}) {
  run(bin('biome'), ['check', '--error-on-warnings', '.']);
  tsc('-p', 'tsconfig.check.json');
  tsc('-p', 'src/console/tsconfig.json', '--noEmit');
  run('cargo', ['fmt', '--all', '--check']);
  lintRust();
  audit({ install: installTools });
  checkCommits();
  const overdue = overdueRaces(root, Date.now());
  if (overdue.length === 0) return;
  console.error(`isccd: races of test/races.md that are older than a week:\n${overdue.join('\n')}`);
  process.exit(1);
}

/**
 * Compiles the tests and benches of all crates. Clippy is the compiler, so that the tests run what is checked here and nothing
 * is compiled twice. Cargo repeats the warnings of what it does not compile again.
 */
function lintRust() {
  const options = [
    '--no-run',
    '--workspace',
    '--all-targets',
    ...CARGO_OPTIONS,
    '--quiet',
    ...innerProfile(),
  ];
  const json = ['--message-format=json'];
  const result = attempt('cargo', ['test', ...options, ...json], {
    stdio: ['inherit', 'pipe', 'inherit'],
    maxBuffer: 1 << 30,
  });
  if (result.error) console.error(`isccd: cannot run cargo: ${result.error.message}`);
  const messages = (result.stdout ?? '')
    .split('\n')
    .filter((line) => line.startsWith('{"reason":"compiler-message"'));
  const texts = new Set(messages.map((line) => JSON.parse(line).message.rendered));
  for (const text of texts) console.error(text);
  if (result.status !== 0 || texts.size > 0) process.exit(result.status || 1);
}

if (process.argv[1]?.endsWith('check.mjs')) {
  setup();
  check({ installTools: true });
}
