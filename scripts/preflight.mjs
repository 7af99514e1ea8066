/** Checks the tools that a build needs, all at once and before anything is installed. */
import { attempt, onPath } from './lib.mjs';

const NODE_MIN = 20;
const RUST_MIN = [1, 95];

/** Tools that compile the addon: [executables of which one is enough, Debian package, purpose]. */
const COMPILERS = [
  [['cc', 'gcc', 'clang', 'cl'], 'build-essential', 'a C compiler'],
  [['c++', 'g++', 'clang++', 'cl'], 'build-essential', 'a C++ compiler'],
  [['cmake'], 'cmake', 'cmake'],
];

/**
 * One line per problem: what is missing and how to install it. Empty if the build can start.
 *
 * @param {{ compile: boolean, unreachable?: string }} needs whether the addon is compiled, and why the network does not work
 */
export function missingTools({ compile, unreachable }) {
  const problems = [];
  const [node] = process.versions.node.split('.').map(Number);
  if (node < NODE_MIN) problems.push(`Node.js ${NODE_MIN} or newer is needed; this is ${process.version}`);
  if (unreachable !== undefined)
    problems.push(
      `the npm registry is unreachable (${unreachable}): check the network, and \`npm config get registry\``,
    );
  if (!compile) return problems;
  problems.push(...rustProblems());
  for (const [names, debianPackage, purpose] of COMPILERS) {
    if (!(isFoundElsewhere(purpose) || names.some(onPath)))
      problems.push(`${purpose} is missing; on Debian: apt-get install -y ${debianPackage}`);
  }
  return problems;
}

/** On Windows, Visual Studio's compilers are not on the PATH, and the build finds them by itself. */
function isFoundElsewhere(purpose) {
  return process.platform === 'win32' && purpose !== 'cmake';
}

function rustProblems() {
  const wanted = RUST_MIN.join('.');
  if (!onPath('cargo'))
    return [`Rust ${wanted} or newer is missing: there is no cargo on the PATH; install it with rustup`];
  const version = /^cargo (\d+)\.(\d+)/.exec(attempt('cargo', ['--version']).stdout ?? '');
  if (version === null) return ['cargo does not run: `cargo --version` failed'];
  const [major, minor] = version.slice(1).map(Number);
  const isOld = major < RUST_MIN[0] || (major === RUST_MIN[0] && minor < RUST_MIN[1]);
  return isOld ? [`Rust ${wanted} or newer is needed; this is ${major}.${minor}: rustup update stable`] : [];
}

/** Ends the process with status 2 and one line per missing tool. */
export function preflight(options) {
  const problems = missingTools(options);
  if (problems.length === 0) return;
  for (const problem of problems) console.error(`isccd: ${problem}`);
  process.exit(2);
}
