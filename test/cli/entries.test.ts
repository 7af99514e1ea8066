import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEntries } from '../../src/cli/input/entries.js';

const ENTRY = { iscc_id: 'ISCC:MAIGBISBQHSEJW52', iscc_code: 'ISCC:KACX' };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-entries-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(text: string) {
  const file = path.join(folder, 'x.json');
  await writeFile(file, text);
  return readEntries(file);
}

describe('readEntries', () => {
  it('reads an array, an object, or lines', async () => {
    expect(await read(JSON.stringify([ENTRY, ENTRY]))).toEqual([ENTRY, ENTRY]);
    expect(await read(JSON.stringify(ENTRY, null, 2))).toEqual([ENTRY]);
    expect(await read(`${JSON.stringify(ENTRY)}\n\n${JSON.stringify(ENTRY)}\n`)).toEqual([ENTRY, ENTRY]);
    expect(await read(JSON.stringify([ENTRY, ENTRY], null, 2))).toEqual([ENTRY, ENTRY]);
  });

  it('reads no entries from an empty file, as of a folder without files', async () => {
    for (const text of ['', '\n', ' \r\n\t\n']) expect(await read(text)).toEqual([]);
  });

  it('reads results of the codes service', async () => {
    const feature = {
      maintype: 'content',
      subtype: 'text',
      version: 0,
      simprints: ['AA', 'BB'],
      sizes: [3, 4],
    };
    const codes = { iscc_id: ENTRY.iscc_id, iscc: 'ISCC:KACX', name: 'N', units: ['U'], features: [feature] };
    expect(await read(JSON.stringify(codes))).toEqual([
      {
        iscc_id: ENTRY.iscc_id,
        iscc_code: 'ISCC:KACX',
        units: ['U'],
        metadata: { name: 'N' },
        simprints: {
          CONTENT_TEXT_V0: [
            { simprint: 'AA', offset: 0, size: 3 },
            { simprint: 'BB', offset: 3, size: 4 },
          ],
        },
      },
    ]);
  });

  it('derives a stable ISCC-ID per file with makeIds', async () => {
    const file = path.join(folder, 'codes.jsonl');
    const line = (filename: string) => JSON.stringify({ iscc: 'ISCC:KACX', filename });
    await writeFile(file, `\ufeff${line('a.jpg')}\n${line('b.jpg')}\n${line('a.jpg')}\n`);
    const entries = await readEntries(file, { makeIds: true });
    const [a, b, again] = entries.map(({ iscc_id }) => iscc_id);
    expect(a).toMatch(/^ISCC:MAI[A-Z2-7]{13}$/);
    expect(again).toBe(a);
    expect(b).not.toBe(a);
    expect(entries[1]).toEqual({ iscc_id: b, iscc_code: 'ISCC:KACX', metadata: { filename: 'b.jpg' } });
    await writeFile(file, '{"units":[]}');
    await expect(readEntries(file, { makeIds: true })).rejects.toThrow('no code to derive one from');
  });

  it('reports where a file is invalid', async () => {
    await expect(read('{"iscc":"ISCC:KACX"}')).rejects.toThrow('entry 1: iscc_id is missing');
    await expect(read('{"a":1}\nnope\n')).rejects.toThrow('line 2');
    await expect(read('nope\n{"a":1}\n')).rejects.toThrow('line 1');
    await expect(read('nope')).rejects.toThrow('x.json');
    await expect(read('[3]')).rejects.toThrow('not a JSON object');
  });
});
