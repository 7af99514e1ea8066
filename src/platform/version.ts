/** Name and version of this program, as in results and responses. */
import { createRequire } from 'node:module';

const manifest = createRequire(import.meta.url)('../../package.json') as { version: string };

export const version: string = manifest.version;

/** The `generator` of an ISCC result (decision D-16). */
export const generator = `isccd - v${version}`;
