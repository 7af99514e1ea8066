/**
 * The package `isccd-client`: the typed clients in one file, for those who need no server. It has no dependencies: they are
 * bundled, with their licences. A second file has the same clients on `fetch`, without modules of Node.js.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bin, root, run } from './lib.mjs';

/** Of undici's types, the clients' declarations name only this one. */
const DISPATCHER = 'export interface Dispatcher { dispatch(options: object, handler: object): boolean }\n';
const WEB = { types: './web/index.d.ts', default: './web/index.js' };
const BUNDLED = ['undici', 'eventsource-parser'];
/** Bundled CommonJS modules call `require` for Node's own modules. */
const BANNER = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";

const README = `# isccd-client

Typed clients of [isccd](https://github.com/isccd/isccd): ISCC codes, similarity search, C2PA manifests and their
resolver. No dependencies.

\`\`\`ts
import { CodesClient } from 'isccd-client';

const { iscc } = await new CodesClient('http://127.0.0.1:8000').createIscc('photo.jpg');
\`\`\`

Bundlers for browsers take the form that needs only \`fetch\`, whose uploads are a \`File\`, a \`Blob\` or bytes. Elsewhere it
is \`isccd-client/web\`, for example for Deno, Bun and workers at the edge.
`;

/** Writes the package into `folder`, which it creates. */
export function packClient(folder, { version, license, repository, homepage, bugs, engines }) {
  const built = path.join(root, 'dist', 'client');
  mkdirSync(path.join(folder, 'openapi'), { recursive: true });
  const options = [path.join(built, 'index.js'), '--bundle', '--minify', '--format=esm', '--log-level=error'];
  run(bin('esbuild'), [
    ...[...options, '--platform=node', '--target=node20', `--banner:js=${BANNER}`],
    `--outfile=${path.join(folder, 'index.js')}`,
  ]);
  // The member `browser` of package.json replaces the platform.
  run(bin('esbuild'), [
    ...[...options, '--platform=browser', '--target=es2022'],
    `--outfile=${path.join(folder, 'web', 'index.js')}`,
  ]);
  for (const name of readdirSync(built, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts') || name === 'platform-web.d.ts') continue;
    const text = readFileSync(path.join(built, name), 'utf8');
    const forWeb =
      name === 'platform.d.ts' ? readFileSync(path.join(built, 'platform-web.d.ts'), 'utf8') : text;
    write(path.join(folder, name), text.replace("'undici'", "'./dispatcher.js'"));
    write(path.join(folder, 'web', name), forWeb);
  }
  write(path.join(folder, 'dispatcher.d.ts'), DISPATCHER);
  writeFileSync(path.join(folder, 'README.md'), README);
  cpSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  for (const name of BUNDLED)
    cpSync(path.join(root, 'node_modules', name, 'LICENSE'), path.join(folder, `LICENSE-${name}`));
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
    exports: {
      '.': { browser: WEB, types: './index.d.ts', default: './index.js' },
      './web': WEB,
    },
  };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return folder;
}

function write(file, text) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
