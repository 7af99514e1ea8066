/** The software bill of materials is valid by the CycloneDX schema and complete. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { INSTALL_MAX_MS, pythonWith } from '../support/set-up.js';
import { ROOT } from './support/dockerfile.js';

const run = promisify(execFile);
const VALIDATE = `
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonValidator
print(JsonValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read()))`;

it(
  'lists every package and crate that users get, and is valid by the schema',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'isccd-sbom-'));
    try {
      const file = path.join(folder, 'isccd.cdx.json');
      await run(process.execPath, ['scripts/sbom.mjs', file], { cwd: ROOT });
      const python = await pythonWith('cyclonedx-python-lib[json-validation]==11.2.0');
      expect((await run(python, ['-c', VALIDATE, file])).stdout.trim()).toBe('None');

      const bom = JSON.parse(await readFile(file, 'utf8')) as {
        components: { name: string; purl: string }[];
      };
      const { dependencies, devDependencies } = JSON.parse(
        await readFile(path.join(ROOT, 'package.json'), 'utf8'),
      ) as Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>;
      const purls = bom.components.map(({ purl }) => purl.replace(/%40/g, '@').replace(/@[^@]*$/, ''));
      for (const name of Object.keys(dependencies)) expect(purls).toContain(`pkg:npm/${name}`);
      for (const name of Object.keys(devDependencies)) expect(purls).not.toContain(`pkg:npm/${name}`);
      for (const crate of ['isccd-native', 'iscc-codec', 'c2pa', 'heed'])
        expect(purls).toContain(`pkg:cargo/${crate}`);
      for (const crate of ['criterion', 'proptest', 'iscc-lib'])
        expect(purls).not.toContain(`pkg:cargo/${crate}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  INSTALL_MAX_MS,
);
