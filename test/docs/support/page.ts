/**
 * Splits a page of documentation into its code blocks.
 *
 * `sh` blocks run. `console` blocks run and their output is compared (`…` matches anything). `ts` blocks are compiled and
 * run. The blocks of a page run in order and share a folder. The comment `<!-- not run in the tests: reason -->` before a
 * block keeps it from running; readers of the rendered page do not see it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../../..');

export interface Block {
  readonly language: string;
  readonly text: string;
  /** Line number of the fence, from 1. */
  readonly line: number;
  /** Why the test does not run it. */
  readonly notRun: string | undefined;
}

export interface Page {
  /** Path from the repository root. */
  readonly file: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

const NOT_RUN = /^<!-- not run in the tests: (.+?) -->$/;

/** Every page of `docs`, plus the README. */
export function pages(): Page[] {
  const names = readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.md')).map((name) => path.posix.join('docs', name));
  return ['README.md', ...files.sort()].map((file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    return { file, text, blocks: blocksOf(text) };
  });
}

function blocksOf(text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^( *)```(\w*)/.exec(lines[at] ?? '');
    if (fence === null) continue;
    const [, indent = '', language = ''] = fence;
    const end = lines.indexOf(`${indent}\`\`\``, at + 1);
    if (end < 0) throw new Error(`line ${at + 1}: the block is not closed`);
    const inner = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    blocks.push({ language, text: inner.join('\n'), line: at + 1, notRun: reasonBefore(lines, at) });
    at = end;
  }
  return blocks;
}

/** The reason in the last non-empty line before the block, if that is a marker. */
function reasonBefore(lines: readonly string[], at: number): string | undefined {
  const before = lines.slice(0, at).filter((line) => line.trim() !== '');
  return NOT_RUN.exec(before.at(-1)?.trim() ?? '')?.[1];
}
