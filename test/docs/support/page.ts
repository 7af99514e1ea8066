/**
 * A page of documentation as its blocks of code.
 *
 * `sh` is run, `console` is run and what it prints is compared (`…` stands for anything), `ts` is compiled and run. Blocks of
 * one page share a folder, in their order. A line before the block that begins with "Not run in the tests:" and says
 * why keeps a block from running.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../../..');

export interface Block {
  readonly language: string;
  readonly text: string;
  /** Of the fence, from 1. */
  readonly line: number;
  /** Why it is not run. */
  readonly notRun: string | undefined;
}

export interface Page {
  /** From the root of the repository. */
  readonly file: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

const NOT_RUN = /^[_*(]*Not run in the tests: (.+?)[_*)]*$/;

/** Every page of `docs`, and the README. */
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
    if (end < 0) throw new Error(`line ${at + 1}: the block has no end`);
    const inner = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    blocks.push({ language, text: inner.join('\n'), line: at + 1, notRun: reasonBefore(lines, at) });
    at = end;
  }
  return blocks;
}

/** The last line with text before the block. */
function reasonBefore(lines: readonly string[], at: number): string | undefined {
  const before = lines.slice(0, at).filter((line) => line.trim() !== '');
  return NOT_RUN.exec(before.at(-1)?.trim() ?? '')?.[1];
}
