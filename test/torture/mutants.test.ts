/** Mutated and amplified copies of real files: each gets a code or a refusal, and the service lives on. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { serveCodes } from '../codes/support/process.js';
import { fileBytes } from '../codes/support/reference.js';
import { Random, torture } from '../support/torture.js';
import { mutate } from './support/mutate.js';
import { codeOf, errorLines, keep, peakMb } from './support/probe.js';

const { size, seed, cases, report } = torture('mutants');
const CLIENTS = 4;
const ORIGINAL_BYTES_MAX = 1_200_000;
const MUTANT_BYTES_MAX = 3_000_000;
/** Time limits depend on the format; none is longer, and a busy machine is allowed for. */
const SECONDS_MAX = 60;
const MAIN_MB_MAX = 512;

const FILES = path.resolve(import.meta.dirname, '../fixtures/codes/files');
const originals = readdirSync(FILES)
  .filter((name) => statSync(path.join(FILES, name)).size < ORIGINAL_BYTES_MAX)
  .sort();

test(`${size} mutants`, { timeout: 120_000 + size * 5000 }, async () => {
  const server = await serveCodes(await temporaryFolder(), {
    CODEWEB_LOG_LEVEL: 'warn',
    CODEWEB_MAX_WORKERS: '2',
  });
  const findings: string[] = [];
  let slowest = { seconds: 0, name: '' };
  let tried = 0;
  const pending = cases();
  const client = async () => {
    for (const number of pending) {
      tried += 1;
      const random = new Random(seed, number);
      const name = random.pick(originals);
      const bytes = mutate(random, fileBytes(name), MUTANT_BYTES_MAX);
      const { seconds, fault } = await codeOf(server.url, name, bytes);
      if (seconds > slowest.seconds) slowest = { seconds, name };
      const found = fault ?? (seconds > SECONDS_MAX ? `took ${seconds.toFixed(0)} s` : undefined);
      if (found === undefined) continue;
      const file = await keep(`mutant-${seed}-${number}-${name}`, bytes);
      findings.push(`--only=${number}: ${found} (${file})`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));

  expect(findings).toEqual([]);
  expect(server.exitCode()).toBeNull();
  expect(errorLines(server)).toEqual([]);
  const memory = await peakMb(server.pid);
  expect(memory).toBeLessThan(MAIN_MB_MAX);
  const worst = `${slowest.seconds.toFixed(1)} s (${slowest.name}), main process ${memory} MB`;
  report({ tried, survived: tried, worst });
});
