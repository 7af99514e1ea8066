/** An index with a damaged record: the client gets 503 with the reason, the operator an error and a report. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer } from '../../src/http/server.js';
import { loadTransport } from '../../src/http/transport/load-transport.js';
import { native } from '../../src/native.js';
import { searchVariables } from '../../src/platform/config/search.js';
import { readVariables } from '../../src/platform/config/variable.js';
import { searchApp } from '../../src/services/search/app.js';
import { post } from '../search/support/search-server.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'isccd-damaged-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ID = 'ISCC:MAIGC5KN3I6TCWPP';
const UNITS = ['ISCC:AAA42YWGSRP3HXGY', 'ISCC:EAAY2ZU3XKXR4FVV', 'ISCC:IAAYEQZFXVEVQ3EG'];
const CODE = 'ISCC:KAC42YWGSRP3HXGYRVTJM5YN35VQYNE33RERQV2HPQS5CAQSC2EVOQI';

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly requestId?: string;
  readonly err?: { readonly message: string };
}

/** The service on `folder`, with its log and its error reports. */
async function start() {
  const lines: LogLine[] = [];
  const reports: { error: unknown; tags: Readonly<Record<string, string>> }[] = [];
  const stream = new Writable({
    write(line, _, done) {
      lines.push(JSON.parse(String(line)));
      done();
    },
  });
  const app = await searchApp(readVariables(searchVariables, {}), folder);
  const errorReports = {
    report: (error: unknown, tags: Readonly<Record<string, string>>) => void reports.push({ error, tags }),
    close: async () => undefined,
  };
  const log = pino({ level: 'error' }, stream);
  const listen = { host: '127.0.0.1', port: 0, transport: loadTransport('auto', log), log };
  const server = await startServer({ ...app, errorReports }, listen);
  return { server, lines, reports, send: (path: string, body: unknown) => post(server.url + path, body) };
}

/**
 * Damages the stored form of the asset's ISCC-CODE. Loading the index reads only the units and does not notice; reading
 * the asset does. Sizes stay as they are, so that LMDB finds its way.
 */
async function damage(file: string): Promise<void> {
  const bytes = await readFile(file);
  const out = new Uint8Array(64);
  native.decodeCodes(CODE, out, 64);
  const code = Buffer.from(out.subarray(1, 1 + (out[0] ?? 0)));
  let damaged = 0;
  for (let at = bytes.indexOf(code); at >= 0; at = bytes.indexOf(code, at + 1)) {
    // The length in LEB128, shifted by two bits, which are the form: 3 is not a form.
    bytes[at - 2] = (bytes[at - 2] ?? 0) | 3;
    damaged += 1;
  }
  expect(damaged).toBeGreaterThan(0);
  await writeFile(file, bytes);
}

it('answers 503 with the reason, and logs and reports it once', async () => {
  const first = await start();
  expect((await first.send('/indexes', { name: 'main' })).status).toBe(201);
  const asset = { iscc_id: ID, iscc_code: CODE, units: UNITS };
  expect((await first.send('/indexes/main/assets', [asset])).status).toBe(201);
  await first.server.stop();
  await damage(path.join(folder, 'search', 'main', 'data.mdb'));

  const { server, lines, reports, send } = await start();
  const response = await fetch(`${server.url}/indexes/main/assets/${ID}`);
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('60');
  const { detail } = (await response.json()) as { detail: string };
  expect(detail).toMatch(
    /^The index is damaged: the record of asset [0-9a-f]{16} is damaged\. .+ isccd index repair$/,
  );

  const requestId = response.headers.get('x-request-id');
  expect(requestId).toMatch(/./);
  const cause = expect.stringMatching(/the record of asset [0-9a-f]{16} is damaged/);
  expect(lines).toMatchObject([{ level: 50, requestId, err: { message: cause } }]);
  expect(reports).toMatchObject([{ error: { code: 'DATA_DAMAGED', message: cause }, tags: { requestId } }]);

  // Errors of the request are neither logged nor reported.
  expect((await fetch(`${server.url}/indexes/other`)).status).toBe(404);
  expect((await send('/indexes/main/search', { units: UNITS })).status).toBe(200);
  expect([lines.length, reports.length]).toEqual([1, 1]);
  await server.stop();
});
