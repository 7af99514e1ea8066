/**
 * `npm run docs:site -- [--out FOLDER] [--base PATH] [--version NAME]` builds the documentation site into `FOLDER/NAME` (default:
 * `site`, and the version of package.json if the changelog has it, else `next`). Other versions in FOLDER stay: the site's
 * version switch lists all of them, and `FOLDER/index.html` leads to the newest release.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bin, exists, root, run } from './lib.mjs';
import { npmPackages } from './setup.mjs';

const UNRELEASED = 'next';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: path.join(root, 'site') },
    base: { type: 'string', default: '/' },
    version: { type: 'string', default: defaultVersion() },
  },
});
const out = path.resolve(values.out);
const base = `/${values.base}/`.replace(/\/+/g, '/');
const target = path.join(out, values.version);

npmPackages();
rmSync(target, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const env = {
  ...process.env,
  DOCS_VERSION: values.version,
  DOCS_BASE: `${base}${values.version}/`,
  DOCS_OUT: target,
};
run(bin('vitepress'), ['build', 'docs'], { env });
// For programs that read the documentation; its links lead to the repository.
writeFileSync(path.join(target, 'llms.txt'), llmsText());
const versions = versionsIn(out);
writeFileSync(path.join(out, 'versions.json'), `${JSON.stringify(versions)}\n`);
const first = versions.find((version) => version !== UNRELEASED) ?? versions[0];
writeFileSync(path.join(out, 'index.html'), redirect(first));
console.log(`isccd: ${target}`);

function defaultVersion() {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8');
  return changelog.includes(`\n## ${version} - `) ? version : UNRELEASED;
}

function llmsText() {
  const { homepage } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const text = readFileSync(path.join(root, 'llms.txt'), 'utf8');
  const repository = homepage.replace(/#.*$/, '');
  return text.replaceAll(/\]\((?![a-z]+:)([^)]+)\)/g, (_, link) => `](${repository}/blob/main/${link})`);
}

/** The newest release first, the unreleased version last. */
function versionsIn(folder) {
  const names = readdirSync(folder).filter((name) => exists(path.join(folder, name, 'index.html')));
  const byNumber = (a, b) => b.localeCompare(a, 'en', { numeric: true });
  const released = names.filter((name) => name !== UNRELEASED).sort(byNumber);
  return [...released, ...names.filter((name) => name === UNRELEASED)];
}

function redirect(version) {
  const url = `${base}${version}/`;
  return `<!doctype html>
<html lang="en">
<title>isccd</title>
<link rel="icon" href="${url}icon.svg">
<meta http-equiv="refresh" content="0; url=${url}">
<link rel="canonical" href="${url}">
<a href="${url}">Documentation</a>
</html>
`;
}
