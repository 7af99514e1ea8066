/** The lanes of the tests, their order, and the list of races. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { overdueRaces, recordRaces } from '../../scripts/races.mjs';
import { failedFiles } from '../../scripts/run-report.mjs';
import { filesOf, SLOW, testFiles } from '../../scripts/test-lanes.mjs';
import { secondsOf, slowest } from '../../scripts/test-seconds.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const text = (file: string) => readFileSync(path.join(root, file), 'utf8');

describe('the lanes', () => {
  it('have every test file', () => {
    const inLanes = new Set([...filesOf('quick'), ...filesOf('slow')]);
    expect(testFiles().filter((file) => !inLanes.has(file))).toEqual([]);
  });

  it('share only tests of engines, each of which runs in one of them', () => {
    const slow = new Set(filesOf('slow'));
    const shared = filesOf('quick').filter((file) => slow.has(file));
    expect(shared.length).toBeGreaterThan(5);
    expect(shared.filter((file) => !text(file).includes("from './support/engines.js'"))).toEqual([]);
  });

  it.each(Object.keys(SLOW))('the table of slow tests needs its entry %s', (beginning) => {
    expect(testFiles().some((file) => file.startsWith(beginning))).toBe(true);
  });

  it('are what CI runs', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
    const commands = text('.ci/run').trim().split('\n').slice(-2);
    expect(commands).toEqual(['npm test', 'npm run test:slow']);
    expect([scripts.test, scripts['test:slow']]).toEqual([
      'node scripts/test.mjs',
      'node scripts/test-slow.mjs',
    ]);
  });
});

describe('the times of tests', () => {
  it('are measured, and for a new file a guess that grows with its size', () => {
    const [small, large] = ['test/readme.test.ts', 'test/browser/console.test.ts'];
    expect(secondsOf(small, { [small]: 42 })).toBe(42);
    expect(secondsOf(small, {})).toBeLessThan(secondsOf(large, {}));
  });

  it('are committed for files that exist', () => {
    const names = Object.keys(JSON.parse(text('test/seconds.json')) as object);
    const files = names.filter((name) => name.startsWith('test/'));
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it('are printed for the slowest ten', () => {
    const seconds = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`test/${at}.test.ts`, at]));
    const lines = slowest(seconds).split('\n');
    expect(lines).toHaveLength(10);
    expect(lines[0]?.trim()).toBe('11 s  test/11.test.ts');
  });
});

describe('the failed files of a run', () => {
  const file = (name: string) => path.join(root, 'test', name);

  it('are those with failed tests or errors outside of tests', () => {
    const error = { message: 'a promise was rejected', VITEST_TEST_PATH: file('b.test.ts') };
    expect(failedFiles([], [])).toEqual([]);
    expect(failedFiles([file('a.test.ts')], [error, error])).toEqual(['test/a.test.ts', 'test/b.test.ts']);
  });

  it('are unknown if an error names no file', () => {
    expect(failedFiles([file('a.test.ts')], [{ message: 'the runner ended' }])).toBeNull();
  });
});

describe('the list of races', () => {
  const DAY_MS = 86_400_000;

  async function project(): Promise<string> {
    const folder = await mkdtemp(path.join(tmpdir(), 'isccd-races-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await mkdir(path.join(folder, 'test'));
    return folder;
  }

  it('grows by a line with the date per test', async () => {
    const folder = await project();
    recordRaces(folder, ['test/a.test.ts', 'test/b.test.ts']);
    recordRaces(folder, ['test/a.test.ts']);
    const lines = readFileSync(path.join(folder, 'test', 'races.md'), 'utf8')
      .trim()
      .split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/^- \d{4}-\d\d-\d\d, no commit: test\/b\.test\.ts$/);
  });

  it('may keep a race for a week', async () => {
    const folder = await project();
    expect(overdueRaces(folder, Date.now())).toEqual([]);
    await writeFile(
      path.join(folder, 'test', 'races.md'),
      '- 2026-11-20, abc1234: test/old.test.ts\n- 2026-11-25, abc1234: test/new.test.ts\n',
    );
    const now = Date.parse('2026-11-28');
    expect(overdueRaces(folder, now)).toEqual(['- 2026-11-20, abc1234: test/old.test.ts']);
    expect(overdueRaces(folder, now - 2 * DAY_MS)).toEqual([]);
  });
});
