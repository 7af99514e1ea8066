/**
 * The package `isccd-client`: the typed clients in one file, for those who need no server. It has no dependencies: undici is
 * bundled, with its licence.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bin, root, run } from './lib.mjs';

/** Of undici's types, the clients' declarations name only this one. */
const DISPATCHER = 'export interface Dispatcher { dispatch(options: object, handler: object): boolean }\n';
/** Bundled CommonJS modules call `require` for Node's own modules. */
const BANNER = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";

const README = `# isccd-client

Typed clients of [isccd](https://github.com/isccd/isccd): ISCC codes, similarity search, C2PA manifests and their
resolver. No dependencies.

\`\`\`ts
import { CodesClient } from 'isccd-client';

const { iscc } = await new CodesClient('http://127.0.0.1:8000').createIscc('photo.jpg');
\`\`\`
`;

/** Writes the package into `folder`, which it creates. */
export function packClient(folder, { version, license, repository, homepage, bugs, engines }) {
  const built = path.join(root, 'dist', 'client');
  mkdirSync(path.join(folder, 'openapi'), { recursive: true });
  const entry = path.join(built, 'index.js');
  const options = ['--bundle', '--minify', '--platform=node', '--format=esm', '--target=node20'];
  run(bin('esbuild'), [
    ...[entry, ...options, '--log-level=error', `--banner:js=${BANNER}`],
    `--outfile=${path.join(folder, 'index.js')}`,
  ]);
  for (const name of readdirSync(built, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const text = readFileSync(path.join(built, name), 'utf8').replace("'undici'", "'./dispatcher.js'");
    writeFileSync(path.join(folder, name), text);
  }
  writeFileSync(path.join(folder, 'dispatcher.d.ts'), DISPATCHER);
  writeFileSync(path.join(folder, 'README.md'), README);
  cpSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  cpSync(path.join(root, 'node_modules', 'undici', 'LICENSE'), path.join(folder, 'LICENSE-undici'));
  const manifest = {
    name: 'isccd-client',
    version,
    description: 'Typed clients of the isccd services',
    license,
    type: 'module',
    engines,
    repository,
    homepage,
    bugs,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
  };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return folder;
}
