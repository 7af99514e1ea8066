/** Checks that links in the documentation resolve. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/page.js';

const TOP = [
  'README.md',
  'ARCHITECTURE.md',
  'STYLE.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'llms.txt',
];
const inDocs = readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
const files = [
  ...TOP.filter((file) => existsSync(path.join(ROOT, file))),
  ...inDocs.map((name) => `docs/${name}`),
].filter((file) => /\.(md|txt)$/.test(file));

const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

describe('links', () => {
  it.each(files)('in %s resolve', (file) => {
    const broken = linksOf(read(file)).filter((link) => !leads(file, link));
    expect(broken).toEqual([]);
  });
});

describe('every page', () => {
  const pages = inDocs.filter((name) => name.endsWith('.md') && name !== 'README.md');

  it('is listed in docs/README.md', () => {
    const index = linksOf(read('docs/README.md'));
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.filter((page) => !index.includes(page))).toEqual([]);
  });

  it('is listed in llms.txt', () => {
    const index = linksOf(read('llms.txt'));
    expect(pages.filter((page) => !index.includes(`docs/${page}`))).toEqual([]);
  });
});

/** Targets of Markdown links outside code, without links to other hosts. */
function linksOf(text: string): string[] {
  const prose = text.replace(/^ *```[\s\S]*?^ *```$/gm, '').replace(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => String(target));
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

function leads(from: string, link: string): boolean {
  const [target = '', anchor] = link.split('#', 2);
  const file = target === '' ? from : path.posix.join(path.posix.dirname(from), target);
  if (!existsSync(path.join(ROOT, file))) return false;
  return anchor === undefined || anchors(read(file)).includes(anchor);
}

/** Heading anchors as code hosts generate them. */
function anchors(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => String(heading));
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
