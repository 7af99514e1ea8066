/** Checks the structure of the code: where things are, which imports are allowed, and how long files and functions get. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { circlesOf } from './support/circles.js';

const root = fileURLToPath(new URL('..', import.meta.url));

const LINES_MAX = 500;
const LINES_MEDIAN = 120;
const FUNCTION_LINES_MAX = 70;

/** Folders of `src/services`. They share ports and layers, never code of each other. */
const ROOMS = ['codes', 'search', 'store', 'resolver', 'dashboard'];

/** Every entry of `src`, from the lowest: each imports itself and what is below it. */
const FLOORS = [
  'client',
  'platform',
  'native.ts',
  'iscc',
  'storage',
  'http',
  'content',
  'c2pa',
  'network',
  'services',
  'compose',
  'library',
  'cli',
];
/** Packages of the clients that need nothing of Node.js. */
const FOR_BROWSERS = new Set(['eventsource-parser']);
/** Run in browsers and import nothing else. */
const CONSOLE = 'console';
const WASM = 'wasm';
/** Entries of `src` whose folders are rooms of their own. */
const HOUSES = ['platform', 'storage', 'services'];

const files = (folder: string, pattern: RegExp) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')))
    .filter(
      (name) => pattern.test(name) && !/(^|\/)(node_modules|target|dist|fixtures|\.tmp|\.peers)\//.test(name),
    );
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

const sources = files('src', /\.ts$/);
const imports = new Map(sources.map((file) => [file, importsOf(file)]));

describe('rooms', () => {
  it('never import each other', () => {
    const crossings = violations((file, target) => {
      const [from, to] = [roomOf(file), roomOf(target)];
      return from !== undefined && to !== undefined && from !== to;
    });
    expect(crossings).toEqual([]);
  });

  it('import no transport', () => {
    const transports = /^src\/http\/transport\/|^uWebSockets\.js|^node:https?$/;
    expect(violations((file, target) => roomOf(file) !== undefined && transports.test(target))).toEqual([]);
  });
});

describe('floors', () => {
  it('are all that src has', () => {
    expect(readdirSync(path.join(root, 'src')).sort()).toEqual([...FLOORS, CONSOLE, WASM].sort());
  });

  it('are imported from above only', () => {
    const floorOf = (file: string) => FLOORS.indexOf(file.split('/')[1] ?? '');
    const isInside = (file: string) =>
      file.startsWith('src/') && ![CONSOLE, WASM].includes(file.split('/')[1] ?? '');
    expect(
      violations(
        (file, target) => isInside(file) && isInside(target) && floorOf(file) < floorOf(sourceOf(target)),
      ),
    ).toEqual([]);
  });

  it('have rooms that form no circle', () => {
    const graph = new Map<string, string[]>();
    for (const [file, targets] of imports) {
      const room = placeOf(file);
      const others = targets
        .map(sourceOf)
        .filter((target) => target.startsWith('src/'))
        .map(placeOf);
      graph.set(room, [...(graph.get(room) ?? []), ...others.filter((other) => other !== room)]);
    }
    expect(circlesOf(graph)).toEqual([]);
  });
});

describe('folders', () => {
  it('of a room form no circle, types included', () => {
    const graph = new Map<string, string[]>();
    for (const [file, targets] of imports) {
      const folder = folderOf(file);
      if (folder === undefined) continue;
      const others = targets
        .map((target) => folderOf(sourceOf(target)))
        .filter(
          (other) => other !== undefined && other !== folder && path.dirname(other) === path.dirname(folder),
        );
      graph.set(folder, [...(graph.get(folder) ?? []), ...(others as string[])]);
    }
    expect(graph.size).toBeGreaterThan(20);
    expect(circlesOf(graph)).toEqual([]);
  });
});

describe('modules', () => {
  it('form no circle, types included', () => {
    const graph = new Map(sources.map((file) => [file, (imports.get(file) ?? []).map(sourceOf)]));
    expect(circlesOf(graph)).toEqual([]);
  });
});

describe('src/client', () => {
  it('imports nothing outside itself, so that it needs no addon', () => {
    const outside = (file: string, target: string) =>
      file.startsWith('src/client/') && target.startsWith('src/') && !target.startsWith('src/client/');
    expect(violations(outside)).toEqual([]);
  });

  it('uses no file system and no other module of Node.js, except in the platform that browsers replace', () => {
    const isForAll = (target: string) => target.startsWith('src/') || FOR_BROWSERS.has(target);
    const users = violations((file, target) => file.startsWith('src/client/') && !isForAll(target));
    const files = users.map((user) => user.split(' ')[0]).filter((file) => file !== undefined);
    expect([...new Set(files)]).toEqual(['src/client/platform.ts']);
  });
});

describe('src/compose', () => {
  it('does not import src/cli', () => {
    expect(
      violations((file, target) => file.startsWith('src/compose/') && /^src\/cli\//.test(target)),
    ).toEqual([]);
  });

  it('is imported only by src/cli and src/library/index.ts', () => {
    const outside = (file: string) => !/^src\/(compose|cli)\/|^src\/library\/index\.ts$/.test(file);
    expect(violations((file, target) => outside(file) && target.startsWith('src/compose/'))).toEqual([]);
  });
});

describe('doors', () => {
  it('src/native.ts is the only importer of the addon', () => {
    const addon = /(^|\/)native\/index|\.node$|^@isccd\/native/;
    expect(violations((file, target) => file !== 'src/native.ts' && addon.test(target))).toEqual([]);
  });

  it('src/platform/config is the only reader of the environment', () => {
    const readers = sources.filter((file) =>
      /\bprocess\s*\.\s*env\b|\bprocess\s*\[\s*['"]env/.test(withoutComments(file)),
    );
    expect(readers.filter((file) => !file.startsWith('src/platform/config/'))).toEqual([]);
  });

  it('only src/http/transport/uws-binding.ts names uWebSockets.js as a module', () => {
    const naming = sources.filter((file) => /['"`]uWebSockets\.js['"`/-]/.test(withoutComments(file)));
    expect(naming).toEqual(['src/http/transport/uws-binding.ts']);
  });
});

describe('files', () => {
  const written = [
    // These are generated from the OpenAPI documents.
    ...sources.filter((file) => !file.startsWith('src/client/openapi/')),
    ...files('test', /\.ts$/),
    ...files('bench', /\.(ts|mjs)$/),
    ...files('scripts', /\.mjs$/),
    ...files('crates', /\.rs$/),
  ];
  const lengths = written.map((file) => ({ file, lines: read(file).split('\n').length - 1 }));

  it(`have at most ${LINES_MAX} lines`, () => {
    expect(lengths.filter(({ lines }) => lines > LINES_MAX)).toEqual([]);
  });

  it(`have a median of at most ${LINES_MEDIAN} lines`, () => {
    const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b);
    expect(sorted[sorted.length >> 1]).toBeLessThanOrEqual(LINES_MEDIAN);
  });
});

describe('functions', () => {
  it(`have at most ${FUNCTION_LINES_MAX} lines`, () => {
    expect(sources.flatMap(longFunctions)).toEqual([]);
  });
});

describe('the map', () => {
  const map = read('ARCHITECTURE.md');
  const linked = [...map.matchAll(/\]\(((?:src|crates)\/[\w.-]+)\)/g)].map(([, target]) => String(target));

  it.each(['src', 'crates'])('of ARCHITECTURE.md lists every entry of %s and no other', (folder) => {
    const entries = readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`);
    const listed = linked.filter((target) => target.startsWith(`${folder}/`));
    expect([...new Set(listed)].sort()).toEqual(entries.sort());
  });

  it('is extended by docs/design, whose every page is named in a module header', () => {
    const headers = [...sources, ...files('crates', /\.rs$/)]
      .map((file) => read(file).slice(0, 1500))
      .join('\n');
    const unnamed = files('docs/design', /\.md$/).filter((page) => !headers.includes(page));
    expect(unnamed).toEqual([]);
  });

  it('links to every page of docs/design', () => {
    const missing = files('docs/design', /\.md$/).filter((page) => !map.includes(`](${page})`));
    expect(missing).toEqual([]);
  });
});

describe('plain English', () => {
  /** Phrases that misled readers, see STYLE.md. */
  const BANNED =
    /\b(?:who(?:m|so)?ever|nobody|somebody|anew|lest|(?:is|are|was|were) none|what is no|(?:is|are|was|were|be|been|being) told|of nothing)\b/i;
  /** STYLE.md quotes the phrases, fixtures and generated files are not ours to word. */
  const EXEMPT = /^(?:STYLE\.md|test\/tidy\.test\.ts|src\/client\/openapi\/.*)$/;
  /** The system user that runs PostgreSQL in the tests. */
  const SYSTEM_USER = /'nobody'/g;

  const texts = [
    ...['src', 'crates', 'test', 'bench', 'docs', 'ops', 'scripts'].flatMap((folder) =>
      files(folder, /\.(?:ts|rs|mjs|md|html|css|sh|toml|yaml|yml|template)$/),
    ),
    ...readdirSync(root).filter((name) => /\.(?:md|txt|toml|yaml)$/.test(name)),
  ].filter((file) => !EXEMPT.test(file));

  it('uses none of the phrases that misled readers', () => {
    const found = texts.flatMap((file) =>
      read(file)
        .replace(SYSTEM_USER, '')
        .split('\n')
        .flatMap((line, at) => {
          const phrase = BANNED.exec(line)?.[0];
          return phrase === undefined ? [] : [`${file}:${at + 1} "${phrase}"`];
        }),
    );
    expect(found).toEqual([]);
    expect(texts.length).toBeGreaterThan(700);
  });
});

/** `file -> target` for every import that breaks a rule. */
function violations(breaks: (file: string, target: string) => boolean): string[] {
  return [...imports].flatMap(([file, targets]) =>
    targets.filter((target) => breaks(file, target)).map((target) => `${file} -> ${target}`),
  );
}

/** The targets of a file's imports: paths from the root for relative imports, names for packages. */
function importsOf(file: string): string[] {
  const { importedFiles } = ts.preProcessFile(read(file), true, true);
  return importedFiles.map(({ fileName }) =>
    fileName.startsWith('.') ? path.posix.join(path.posix.dirname(file), fileName) : fileName,
  );
}

/** The file that an import path such as `src/a.js` means. */
function sourceOf(target: string): string {
  return target.replace(/\.js$/, '.ts');
}

function roomOf(file: string): string | undefined {
  return ROOMS.find((room) => file.startsWith(`src/services/${room}/`));
}

/** The entry of `src` that a file is in, or its room in a house. */
function placeOf(file: string): string {
  const [, entry = '', room = ''] = file.split('/');
  return HOUSES.includes(entry) ? `${entry}/${room}` : entry;
}

/** The folder that a file of a room is in, below the room. */
function folderOf(file: string): string | undefined {
  const [room, ...inside] = file.slice(`src/${placeOf(file)}/`.length).split('/');
  return file.startsWith('src/') && inside.length > 0 ? `src/${placeOf(file)}/${room}` : undefined;
}

function withoutComments(file: string): string {
  return read(file).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

function longFunctions(file: string): string[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const long: string[] = [];
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node) => {
    if (ts.isFunctionLike(node)) {
      const lines = lineOf(node.end) - lineOf(node.getStart(source)) + 1;
      if (lines > FUNCTION_LINES_MAX)
        long.push(`${file}:${lineOf(node.getStart(source)) + 1} has ${lines} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return long;
}
