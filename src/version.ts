/** Name and version of this program, as results and answers carry them. */
import { createRequire } from 'node:module';

const manifest = createRequire(import.meta.url)('../package.json') as { version: string };

export const version: string = manifest.version;

/** The `generator` of an ISCC result (decision D-16). */
export const generator = `isccd - v${version}`;
