/**
 * The documentation site: `npm run docs:site` builds it from the pages in `docs`. It loads nothing from other hosts. Each
 * version has a folder of its own; `DOCS_VERSION` and `DOCS_BASE` come from `scripts/docs-site.mjs`.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type DefaultTheme, defineConfig, type MarkdownOptions } from 'vitepress';

const root = path.resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const repository = manifest.homepage.replace(/#.*$/, '');
const base = process.env.DOCS_BASE ?? '/';

/** The sidebar has the sections and links of `docs/README.md`, so that there is one list of pages. */
function sidebar(): DefaultTheme.SidebarItem[] {
  const text = readFileSync(path.join(root, 'docs', 'README.md'), 'utf8');
  const sections = text.split(/^## /m).slice(1);
  return sections.flatMap((section) => {
    const items = [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\.md\)/gm)].map(([, name = '', link = '']) => ({
      text: name,
      link: `/${link}`,
    }));
    const [title = ''] = section.split('\n');
    return items.length === 0 ? [] : [{ text: title, items, collapsed: false }];
  });
}

type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0];

/** Links out of `docs` point to the repository. */
function linksToRepository(markdown: MarkdownIt): void {
  markdown.core.ruler.push('links-to-repository', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet('href');
      if (token.type !== 'link_open' || href === null || /^[a-z]+:|^#/.test(href)) continue;
      const folder = path.dirname(path.join('docs', env.relativePath));
      const target = path.posix.join(folder, href);
      if (!target.startsWith('docs/')) token.attrSet('href', `${repository}/blob/main/${target}`);
    }
  });
}

export default defineConfig({
  base,
  title: 'isccd',
  description: manifest.description,
  lang: 'en-GB',
  outDir: process.env.DOCS_OUT,
  cacheDir: path.join(root, '.setup', 'docs-site'),
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: false,
  metaChunk: true,
  head: [['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }]],
  markdown: { config: linksToRepository, theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } },
  vite: {
    define: { __DOCS_VERSION__: JSON.stringify(process.env.DOCS_VERSION ?? 'next') },
    publicDir: path.join(root, 'docs', '.vitepress', 'public'),
    build: { chunkSizeWarningLimit: 2000 },
    server: { fs: { allow: [root] } },
  },
  // Tables of the reference need the width.
  transformPageData: ({ relativePath }) =>
    relativePath.startsWith('reference/') ? { frontmatter: { aside: false } } : undefined,
  themeConfig: {
    logo: '/icon.svg',
    search: { provider: 'local' },
    sidebar: sidebar(),
    outline: 'deep',
    nav: [
      { text: 'Install', link: '/install' },
      { text: 'Tutorial', link: '/tutorial/first-resolved-manifest' },
      { text: 'API', link: '/reference/api/codes' },
      { text: 'Repository', link: repository },
    ],
  },
});
