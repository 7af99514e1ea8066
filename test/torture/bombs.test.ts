/** Bombs: a code, metadata, and an embed of each; the service stays small, healthy and alive. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { serveCodes } from '../codes/support/process.js';
import { torture } from '../support/torture.js';
import { BOMBS } from './support/bombs.js';
import { codeOf, errorLines, metadataOf, peakMb } from './support/probe.js';

const { size, cases, report } = torture('bombs');
/** Budgets depend on the format; texts and documents may use most. A busy machine is allowed for. */
const SECONDS_MAX = 90;
const MAIN_MB_MAX = 512;

const bombs = BOMBS.slice(0, size);

test(`${bombs.length} bombs`, { timeout: bombs.length * 3 * SECONDS_MAX * 1000 }, async () => {
  const server = await serveCodes(await temporaryFolder(), {
    CODEWEB_LOG_LEVEL: 'warn',
    CODEWEB_MAX_WORKERS: '2',
  });
  const findings: string[] = [];
  let slowest = { seconds: 0, name: '' };
  let tried = 0;
  for (const number of cases()) {
    const bomb = bombs[number];
    if (bomb === undefined) break;
    const { name, make } = bomb;
    tried += 1;
    const bytes = new Uint8Array(make());
    // That may have taken seconds. A kept connection that the service has closed meanwhile is noticed only now.
    await pause(0);
    await pause(0);
    for (const use of [codeOf, metadataOf]) {
      const { seconds, fault } = await use(server.url, name, bytes);
      if (seconds > slowest.seconds) slowest = { seconds, name };
      if (fault !== undefined) findings.push(`--only=${number}: ${name}: ${use.name}: ${fault}`);
      else if (seconds > SECONDS_MAX) findings.push(`${name}: ${use.name}: took ${seconds.toFixed(0)} s`);
    }
    expect([name, (await fetch(`${server.url}/healthz`)).status]).toEqual([name, 200]);
  }

  expect(findings).toEqual([]);
  expect(server.exitCode()).toBeNull();
  expect(errorLines(server)).toEqual([]);
  const memory = await peakMb(server.pid);
  expect(memory).toBeLessThan(MAIN_MB_MAX);
  const worst = `${slowest.seconds.toFixed(1)} s (${slowest.name}), main process ${memory} MB`;
  report({ tried, survived: tried, worst });
});
