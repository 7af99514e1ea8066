/**
 * `npm run mutants -- AREA…` puts small faults into the sources of an area, one at a time, and counts how many make a test
 * fail; all areas without names. cargo-mutants and Stryker make the faults in a copy; both are installed into `.setup` at
 * the first use. `--sample=1/8` tries every eighth, `--list` prints the areas. Prints the survivors and a table, and exits
 * with 1 if a score is below {@link SCORE_MIN}. `test/mutants/accepted.json` names the survivors that change nothing a
 * test could see.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { attempt, CARGO_OPTIONS, exists, root, run } from './lib.mjs';
import { AREAS } from './mutants-areas.mjs';
import { setup } from './setup.mjs';

/** Per cent of the mutants that tests notice. */
const SCORE_MIN = 85;
const CARGO_MUTANTS = '27.1.0';
/** The last release that runs on Node.js 20. */
const STRYKER = '9.6.1';
/** A sample of TypeScript takes whole blocks of this many lines. */
const BLOCK_LINES = 20;
const TOOLS = path.join(root, '.setup', 'mutants');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false }, sample: { type: 'string', default: '1/1' } },
});
const wanted = AREAS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const unknown = positionals.filter((name) => !AREAS.some((area) => area.name === name));
const [, part = '', parts = ''] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(values.sample) ?? [];
const accepted = JSON.parse(readFileSync(path.join(root, 'test', 'mutants', 'accepted.json'), 'utf8'));

/** Outcomes of an area: `caught`, `survived` and `timeout` as lists of `{ file, mutant, line }`. */
function cargo({ name, crate, sources, tests, only = [] }, folder) {
  const program = path.join(TOOLS, `cargo-mutants-${CARGO_MUTANTS}`);
  if (!exists(path.join(program, 'bin')))
    run('cargo', ['install', 'cargo-mutants', '--version', CARGO_MUTANTS, '--locked', '--root', program]);
  const env = {
    ...process.env,
    CARGO_TARGET_DIR: path.join(root, 'target', 'mutants', name),
    // Builds take most of the time.
    CARGO_PROFILE_DEV_DEBUG: '0',
  };
  const options = ['-p', crate, ...sources.flatMap((source) => ['-f', source]), '-o', folder];
  const sample = ['--shard', `${Number(part) - 1}/${parts}`, '--sharding', 'round-robin'];
  // Not behind `--`, where they select what runs, but not what is built.
  const built = [...CARGO_OPTIONS, ...tests].map((option) => `--cargo-arg=${option}`);
  const args = [
    'mutants',
    ...options,
    ...sample,
    ...built,
    ...(only.length > 0 ? ['--', '--', ...only] : []),
  ];
  attempt(path.join(program, 'bin', 'cargo-mutants'), args, { stdio: 'inherit', env });
  const file = path.join(folder, 'mutants.out', 'outcomes.json');
  if (!exists(file)) return undefined;
  const { outcomes } = JSON.parse(readFileSync(file, 'utf8'));
  const select = (summary) =>
    outcomes
      .filter(({ scenario }) => scenario.Mutant !== undefined)
      .filter((outcome) => outcome.summary === summary)
      .map(({ scenario }) => mutantOfCargo(scenario.Mutant));
  return { caught: select('CaughtMutant'), survived: select('MissedMutant'), timeout: select('Timeout') };
}

/** Line numbers change with every edit, so survivors are known by the function and the change. */
function mutantOfCargo({ file, name, span }) {
  return { file, line: span.start.line, mutant: name.replace(/^.*?:\d+:\d+: /, '') };
}

function stryker({ name, sources, tests }, folder) {
  const place = path.join(TOOLS, `stryker-${STRYKER}`);
  const packages = ['core', 'vitest-runner'].map((one) => `@stryker-mutator/${one}@${STRYKER}`);
  const program = path.join(place, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  // Without its own vitest and typescript: it finds those of the project.
  const install = ['install', '--prefix', place, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
  if (!exists(program)) run('npm', [...install, '--legacy-peer-deps', ...packages]);
  const report = path.join(folder, 'report.json');
  const copied = ['src', 'test', 'native', 'scripts', 'dist', 'openapi'];
  const config = {
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    mutate: sampled(sources.flatMap(filesOf)),
    testFiles: tests,
    vitest: { related: false },
    ignorePatterns: ['*', ...copied.flatMap((one) => [`!${one}`, `!${one}/**`]), '!*.json', '!*.ts'],
    tempDirName: path.join(folder, 'copies'),
    // Constants of modules: the runner imports a module once for all mutants.
    ignoreStatic: true,
    concurrency: 1,
    timeoutMS: 30_000,
    // The first run is that of all tests, on a busy machine too.
    dryRunTimeoutMinutes: 30,
    reporters: ['progress-append-only', 'json'],
    jsonReporter: { fileName: report },
  };
  const file = path.join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(config));
  attempt(process.execPath, [program, 'run', file], { stdio: 'inherit' });
  if (!exists(report)) return undefined;
  const mutants = Object.entries(JSON.parse(readFileSync(report, 'utf8')).files).flatMap(([source, result]) =>
    result.mutants.map((mutant) => ({ ...mutant, ...mutantOfStryker(source, result.source, mutant) })),
  );
  const select = (...states) => mutants.filter(({ status }) => states.includes(status));
  return {
    caught: select('Killed'),
    survived: select('Survived', 'NoCoverage'),
    timeout: select('Timeout'),
  };
}

/** The changed line of the source, with the part that changes and what replaces it in brackets. */
function mutantOfStryker(file, source, { location, replacement = '' }) {
  const lines = source.split('\n');
  const { start, end } = location;
  const line = lines[start.line - 1] ?? '';
  const to = end.line === start.line ? end.column - 1 : line.length;
  const short = replacement.replaceAll(/\s+/g, ' ').slice(0, 60);
  return {
    file,
    line: start.line,
    mutant:
      `${line.slice(0, start.column - 1)}⟦${line.slice(start.column - 1, to)} → ${short}⟧${line.slice(to)}`.trim(),
  };
}

/** TypeScript files of a folder, or the file itself. */
function filesOf(entry) {
  const full = path.join(root, entry);
  if (!statSync(full).isDirectory()) return [entry];
  return readdirSync(full)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${entry}/${file}`);
}

/** The files, or blocks of their lines if a sample is wanted. */
function sampled(files) {
  if (parts === '1') return files;
  const blocks = files.flatMap((file) => {
    const lines = readFileSync(path.join(root, file), 'utf8').split('\n').length;
    return Array.from({ length: Math.ceil(lines / BLOCK_LINES) }, (_, at) => {
      const first = at * BLOCK_LINES + 1;
      return `${file}:${first}-${Math.min(lines, first + BLOCK_LINES - 1)}`;
    });
  });
  return blocks.filter((_, at) => at % Number(parts) === Number(part) - 1);
}

/** Runs the mutants of an area, prints the survivors, and returns the area's row of the table. */
function judge(area) {
  const folder = mkdtempSync(path.join(tmpdir(), 'isccd-mutants-'));
  const found = area.tool === 'cargo' ? cargo(area, folder) : stryker(area, folder);
  rmSync(folder, { recursive: true, force: true });
  if (found === undefined) return { name: area.name, passed: false, cells: ['the tool failed'] };
  const isAccepted = ({ file, mutant }) =>
    accepted.some((one) => one.file === file && one.mutants.includes(mutant));
  const equivalent = found.survived.filter(isAccepted);
  const survived = found.survived.filter((mutant) => !isAccepted(mutant));
  for (const { file, line, mutant } of survived) console.log(`survived: ${file}:${line}: ${mutant}`);
  const noticed = found.caught.length + found.timeout.length;
  const all = noticed + survived.length;
  const score = all === 0 ? 0 : (100 * noticed) / all;
  const counts = [all, found.caught.length, found.timeout.length, survived.length, equivalent.length];
  return { name: area.name, passed: score >= SCORE_MIN, cells: [...counts, `${score.toFixed(1)} %`] };
}

if (unknown.length > 0 || part === '' || Number(part) > Number(parts)) {
  if (unknown.length > 0) console.error(`isccd: unknown area: ${unknown.join(', ')}`);
  else console.error('isccd: --sample is a fraction such as 1/8');
  process.exit(2);
}
if (values.list) {
  for (const { name, sources } of AREAS) console.log(`${name.padEnd(14)}${sources.join(' ')}`);
} else {
  if (wanted.some(({ tool }) => tool === 'stryker')) setup();
  process.chdir(root);
  const rows = wanted.map(judge);
  console.log(`\nSample ${values.sample}\n`);
  console.log(
    '| area | mutants | killed | timeout | survived | equivalent | score |\n|---|---|---|---|---|---|---|',
  );
  for (const { name, cells } of rows) console.log(`| ${name} | ${cells.join(' | ')} |`);
  if (rows.some(({ passed }) => !passed)) process.exit(1);
}
