/**
 * `npm run torture` lists and runs every part of the torture programme in its long form, `npm run torture -- NAME…` the
 * named ones. `--short` selects the form that the tests run, `--size=N` another size, `--seed=N` other random choices.
 * `--minutes=N` ends each part after this time, and repeats parts that have no size until then.
 * `--jobs=N` parts run at a time, each with its output printed whole at its end; parts that need the machine run alone.
 * Prints one table and exits with 1 after a loss. A failure prints the command that replays it.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runInLanes } from './lanes.mjs';
import { attempt, bin, exists, root } from './lib.mjs';
import { setup } from './setup.mjs';
import { PARTS } from './torture-parts.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    size: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    minutes: { type: 'string' },
    // A part uses the service, its workers and its clients, so more parts than this would slow each other down.
    jobs: { type: 'string', default: String(Math.min(2, availableParallelism())) },
  },
});
const wanted = PARTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const unknown = positionals.filter((name) => !PARTS.some((part) => part.name === name));

/** Milliseconds that a part may take. */
const timeMax = Number(values.minutes ?? Number.POSITIVE_INFINITY) * 60_000;

/** Parts at a time. */
const lanes = wanted.length === 1 ? 1 : Number(values.jobs);

/** Runs one part, once or until the time is over. */
async function torture(part) {
  const start = performance.now();
  const first = await tortureOnce(part);
  const repeats = part.unit === 'tests' && values.minutes !== undefined;
  while (repeats && first.passed && performance.now() - start < timeMax) {
    const next = await tortureOnce(part);
    first.passed = next.passed;
    for (const [at, row] of first.rows.entries()) {
      row.tried += next.rows[at]?.tried ?? 0;
      row.survived += next.rows[at]?.survived ?? 0;
    }
  }
  return { ...first, seconds: Math.round((performance.now() - start) / 1000) };
}

/** Runs one part. Its tests append a JSON line with what they tried to the report. */
async function tortureOnce(part) {
  const folder = mkdtempSync(path.join(tmpdir(), 'isccd-torture-'));
  const report = path.join(folder, 'report');
  const most = Number(values.size ?? (values.short ? part.short : part.long));
  const size = part.unit === 'seconds' ? Math.min(most, timeMax / 1000) : most;
  const env = {
    ...process.env,
    ISCCD_TORTURE_REPORT: report,
    ISCCD_TORTURE_SIZE: String(size),
    ISCCD_TORTURE_SEED: values.seed,
    ...(values.only !== undefined && { ISCCD_TORTURE_ONLY: values.only }),
    ...(values.minutes !== undefined && { ISCCD_TORTURE_MINUTES: values.minutes }),
    ...(!values.short && part.env),
  };
  const counts = path.join(folder, 'counts.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${counts}`];
  const args = ['run', '--no-file-parallelism', ...reporters, ...part.files];
  const status = await vitest(part, args, env, path.join(folder, 'output'));
  const rows = exists(report)
    ? readFileSync(report, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [counted(counts)];
  rmSync(folder, { recursive: true, force: true });
  const replay = `npm run torture -- ${part.name} --seed=${values.seed} --size=${size}`;
  if (status !== 0) console.error(`isccd: ${part.name} failed; replay: ${replay}`);
  return { part, rows, passed: status === 0 };
}

/**
 * Runs vitest and returns its exit status. If other parts run meanwhile, its output goes to a file, and is printed at the
 * end under the part's name.
 */
async function vitest(part, args, env, output) {
  const shared = lanes > 1 && part.alone === undefined;
  const file = shared ? openSync(output, 'w') : undefined;
  if (shared) console.log(`isccd: ${part.name} runs`);
  const stdio = file === undefined ? 'inherit' : ['ignore', file, file];
  const child = spawn(bin('vitest'), args, { stdio, env, shell: process.platform === 'win32' });
  const status = await new Promise((resolve) => {
    child.once('error', ({ message }) => {
      console.error(`isccd: cannot run vitest: ${message}`);
      resolve(1);
    });
    child.once('close', resolve);
  });
  if (file !== undefined) {
    closeSync(file);
    console.log(`\n== ${part.name}\n${readFileSync(output, 'utf8')}`);
  }
  return status;
}

/** The row of a part whose tests report nothing themselves: vitest's own counts, which are missing if vitest crashed. */
function counted(file) {
  if (!exists(file)) return { tried: 0, survived: 0, worst: 'vitest crashed' };
  const { numTotalTests, numPassedTests, numPendingTests } = JSON.parse(readFileSync(file, 'utf8'));
  const worst = numPendingTests === 0 ? '-' : `${numPendingTests} skipped`;
  return { tried: numTotalTests, survived: numPassedTests, worst };
}

/** The results as a Markdown table with the commit, the machine and the seed. */
function table(results) {
  const commit = attempt('git', ['rev-parse', '--short', 'HEAD'], {}).stdout?.trim() || 'unknown';
  const [cpu] = cpus();
  const lines = [
    `Commit ${commit}, seed ${values.seed}, Node ${process.versions.node}, ${cpus().length} x ${cpu?.model.trim()}`,
    '',
    '| part | tried | survived | worst | seconds |',
    '|---|---|---|---|---|',
  ];
  for (const { part, rows, seconds, passed } of results) {
    for (const { tried, survived, worst } of rows) {
      const outcome = passed ? survived : `${survived} (failed)`;
      lines.push(
        `| ${part.name} | ${tried} ${part.tried ?? part.unit} | ${outcome} | ${worst} | ${seconds} |`,
      );
    }
  }
  return lines.join('\n');
}

for (const { name, unit, short, long, about } of PARTS) {
  const sizes = long === short ? '' : ` (${short} ${unit}; ${long} in the long form)`;
  console.log(`${name.padEnd(14)}${about}${sizes}`);
}
if (unknown.length > 0) {
  console.error(`isccd: unknown part: ${unknown.join(', ')}`);
  process.exit(2);
}
if (!values.list) {
  setup();
  process.chdir(root);
  const start = performance.now();
  const results = await runInLanes(wanted, lanes, torture);
  console.log(`\n${table(results)}`);
  const minutes = (performance.now() - start) / 60_000;
  console.log(`\n${minutes.toFixed(1)} minutes, ${lanes} ${lanes === 1 ? 'part' : 'parts'} at a time`);
  if (results.some(({ passed }) => !passed)) process.exit(1);
}
