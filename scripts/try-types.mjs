/** Compiles the TypeScript examples of the documentation against an installed package, as the users of a package do. */
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { attempt, root, TSC, TSC_5 } from './lib.mjs';

/** Values of `module` and `moduleResolution`. */
const MODES = [
  ['nodenext', 'nodenext'],
  ['node16', 'node16'],
  ['preserve', 'bundler'],
];

/** The compiler must reject each of them: otherwise types are missing, and everything is accepted silently. */
const WRONG = `import { codeFile, explain, metaCode } from 'isccd';
import { CodesClient } from 'isccd/client';

// @ts-expect-error explain returns an object
export const number: number = explain('ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2');
// @ts-expect-error the name of the property is wrong
await metaCode({ nme: 5 });
// @ts-expect-error a file is a path
await codeFile(1);
// @ts-expect-error the result has no such property
export const missing = (await codeFile('a.jpg')).isc;
// @ts-expect-error an address is text
new CodesClient(8000);
`;

/**
 * Returns the messages of the compiler, in a list.
 *
 * @param {{ folder: string, modules: string }} options `folder` is created; `modules` is a \`node_modules\` with isccd
 */
export function typeProblems({ folder, modules }) {
  mkdirSync(folder);
  symlinkSync(modules, path.join(folder, 'node_modules'), 'junction');
  writeFileSync(path.join(folder, 'package.json'), '{"private":true,"type":"module"}\n');
  writeFileSync(path.join(folder, 'wrong.ts'), WRONG);
  const examples = pages().flatMap(examplesOf);
  for (const [at, text] of examples.entries()) writeFileSync(path.join(folder, `example-${at}.ts`), text);
  const problems = examples.length < 3 ? ['the documentation has no examples'] : [];
  for (const [module, moduleResolution] of MODES) {
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2023',
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      moduleDetection: 'force',
      types: ['node'],
      typeRoots: [path.join(root, 'node_modules', '@types')],
    };
    const project = path.join(folder, 'tsconfig.json');
    writeFileSync(project, JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    for (const compiler of [TSC, TSC_5]) {
      const { status, stdout } = attempt(process.execPath, [compiler, '--project', project], { cwd: folder });
      if (status !== 0)
        problems.push(`with ${moduleResolution}, ${path.relative(root, compiler)}:\n${stdout}`);
    }
  }
  rmSync(path.join(folder, 'node_modules'), { force: true });
  return problems;
}

function pages() {
  const docs = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  return ['README.md', ...docs.filter((name) => name.endsWith('.md')).map((name) => path.join('docs', name))];
}

/** The blocks of a page that import isccd. */
function examplesOf(page) {
  const text = readFileSync(path.join(root, page), 'utf8');
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)]
    .map(([, block]) => block)
    .filter((block) => /from 'isccd(?:\/client)?'/.test(block));
}
