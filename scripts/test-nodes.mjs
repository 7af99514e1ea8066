/**
 * `npm run test:nodes`: the TypeScript tests on Node.js 22, 24 and 26, with the build of this checkout.
 * `npm run test:nodes -- 24 26 test/http`: a part of them. Arguments that are majors select versions, all others are
 * passed to vitest. CI runs both lanes on each version.
 */
import { NODE_VERSIONS, nodeProgram } from './node-versions.mjs';
import { setupTypescript } from './setup.mjs';
import { testTypescript } from './test-typescript.mjs';

const args = process.argv.slice(2);
const majorOf = (version) => version.split('.')[0];
const majors = args.filter((arg) => /^\d+$/.test(arg));
const unknown = majors.filter((major) => !NODE_VERSIONS.some((version) => majorOf(version) === major));
if (unknown.length > 0) {
  console.error(`isccd: no test for Node.js ${unknown.join(', ')}; there is ${NODE_VERSIONS.join(', ')}`);
  process.exit(2);
}
const chosen = NODE_VERSIONS.filter((version) => majors.length === 0 || majors.includes(majorOf(version)));
const options = args.filter((arg) => !majors.includes(arg));

setupTypescript();
for (const version of chosen) {
  console.log(`== Node.js ${version}`);
  testTypescript(options, { node: nodeProgram(version) });
}
