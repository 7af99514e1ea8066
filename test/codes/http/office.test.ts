/**
 * Uploads a corpus of office documents and compares each unit with iscc-sdk 0.9.7. Prints the shares of equal units and
 * the distances per format; docs/reference/file-formats.md has the same table.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, upload } from '../support/client.js';
import { distances } from '../support/reference.js';
import { type CodesServer, startCodes } from '../support/server.js';

interface Recorded {
  /** Units of 256 bits; absent if the reference fails. */
  readonly units?: readonly string[];
  /** Text-Code of the text that the reference's extractor finds in a type that the reference does not code. */
  readonly text_unit?: string;
  readonly error?: string;
  readonly [field: string]: unknown;
}

interface Row {
  readonly file: string;
  readonly format: string;
  readonly status: number;
  /** Differing bits per unit. */
  readonly bits: readonly number[];
  /** Metadata fields that differ. */
  readonly fields: readonly string[];
}

const FIELDS = ['name', 'description', 'creator', 'rights', 'keywords', 'mediatype'];
const TYPE_CHARACTERS = 7;

const fixtures = path.resolve(import.meta.dirname, '../../fixtures/office');
const recorded = JSON.parse(readFileSync(path.join(fixtures, 'iscc-sdk-0.9.7.json'), 'utf8')) as Record<
  string,
  Recorded
>;

async function rowOf(server: CodesServer, folder: string, file: string): Promise<Row> {
  const { units, text_unit: textUnit, ...fields } = recorded[file] as Recorded;
  const bytes = new Uint8Array(readFileSync(path.join(folder, file)));
  const response = await upload(server.url, file, bytes, { query: '?granular=false' });
  const row = { file, format: path.extname(file).slice(1), status: response.status };
  if (response.status !== 201) {
    await response.arrayBuffer();
    return { ...row, bits: [], fields: [] };
  }
  const ours = await bodyOf(response);
  const theirs = units ?? (textUnit === undefined ? [] : [textUnit]);
  // Only the units that the reference has are compared.
  const types = theirs.map((unit) => unit.slice(0, TYPE_CHARACTERS));
  const compared = ours.units.filter((unit) => types.includes(unit.slice(0, TYPE_CHARACTERS)));
  const different = units === undefined ? [] : FIELDS.filter((field) => ours[field] !== fields[field]);
  return { ...row, bits: distances(compared, theirs) ?? [Number.NaN], fields: different };
}

function printTable(rows: readonly Row[]): void {
  const formats = [...new Set(rows.map(({ format }) => format))].sort();
  const lines = formats.map((format) => {
    const own = rows.filter((row) => row.format === format && row.bits.length > 0);
    const sum = own.map(({ bits }) => bits.reduce((total, count) => total + count, 0));
    const equal = sum.filter((count) => count === 0).length;
    return `| ${format} | ${own.length} | ${equal} | ${Math.max(0, ...sum)} |`;
  });
  const header = ['| format | files | all units equal | largest distance in bits |', '|---|---|---|---|'];
  process.stdout.write(`${[...header, ...lines].join('\n')}\n`);
  for (const { file, status, bits, fields } of rows)
    if (status !== 201 || bits.some((count) => count !== 0) || fields.length > 0)
      process.stdout.write(`${file}: ${status} ${bits.join(' ')} ${fields.join(' ')}\n`);
}

describe('office documents', () => {
  let server: CodesServer;
  let folder: string;
  const rows: Row[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'isccd-office-'));
    const archive = brotliDecompressSync(readFileSync(path.join(fixtures, 'corpus.tar.br')));
    execFileSync('tar', ['-xf', '-', '-C', folder], { input: archive });
    server = await startCodes();
    for (const file of readdirSync(folder).sort()) rows.push(await rowOf(server, folder, file));
    printTable(rows);
  }, 300_000);

  afterAll(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the corpus has at least 150 documents with a recorded result', () => {
    expect(rows.map(({ file }) => file)).toEqual(Object.keys(recorded).sort());
    expect(rows.filter(({ bits }) => bits.length > 0).length).toBeGreaterThanOrEqual(150);
  });

  test('every document that the reference reads gets a code', () => {
    const refused = rows.filter(({ file, status }) => recorded[file]?.units !== undefined && status !== 201);
    expect(refused).toEqual([]);
  });

  test('all units of all documents are equal to the reference', () => {
    const different = rows.filter(({ bits }) => bits.some((count) => count !== 0));
    expect(different.map(({ file, bits }) => [file, bits])).toEqual([]);
  });

  test('damaged documents are answered with a code or a refusal', async () => {
    const formats = [...new Set(rows.map(({ format }) => format))];
    const statuses: number[] = [];
    for (const format of formats) {
      const { file } = rows.find((row) => row.format === format) as Row;
      const bytes = readFileSync(path.join(folder, file));
      for (const part of [0.3, 0.7, 0.99]) {
        const truncated = new Uint8Array(bytes.subarray(0, Math.floor(bytes.length * part)));
        const changed = new Uint8Array(bytes).fill(
          0xff,
          Math.floor(bytes.length * part),
          Math.floor(bytes.length * part) + 16,
        );
        for (const damaged of [truncated, changed]) {
          const response = await upload(server.url, file, damaged, { query: '?granular=false' });
          statuses.push(response.status);
          await response.arrayBuffer();
        }
      }
    }
    expect(statuses.filter((status) => status !== 201 && status !== 422)).toEqual([]);
    const { file } = rows[0] as Row;
    const whole = new Uint8Array(readFileSync(path.join(folder, file)));
    expect((await upload(server.url, file, whole)).status).toBe(201);
  }, 120_000);
});
