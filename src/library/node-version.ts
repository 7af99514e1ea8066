/** Throws on a Node.js that is too old. Imported first: other modules do not load there. */
import { nodeTooOld } from '../platform/node-version.js';

const problem = nodeTooOld();
if (problem !== undefined) throw new Error(`isccd: ${problem}`);
