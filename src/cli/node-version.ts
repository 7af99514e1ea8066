/** Ends the process with one line on a Node.js that is too old. Imported first: other modules do not load there. */
import { nodeTooOld } from '../platform/node-version.js';

const EXIT_CONFIGURATION = 2;

const problem = nodeTooOld();
if (problem !== undefined) {
  process.stderr.write(`isccd: ${problem}\n`);
  process.exit(EXIT_CONFIGURATION);
}
