/** The pinned binaries of uWebSockets.js. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { faultsIn, uwsBinaries } from '../../scripts/uws-binaries.mjs';
import { ROOT } from '../deploy/support/dockerfile.js';

const FOLDER = path.join(ROOT, 'node_modules/uWebSockets.js');

it('are those that npm installs, and no other', () => {
  const installed = readdirSync(FOLDER).filter((name) => name.endsWith('.node'));
  const pinned = JSON.parse(readFileSync(path.join(ROOT, 'scripts/uws-binaries.json'), 'utf8'));
  expect(Object.keys(pinned.sha256)).toEqual(installed.sort());
  expect(faultsIn(FOLDER)).toEqual([]);
});

it('are those of the version in package.json and in the release workflow', () => {
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'scripts/uws-binaries.json'), 'utf8'));
  const { optionalDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  expect(optionalDependencies['uWebSockets.js']).toMatch(new RegExp(`@${version}$`));
  const workflow = readFileSync(path.join(ROOT, '.github/workflows/release.yml'), 'utf8');
  expect(workflow).toContain(`ref: v${version}\n`);
});

it('are four for each platform, one for each version of Node.js', () => {
  for (const platform of ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64']) {
    const [system, arch] = platform.split('-');
    expect(uwsBinaries(String(system), String(arch))).toHaveLength(4);
  }
});

it('are refused when a file differs or is missing', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'isccd-uws-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [same, other, missing] = [
    'uws_linux_x64_115.node',
    'uws_linux_x64_127.node',
    'uws_linux_x64_137.node',
  ];
  cpSync(path.join(FOLDER, same), path.join(folder, same));
  writeFileSync(path.join(folder, other), 'another program');
  expect(faultsIn(folder, [same, other, missing])).toEqual([
    expect.stringMatching(/^uws_linux_x64_127\.node has SHA-256 \w{64} instead of \w{64}$/),
    'uws_linux_x64_137.node is missing',
  ]);
});
