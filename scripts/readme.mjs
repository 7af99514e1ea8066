/** Writes the tables of variables into the README, from their declarations. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './lib.mjs';
import { setup } from './setup.mjs';

setup();
const built = (file) => import(pathToFileURL(path.join(root, 'dist', file)).href);
const { variablesSection } = await built('cli/variables.js');
const file = path.join(root, 'README.md');
const readme = readFileSync(file, 'utf8');
const marked = /(<!-- variables:.*?-->\n)[\s\S]*?(<!-- \/variables -->)/;
writeFileSync(
  file,
  readme.replace(marked, (_, start, end) => `${start}${variablesSection()}${end}`),
);
