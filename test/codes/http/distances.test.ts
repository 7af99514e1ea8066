/**
 * Uploads every file of two reference sets and compares each unit with the reference, bit by bit. The sets are our own
 * recording (iscc-sdk 0.9.7) and the independent `iscc-samples` (iscc-sdk 0.9.5).
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INSTALL_MAX_MS, pythonPackage } from '../../support/set-up.js';
import { bodyOf, upload } from '../support/client.js';
import { distances, fileBytes, recording } from '../support/reference.js';
import { type CodesServer, startCodes } from '../support/server.js';

interface Expected {
  readonly file: string;
  readonly error?: unknown;
  readonly mode?: string;
  readonly mediatype?: string;
  readonly units?: readonly string[];
}

/** Files that only the reference rejects, and why. Others that it rejects get a 422. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'text/demo.mobi': 'type without a mode: ISCC-SUM, but the reference ran without fallback',
  'text/demo.sqlite': 'the same',
};

/** Maximum difference of the Content-Code in bits, and why. */
const DIFFERENT: readonly (readonly [RegExp, number, string])[] = [
  [/^latin1_|^mixed_/, 256, 'the reference detects the wrong charset'],
  [/^plainnoext_/, 256, 'the reference does not detect text without a file extension'],
  [/^arch_/, 256, 'the reference treats every ZIP archive as DOCX'],
  [/\.(heic|avif)$/, 25, 'different decoder'],
  [/\.pdf$/, 25, 'different version of PDFium'],
  [/^video\//, 6, 'the reference used a different version of FFmpeg'],
];

/** Files whose Meta-Code differs, and why. */
const OTHER_NAME: Readonly<Record<string, string>> = {
  'video/demo.ogg': 'a video with an audio extension: TagLib finds no title, FFmpeg does',
  'video/demo.rm': 'the same',
};

/** All other units must be equal. */
const CONTENT_UNIT = 1;
const META_UNIT = 0;

interface Row {
  readonly file: string;
  readonly mode: string;
  readonly status: number;
  /** Differing bits per unit; `undefined` if the unit types differ. */
  readonly bits: readonly number[] | undefined;
  readonly unitBits: number;
}

async function rowOf(server: CodesServer, expected: Expected, bytes: Uint8Array<ArrayBuffer>): Promise<Row> {
  const { file, mode = '', units = [] } = expected;
  const response = await upload(server.url, path.basename(file), bytes, { query: '?granular=false' });
  if (response.status !== 201) {
    await response.arrayBuffer();
    return { file, mode, status: response.status, bits: undefined, unitBits: 0 };
  }
  const ours = await bodyOf(response);
  // Units recorded with 64 bits are prefixes of longer ones, except for the header.
  const unitBits = units[0]?.length === ours.units[0]?.length ? 256 : 64;
  return { file, mode, status: 201, bits: distances(ours.units, units, unitBits), unitBits };
}

function printTable(title: string, rows: readonly Row[]): void {
  const lines = rows.map(({ file, mode, status, bits, unitBits }) => {
    const shown = bits ? `${bits.map((bit) => `${bit}`.padStart(3)).join(' ')} of ${unitBits}` : `${status}`;
    return `  ${file.padEnd(26)} ${mode.padEnd(6)} ${shown}`;
  });
  const equal = rows.filter(({ bits }) => bits?.every((bit) => bit === 0)).length;
  console.log([title, ...lines, `  ${equal} of ${rows.length} equal in every unit`].join('\n'));
}

function allowedBits(file: string): number {
  return DIFFERENT.find(([pattern]) => pattern.test(file))?.[1] ?? 0;
}

function check(expected: Expected, row: Row): void {
  const { file, error } = expected;
  if (error !== undefined) {
    expect([file, row.status]).toEqual([file, file in ACCEPTED ? 201 : 422]);
    return;
  }
  expect([file, row.status]).toEqual([file, 201]);
  const allowed = allowedBits(file);
  // Different unit types (ISCC-SUM): nothing to compare.
  if (row.bits === undefined) {
    expect([file, allowed]).toEqual([file, 256]);
    return;
  }
  const rest = row.bits?.filter(
    (_, index) => !(index === CONTENT_UNIT && allowed > 0) && !(index === META_UNIT && file in OTHER_NAME),
  );
  expect([file, rest]).toEqual([file, rest?.map(() => 0)]);
  expect([file, (row.bits?.[CONTENT_UNIT] ?? 0) <= allowed]).toEqual([file, true]);
}

function suite(
  title: string,
  all: readonly Expected[],
  bytesOf: (file: string) => Uint8Array<ArrayBuffer>,
  compat: '0.9.5' | '0.9.7',
): void {
  let server: CodesServer;
  const rows: Row[] = [];
  beforeAll(async () => {
    server = await startCodes({ config: { compat } });
  });
  afterAll(async () => {
    await server?.close();
    printTable(`${title}: differing bits per unit`, rows);
  });

  test.each(all)('$file', { timeout: 120_000 }, async (expected) => {
    const row = await rowOf(server, expected, bytesOf(expected.file));
    rows.push(row);
    check(expected, row);
  });

  test('audio: 95 % of the codes are equal, the others differ by at most 2 % of the bits', () => {
    const audio = rows.filter(({ mode, bits }) => mode === 'audio' && bits !== undefined);
    const far = (row: Row) => (row.bits?.[CONTENT_UNIT] ?? 0) / row.unitBits;
    expect(audio.length).toBeGreaterThan(8);
    expect(audio.filter((row) => far(row) === 0).length / audio.length).toBeGreaterThanOrEqual(0.95);
    expect(audio.filter((row) => far(row) > 0.02)).toEqual([]);
  });
}

describe('our recording', () => {
  const all = recording.files.map(({ file, result, error }) => ({ file, error, ...result }) as Expected);
  suite('Recorded files', all, fileBytes, '0.9.7');
});

describe('iscc-samples', () => {
  const recorded = path.resolve(import.meta.dirname, '../../fixtures/codes/samples_sdk_0_9_5.json');
  const all = Object.entries(JSON.parse(readFileSync(recorded, 'utf8')) as Record<string, Expected>);
  let folder = '';
  beforeAll(async () => {
    folder = path.join(await pythonPackage('iscc-samples==0.6.0'), 'iscc_samples', 'files');
    expect(existsSync(folder)).toBe(true);
  }, INSTALL_MAX_MS);
  suite(
    'iscc-samples',
    all.map(([file, expected]) => ({ ...expected, file })),
    (file) => new Uint8Array(readFileSync(path.join(folder, file))),
    '0.9.5',
  );
});
