/** Runs every code block of the documentation, in page order, with the built program. */
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { type Block, pages, ROOT } from './support/page.js';
import { PAGE_MS_MAX, runPage, type Step } from './support/session.js';

/** Languages whose blocks are only parsed. */
const PARSED = ['json', 'yaml', 'nginx', 'ini', 'text', 'mermaid', 'powershell', 'python'];
const RUN = ['sh', 'console', 'ts'];
const TYPES_MS_MAX = 120_000;

const all = pages();
const runs = ({ language, notRun }: Block) => RUN.includes(language) && notRun === undefined;

describe('code blocks', () => {
  it.each(all)('in $file name a known language', ({ blocks }) => {
    const unknown = blocks.filter(({ language }) => ![...RUN, ...PARSED].includes(language));
    expect(unknown.map(({ line, language }) => ({ line, language }))).toEqual([]);
  });

  it.each(all)('in $file parse', ({ blocks }) => {
    for (const { language, text } of blocks) {
      if (language === 'json' && !text.includes('…')) JSON.parse(text);
      if (language === 'yaml') parseYaml(text);
      if (language === 'nginx') expect(openBraces(text)).toBe(0);
    }
  });
});

describe('TypeScript blocks', () => {
  it('type-check in strict mode', { timeout: TYPES_MS_MAX }, () => {
    const sources = new Map(
      all.flatMap(({ file, blocks }) =>
        blocks
          .filter(({ language }) => language === 'ts')
          .map(({ text, line }) => [
            path.join(ROOT, 'test/docs', `${file.replaceAll('/', '-')}-${line}.ts`),
            text,
          ]),
      ) as [string, string][],
    );
    expect(sources.size).toBeGreaterThan(2);
    expect(typeErrors(sources)).toEqual([]);
  });
});

describe.concurrent('a reader can follow', () => {
  it.each(all.filter(({ blocks }) => blocks.some(runs)))(
    '$file',
    { timeout: PAGE_MS_MAX + 10_000 },
    async (page) => {
      const { steps, exitCode } = await runPage(page);
      expect(steps.map(shown)).toEqual(steps.map(wanted));
      expect(exitCode).toBe(0);
    },
  );
});

/** The actual output of a step, or the page's text where the two match. */
function shown(step: Step): string {
  return matches(step)
    ? wanted(step)
    : `line ${step.line}: ${step.command}\n${step.printed ?? '(not reached)'}`;
}

function wanted({ line, command, expected }: Step): string {
  return `line ${line}: ${command}\n${expected ?? '(anything)'}`;
}

function matches({ expected, printed }: Step): boolean {
  if (printed === undefined) return false;
  if (expected === undefined) return true;
  // A line of `…` stands for any number of lines, or none.
  const text = expected.trim().replace(/^…\n/gm, '…');
  const pattern = text.split('…').map(escaped).join('[\\s\\S]*?');
  return new RegExp(`^${pattern}$`).test(printed.trim());
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function openBraces(text: string): number {
  const code = text.replace(/#.*$/gm, '');
  return code.split('{').length - code.split('}').length;
}

/** Type-checks in-memory sources as a program with `isccd` installed would see them. */
function typeErrors(sources: ReadonlyMap<string, string>): string[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    types: ['node'],
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
    // The package of its own that `scripts/pack-wasm.mjs` makes.
    paths: { 'isccd-wasm': [path.join(ROOT, 'dist/wasm/index.d.ts')] },
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => sources.has(file) || fileExists(file);
  host.readFile = (file) => sources.get(file) ?? readFile(file);
  host.getSourceFile = (file, target, ...rest) => {
    const text = sources.get(file);
    return text === undefined
      ? getSourceFile(file, target, ...rest)
      : ts.createSourceFile(file, text, target, true);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    return `${path.basename(file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
