/** The lock file: complete for every platform, so that `npm ci` accepts it, and free of addresses of registries. */
import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { run } from '../support/command.js';
import { INSTALL_MAX_MS, npmTools } from '../support/set-up.js';
import { ROOT } from './support/dockerfile.js';

interface Locked {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const text = await readFile(path.join(ROOT, 'package-lock.json'), 'utf8');
const packages = JSON.parse(text).packages as Readonly<Record<string, Locked>>;

/** Where Node.js looks for a package from the folder `from`, the nearest place first. */
function places(from: string, name: string): string[] {
  const parts = from === '' ? [] : from.split('/node_modules/');
  const folders = parts.map((_, at) => parts.slice(0, parts.length - at).join('/node_modules/'));
  return [...folders.map((folder) => `${folder}/node_modules/${name}`), `node_modules/${name}`];
}

describe('package-lock.json', () => {
  it('has every package that another one names, also those of other platforms', () => {
    const missing = Object.entries(packages).flatMap(([from, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !places(from, name).some((place) => place in packages))
        .map((name) => `${name} of ${from}`),
    );
    expect(missing).toEqual([]);
    expect(packages).toHaveProperty(['node_modules/@biomejs/cli-win32-arm64']);
    expect(packages).toHaveProperty(['node_modules/@rollup/rollup-darwin-arm64']);
  });

  it('has a checksum of every package and no address, so that any registry serves it', () => {
    const entries = Object.entries(packages).filter(([folder]) => folder !== '');
    expect(entries.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it.each(['10.9.9', '11.21.2'])(
    'is accepted by `npm ci` of npm %s',
    { timeout: INSTALL_MAX_MS },
    async (version) => {
      const npm = path.join(await npmTools(`npm@${version}`), 'npm', 'bin', 'npm-cli.js');
      const folder = await temporaryFolder();
      for (const name of ['package.json', 'package-lock.json'])
        await copyFile(path.join(ROOT, name), path.join(folder, name));
      const platforms = [[], ['--os=darwin', '--cpu=arm64'], ['--os=win32', '--cpu=x64']];
      for (const platform of platforms) {
        const args = [npm, 'ci', '--dry-run', '--no-audit', '--loglevel=error', ...platform];
        const { code, stderr } = await run(process.execPath, args, { cwd: folder });
        expect([platform, code, stderr]).toEqual([platform, 0, '']);
      }
    },
  );
});
