/** The scrape configuration and the alert rules of `ops/prometheus`, checked by promtool. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { run } from '../support/command.js';
import { debianProgram, INSTALL_MAX_MS } from '../support/set-up.js';
import { ROOT } from './support/dockerfile.js';

const FOLDER = path.join(ROOT, 'ops/prometheus');
const promtool = (...args: string[]) => run(debianProgram(['promtool'], 'prometheus'), args, { cwd: FOLDER });

beforeAll(() => void debianProgram(['promtool'], 'prometheus'), INSTALL_MAX_MS);

it.each([
  ['check', 'config', 'prometheus.yml'],
  ['check', 'rules', 'isccd.rules.yml'],
  ['test', 'rules', 'isccd.rules.test.yml'],
])('promtool %s %s %s', async (...args) => {
  const { code, stdout, stderr } = await promtool(...args);
  expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
});

it('alerts only on metrics that isccd has', () => {
  const rules = readFileSync(path.join(FOLDER, 'isccd.rules.yml'), 'utf8');
  const dashboard = readFileSync(path.join(ROOT, 'ops/grafana/isccd.json'), 'utf8');
  // test/cli/metrics.test.ts compares the dashboard with the metrics of a process.
  const named = new Set(rules.match(/\b(?:isccd|nodejs)_\w+/g));
  expect(named.size).toBeGreaterThan(10);
  expect([...named].filter((name) => !dashboard.includes(name))).toEqual([]);
});
