/** The weekly update of the crate that validates manifests. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { newestIn, replaced } from '../../scripts/update-c2pa.mjs';
import { ROOT } from '../deploy/support/dockerfile.js';

it('finds the newest version in what cargo info prints', () => {
  const info = (version: string) => `c2pa #xmp #metadata\nRust SDK\nversion: ${version}\nlicense: MIT\n`;
  expect(newestIn(info('0.92.0 (latest 0.93.1)'))).toBe('0.93.1');
  expect(newestIn(info('0.93.1'))).toBe('0.93.1');
  expect(newestIn(info('0.93.1 (from /a/registry)'))).toBe('0.93.1');
  expect(() => newestIn('error: offline')).toThrow('does not name the newest version');
});

it('replaces the version that it finds, and fails without one', () => {
  const pattern = /^(c2pa = \{ version = "=)([\d.]+)/m;
  const text = 'a = "1"\nc2pa = { version = "=0.92.0", x = 1 }\n';
  expect(replaced(text, pattern, '0.93.1')).toEqual({
    earlier: '0.92.0',
    text: 'a = "1"\nc2pa = { version = "=0.93.1", x = 1 }\n',
  });
  expect(() => replaced('c2pa = "1"', pattern, '2')).toThrow('no text fits');
});

it('runs each week, compares with the validators of clients and opens a proposal', () => {
  const workflow = readFileSync(path.join(ROOT, '.github/workflows/c2pa.yml'), 'utf8');
  const { on, jobs } = parse(workflow) as {
    on: { schedule: { cron: string }[] };
    jobs: { update: { steps: { run?: string; uses?: string }[] } };
  };
  expect(on.schedule.map(({ cron }) => cron.split(' ').slice(2))).toEqual([['*', '*', '1']]);
  const { steps } = jobs.update;
  expect(steps.flatMap(({ uses }) => uses ?? []).filter((uses) => !/@[0-9a-f]{40}$/.test(uses))).toEqual([]);
  const commands = steps.map(({ run = '' }) => run).join('\n');
  for (const part of ['scripts/update-c2pa.mjs', 'foreign-validators.test.ts', 'gh pr create'])
    expect(commands).toContain(part);
});
