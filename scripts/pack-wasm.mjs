/** The package `isccd-wasm`: codes in browsers and other engines without the addon. It has no dependencies. */
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildWasm, WASM, wasmJpegProblem } from './build-wasm.mjs';
import { root } from './lib.mjs';

const README = `# isccd-wasm

ISCC codes (ISO 24138) in browsers, workers, Deno, Bun and Node.js: of files that stay where they are. Same units as
[isccd](https://github.com/isccd/isccd) computes.

\`\`\`ts
import { loadCodes } from 'isccd-wasm';

const codes = await loadCodes(fetch(new URL('isccd-wasm/isccd.wasm', import.meta.url)));
const hasher = codes.sumHasher();
for await (const piece of file.stream()) hasher.update(piece);
const { iscc, datahash } = hasher.finish();
const { unit } = codes.pictureFile(new Uint8Array(await file.arrayBuffer()));
\`\`\`

\`loadCodes\` takes a \`Response\`, bytes or a \`WebAssembly.Module\`, which can be posted to workers. Calls run in the calling
thread: use a worker in pages. A page with a Content-Security-Policy needs \`'wasm-unsafe-eval'\` in \`script-src\`.

- Texts and documents: plain text, HTML, XML, RTF, EPUB, Word, Excel, PowerPoint, OpenDocument. Not PDF.
- Pictures: JPEG, PNG, GIF, WebP, BMP, TIFF, PSD.
- SVG, PDF, sound and film throw an error with the code \`NO_DECODER\`: only the service decodes these exactly.
- Meta-, Text-, Image-, Audio-, Video-, Mixed-, Data- and Instance-Codes of prepared input, ISCC-CODEs, simprints, and the
  codec: explain, decode, normalise, compare.

It needs SIMD128: Chromium 91, Firefox 89, Safari 16.4, Node.js 20.
`;

/** Writes the package into `folder`, which it creates; `undefined` if this machine cannot build the module, with JPEG. */
export function packWasm(folder, { version, license, repository, homepage, bugs }) {
  buildWasm();
  if (wasmJpegProblem() !== undefined) return undefined;
  mkdirSync(folder, { recursive: true });
  const built = path.join(root, 'dist', 'wasm');
  for (const name of readdirSync(built)) cpSync(path.join(built, name), path.join(folder, name));
  cpSync(WASM, path.join(folder, 'isccd.wasm'));
  cpSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'));
  writeFileSync(path.join(folder, 'README.md'), README);
  const manifest = {
    name: 'isccd-wasm',
    version,
    description: 'ISCC codes in browsers, workers, Deno, Bun and Node.js',
    license,
    type: 'module',
    sideEffects: false,
    repository,
    homepage,
    bugs,
    exports: {
      '.': { types: './index.d.ts', default: './index.js' },
      './isccd.wasm': './isccd.wasm',
    },
  };
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return folder;
}
