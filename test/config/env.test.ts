import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  environment,
  ignoredLines,
  linesWithoutAssignment,
  parseDotEnv,
} from '../../src/platform/config/env.js';

describe('parseDotEnv', () => {
  it.each([
    ['A=1', { A: '1' }],
    ['A = spaced value  ', { A: 'spaced value' }],
    ['export A=1', { A: '1' }],
    ['A=1 # comment', { A: '1' }],
    ['A=a#b', { A: 'a#b' }],
    ['# A=1\n\nB=2\r\nC=3', { B: '2', C: '3' }],
    ['A="x # y" # z', { A: 'x # y' }],
    ['A="line\\nbreak \\"q\\" \\\\"', { A: 'line\nbreak "q" \\' }],
    ["A='raw\\n'", { A: 'raw\\n' }],
    ['A="two\nlines"\nB=1', { A: 'two\nlines', B: '1' }],
    ['A=\nB=1', { A: '', B: '1' }],
    ['A=$HOME', { A: '$HOME' }],
    ['not an assignment\n9A=1', {}],
  ])('reads %j', (source, expected) => {
    expect(parseDotEnv(source)).toEqual(expected);
  });
});

describe('linesWithoutAssignment', () => {
  it.each([
    ['A=1\n\n  # comment\nexport B=2 # more\n', []],
    ['\uFEFFA=1', []],
    ['A="two\nlines"\nB 1\r\n9C=1\nD="1', [3, 4]],
    ["A='x'y", []],
    ['A: 1', [1]],
  ])('finds those of %j', (source, expected) => {
    expect(linesWithoutAssignment(source)).toEqual(expected);
  });
});

describe('environment', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'isccd-env-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('prefers the process environment over .env', () => {
    writeFileSync(path.join(folder, '.env'), 'PATH=none\nISCCD_TEST_ONLY_IN_FILE=yes\n');
    const before = process.env.PATH;
    const values = environment(folder);
    expect(values.PATH).toBe(before);
    expect(values.ISCCD_TEST_ONLY_IN_FILE).toBe('yes');
    expect(process.env.ISCCD_TEST_ONLY_IN_FILE).toBe('yes');
    delete process.env.ISCCD_TEST_ONLY_IN_FILE;
  });

  it('names ignored lines without their text', () => {
    const place = mkdtempSync(path.join(os.tmpdir(), 'isccd-env-'));
    writeFileSync(path.join(place, '.env'), 'APP_SECRET_KEY secret\n');
    const [message, ...more] = ignoredLines(place);
    rmSync(place, { recursive: true });
    expect(message).toBe(
      `${path.join(place, '.env')}:1: is not an assignment NAME=value, so the line is ignored`,
    );
    expect(more).toEqual([]);
  });

  it('works without .env', () => {
    expect(ignoredLines(path.join(folder, 'missing'))).toEqual([]);
    expect(environment(path.join(folder, 'missing')).PATH).toBe(process.env.PATH);
  });
});
