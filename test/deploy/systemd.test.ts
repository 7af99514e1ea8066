/** The units of `ops/systemd`, checked by systemd, with the settings checked by isccd. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVICE_NAMES } from '../../src/compose/service-names.js';
import { parseDotEnv } from '../../src/platform/config/env.js';
import { isccd, run } from '../support/command.js';
import { debianProgram, INSTALL_MAX_MS } from '../support/set-up.js';
import { ROOT } from './support/dockerfile.js';

const UNITS = path.join(ROOT, 'ops/systemd');
/** Of 10; systemd calls 2 and less "OK". */
const EXPOSURE_MAX = 2;

let folder = '';
let analyze = '';
beforeAll(async () => {
  analyze = debianProgram(['systemd-analyze'], 'systemd');
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-systemd-'));
  // The command exists on the machine that runs the units.
  for (const name of await readdir(UNITS)) {
    const text = await readFile(path.join(UNITS, name), 'utf8');
    await writeFile(path.join(folder, name), text.replaceAll('/usr/local/bin/isccd', '/bin/true'));
  }
}, INSTALL_MAX_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('ops/systemd', () => {
  it.each(['isccd.service', 'isccd@.service', 'isccd-backup.service', 'isccd-backup.timer'])(
    '%s is valid',
    async (name) => {
      const unit = path.join(folder, name.replace('@', '@codes'));
      if (name.includes('@')) await writeFile(unit, await readFile(path.join(folder, name)));
      const { code, stdout, stderr } = await run(analyze, ['verify', '--man=no', unit]);
      const own = (stdout + stderr).split('\n').filter((line) => line.includes('isccd'));
      expect([code, own]).toEqual([0, []]);
    },
  );

  it.each(['isccd.service', 'isccd@.service', 'isccd-backup.service'])('%s is hardened', async (name) => {
    const args = ['security', '--offline=true', `--threshold=${EXPOSURE_MAX * 10}`, path.join(UNITS, name)];
    const { code, stdout, stderr } = await run(analyze, args);
    expect([code, stderr], stdout).toEqual([0, expect.anything()]);
    expect(stdout).toMatch(/Overall exposure level for .*: [01]\.\d OK|: 2\.0 OK/);
  });

  it('has settings that isccd accepts once the secrets are filled in', async () => {
    const text = await readFile(path.join(UNITS, 'isccd.env'), 'utf8');
    const filled = text.replace(/=$/gm, `=${'0123456789abcdef'.repeat(4)}`);
    const env = { ...parseDotEnv(filled), ISCCD_DATA_DIR: folder } as Record<string, string>;
    expect(Object.keys(env).length).toBeGreaterThan(10);
    for (const services of [[], ...SERVICE_NAMES.map((name) => [name])]) {
      const { code, stderr } = await isccd(['check', 'config', ...services], { cwd: folder, env });
      expect([code, stderr]).toEqual([0, '']);
    }
  });
});
