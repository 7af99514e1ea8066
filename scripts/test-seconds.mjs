/**
 * How long test files and Rust test programs take: as measured by the last runs in this checkout, else as `test/seconds.json`
 * says. Runs start the longest first. After a run on an idle machine, `cp .setup/test-seconds.json test/seconds.json`
 * brings the table up to date.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { exists, root } from './lib.mjs';

const COMMITTED = path.join(root, 'test', 'seconds.json');
const MEASURED = path.join(root, '.setup', 'test-seconds.json');
/** Shorter ones need no entry: their order does not matter. */
const LISTED_MIN = 5;
/** A guess for files that were never measured, so that large ones start before small ones. */
const BYTES_PER_SECOND = 4096;
const SLOWEST = 10;

/** @returns {Record<string, number>} seconds by the path of a test file, or by the crate and target of a program */
export function knownSeconds() {
  return { ...tableOf(COMMITTED), ...tableOf(MEASURED) };
}

/**
 * Seconds that a test file will take.
 *
 * @param {string} file from the root
 * @param {Record<string, number>} known
 */
export function secondsOf(file, known) {
  return known[file] ?? Math.min(LISTED_MIN, statSync(path.join(root, file)).size / BYTES_PER_SECOND);
}

/**
 * Adds the seconds of a run to the table of this checkout.
 *
 * @param {Record<string, number>} seconds
 */
export function remember(seconds) {
  const all = Object.entries({ ...knownSeconds(), ...seconds });
  const listed = all.filter(([, value]) => value >= LISTED_MIN).sort(([a], [b]) => (a < b ? -1 : 1));
  const rounded = listed.map(([name, value]) => [name, Math.round(value)]);
  mkdirSync(path.dirname(MEASURED), { recursive: true });
  writeFileSync(MEASURED, `${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`);
}

/**
 * The slowest files and programs of a run, one a line.
 *
 * @param {Record<string, number>} seconds
 */
export function slowest(seconds) {
  return Object.entries(seconds)
    .sort(([, a], [, b]) => b - a)
    .slice(0, SLOWEST)
    .map(([name, value]) => `${value.toFixed(0).padStart(6)} s  ${name}`)
    .join('\n');
}

function tableOf(file) {
  return exists(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}
